# SPDX-License-Identifier: Apache-2.0
"""A real installation, but fast to lose patience, and with workers that take as long as a note says."""

from pwscup.settings import *  # noqa: F403

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
CELERY_IMPORTS = ["tests.distributed.slow"]
SOCKET_SECONDS = 30  # a worker's patience with a silent broker, on the slowest of machines
CELERY_BROKER_TRANSPORT_OPTIONS = CELERY_BROKER_TRANSPORT_OPTIONS | {  # noqa: F405 — from the star
    "socket_timeout": SOCKET_SECONDS,
    "socket_connect_timeout": SOCKET_SECONDS,
}
