# SPDX-License-Identifier: Apache-2.0
"""Settings of the test suite: nothing of a running installation is touched."""

import os
import tempfile

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
