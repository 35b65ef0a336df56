# SPDX-License-Identifier: Apache-2.0
"""Health of a web process, for monitoring: answered before host check, redirect, session and database."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path

from django.conf import settings
from django.db import connection
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, JsonResponse

from pwscup.core.installation import broker

LIVE, READY = ("/livez", "/healthz"), "/readyz"
SECONDS = 2.0
"""The time limit of a check, and how long its outcome is cached: this bounds the cost of polling."""
NOT_READY = 503


def check_database() -> bool:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    finally:
        connection.close()  # of this thread
    return True


def check_broker() -> bool:
    return broker.silence(settings.CELERY_BROKER_URL) is None


def check_storage() -> bool:
    """An upload folder that can be entered and written."""
    root = Path(settings.PRIVATE_ROOT)
    while not root.exists() and root != root.parent:
        root = root.parent
    return root.is_dir() and os.access(root, os.W_OK | os.X_OK)


CHECKS: dict[str, Callable[[], bool]] = {
    "database": check_database,
    "broker": check_broker,
    "storage": check_storage,
}


class Readiness:
    """The dependencies of this process, checked on request and at most once per interval."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pool = ThreadPoolExecutor(len(CHECKS), "readiness")
        self._found: dict[str, str] = {}
        self._until = 0.0

    def found(self) -> dict[str, str]:
        """For each dependency `ok`, `fault`, or no answer; never the reason, which may be secret.

        While one thread checks, the others return the previous outcome: anyone may ask at any rate.
        """
        if self._lock.acquire(blocking=not self._found):
            try:
                if time.monotonic() >= self._until:
                    self._found = self._look()
                    self._until = time.monotonic() + SECONDS
            finally:
                self._lock.release()
        return self._found

    def _look(self) -> dict[str, str]:
        asked = {name: self._pool.submit(check) for name, check in CHECKS.items()}
        done, late = wait(asked.values(), SECONDS)
        for future in late:
            future.cancel()
        return {
            name: "no answer"
            if future not in done
            else "ok"
            if future.exception() is None and future.result()
            else "fault"
            for name, future in asked.items()
        }


readiness = Readiness()


class HealthMiddleware:
    """Answers `/livez`, `/healthz` and `/readyz`; it comes before every other middleware."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.path_info not in (*LIVE, READY):
            return self.get_response(request)
        if request.method not in ("GET", "HEAD"):
            return HttpResponseNotAllowed(["GET", "HEAD"])
        response = JsonResponse({"status": "ok"}) if request.path_info in LIVE else ready()
        response["Cache-Control"] = "no-store"
        return response


def ready() -> JsonResponse:
    """503 if a dependency is missing without which the site does not work."""
    found = readiness.found()
    is_ready = set(found.values()) == {"ok"}
    return JsonResponse(
        {"status": "ready" if is_ready else "not ready", **found},
        status=200 if is_ready else NOT_READY,
    )
