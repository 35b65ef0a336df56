"""How gunicorn serves: one process with threads, which SQLite likes; WEB_PROCESSES and WEB_THREADS change it."""

import os
from typing import Any

from pwscup.core.keeper import die_with_parent
from pwscup.env import env

wsgi_app = "pwscup.wsgi"
worker_class = "gthread"
workers = env.int("WEB_PROCESSES", default=1)
threads = env.int("WEB_THREADS", default=12)
timeout = 60
graceful_timeout = 3
keepalive = 5
control_socket_disable = True  # one socket in the home folder would serve every installation
worker_tmp_dir = "/dev/shm" if os.path.isdir("/dev/shm") else None  # noqa: S108 — heartbeats must not wait for a disk


def post_fork(server: Any, worker: Any) -> None:
    die_with_parent()


def post_worker_init(worker: Any) -> None:
    from pwscup.submissions import inflight  # the application is loaded by now

    inflight.start()


def worker_exit(server: Any, worker: Any) -> None:
    from pwscup.submissions import inflight

    inflight.stop()
