"""A real installation, but fast to lose patience, and with workers that take as long as a note says."""

from pwscup.settings import *  # noqa: F403

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
CELERY_IMPORTS = ["tests.distributed.slow"]
# What a worker waits for a silent broker; a page does not, on the slowest of machines.
SOCKET_SECONDS = 30
CELERY_BROKER_TRANSPORT_OPTIONS = CELERY_BROKER_TRANSPORT_OPTIONS | {  # noqa: F405 — from the star
    "socket_timeout": SOCKET_SECONDS,
    "socket_connect_timeout": SOCKET_SECONDS,
}
