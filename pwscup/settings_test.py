# SPDX-License-Identifier: Apache-2.0
"""Settings of the test suite: nothing of a running installation is touched."""

import os
import shutil
import tempfile
from pathlib import Path

# Thousands of tests write small files: into memory, where there is enough and programs may be run from it.
_MEMORY = Path("/dev/shm")  # noqa: S108 — folders with names of chance are made in it
if (
    os.access(_MEMORY, os.W_OK)
    and shutil.disk_usage(_MEMORY).free > 4 * 2**30
    and not os.statvfs(_MEMORY).f_flag & os.ST_NOEXEC
):
    os.environ.setdefault("TMPDIR", str(_MEMORY))
    tempfile.tempdir = None  # asked for before

# Kept by name: the folder goes with the process.
_folder = tempfile.TemporaryDirectory(prefix="pwscup-test-", ignore_cleanup_errors=True)
os.environ.setdefault("PWSCUP_DATA_DIR", _folder.name)
os.environ.setdefault("SECRET_KEY", "only-for-tests")

from pwscup.settings import *  # noqa: E402, F403 — all of them, but for what follows

# A file, as in a real installation: SQLite in memory does not wait for its turn to write.
DATABASES["default"]["TEST"] = {"NAME": str(DATA_DIR / "test.sqlite3")}  # noqa: F405 — from the star above
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
ALLOWED_HOSTS = ["testserver", "127.0.0.1", "localhost"]
ACCOUNT_RATE_LIMITS = False
CELERY_BROKER_URL = "memory://"
CELERY_TASK_ALWAYS_EAGER = True  # on commit a submission is scored immediately, in the same process
UPLOAD_GRACE_SECONDS = 0
DISK_RESERVE_BYTES = 0
WHITENOISE_AUTOREFRESH = (
    True  # each test's client has middleware of its own, which would list all static files
)
