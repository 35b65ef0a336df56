"""A real installation, but fast to lose patience, and with workers that take as long as a note says."""

from pwscup.settings import *  # noqa: F403

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
CELERY_IMPORTS = ["tests.distributed.slow"]
