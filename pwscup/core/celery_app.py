# SPDX-License-Identifier: Apache-2.0
"""The Celery application; it imports no other app. The start of workers is in `pwscup.celery`."""

from __future__ import annotations

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "pwscup.settings")

app = Celery("pwscup")
app.set_default()  # in every thread
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
