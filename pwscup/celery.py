# SPDX-License-Identifier: Apache-2.0
"""Start of workers (`celery -A pwscup worker`): preparations before they accept tasks."""

import logging
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from celery import signals
from filelock import FileLock

from pwscup.core.celery_app import app

os.environ.setdefault("CELERY_SKIP_CHECKS", "1")  # they import all views, which workers do not need

KERNEL_SECONDS = 120
logger = logging.getLogger(__name__)
__all__ = ["app"]


@signals.setup_logging.connect
def keep_logging(**_: Any) -> None:
    """Logging follows Django's settings; a receiver of this signal disables Celery's own."""


@signals.worker_init.connect
def refuse_foreign_folder(**_: Any) -> None:
    """A worker without the shared folder would fail every submission."""
    from django.db import connections

    from pwscup.core.installation import probe

    probe.refuse_foreign_folder()
    connections.close_all()  # the processes of the pool open their own


@contextmanager
def one_at_a_time() -> Iterator[None]:
    """Workers that share a data folder load kernels one after another: the first may have to compile them for all.

    A killed holder releases the lock. The lock only saves time: a worker that cannot get it continues without.
    """
    from django.conf import settings

    with ExitStack() as held:
        try:
            held.enter_context(FileLock(settings.DATA_DIR / "kernels.lock", timeout=KERNEL_SECONDS))
        except (OSError, NotImplementedError) as reason:
            logger.info("Kernels are loaded without waiting for other workers: %s", reason)
        yield


@signals.worker_init.connect
def load_what_scoring_takes(**_: Any) -> None:
    """Load the numerical libraries and kernels before the pool is forked, so that its processes share them."""
    try:
        with one_at_a_time():
            import pwscup.submissions.evaluation  # noqa: F401 — imported for its side effect
            from pwscup.formats import load_evaluations
            from scoring.warm import warm_up

            load_evaluations()
            warm_up()
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
        words = f"This worker cannot score, and ends: the kernels cannot be loaded ({reason})."
        logger.critical(words)
        raise SystemExit(words) from error  # any other exception would only be logged


@signals.worker_init.connect
def survive_a_lost_broker(**_: Any) -> None:
    """Before the first connection is made."""
    from pwscup.core import prefetch

    prefetch.install()


@signals.task_prerun.connect
@signals.task_postrun.connect
def keep_connections(task: Any, **_: Any) -> None:
    """Close broken and old connections to the database, as after a request: opening one costs more than scoring."""
    from django.db import close_old_connections

    if not task.request.is_eager:
        close_old_connections()


@signals.worker_process_init.connect
def prepare_process(**_: Any) -> None:
    """Preparations of every process of the pool before its first task."""
    from django.conf import settings

    from pwscup.core.installation.keeper import die_with_parent, limit_memory

    die_with_parent()
    if settings.WORKER_MEMORY_LIMIT_MB:
        limit_memory(settings.WORKER_MEMORY_LIMIT_MB * 1024 * 1024)
