# SPDX-License-Identifier: Apache-2.0
"""Whether a process lives and can do its work, asked under no name of the site."""

from __future__ import annotations

import re
import threading

import pytest
from django.conf import settings as site
from django.db import OperationalError
from django.test import Client

from pwscup.core.http import health

PATHS = [*health.LIVE, health.READY]
STRANGER = {"host": "10.0.0.7:8000"}


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    monkeypatch.setattr(health, "readiness", health.Readiness())


def get(path: str, **headers: str):
    return Client(headers=headers or STRANGER).get(path)


def broken() -> bool:
    raise OperationalError("connection to cup-database.example refused for user pwscup")


@pytest.mark.parametrize("path", PATHS)
def test_it_is_answered_before_the_host_is_checked_and_https_is_asked_for(
    path, settings, db, monkeypatch
):
    settings.SECURE_SSL_REDIRECT = True
    settings.ALLOWED_HOSTS = ["cup.example.org"]
    monkeypatch.setitem(health.CHECKS, "database", lambda: True)
    assert get("/").status_code in (301, 400)
    answer = get(path)
    assert (answer.status_code, answer["Cache-Control"]) == (200, "no-store")
    assert not answer.cookies
    assert Client().post(path).status_code == 405


@pytest.mark.parametrize("name", list(health.CHECKS))
def test_readiness_names_what_is_missing_and_nothing_more(name, monkeypatch):
    for each in health.CHECKS:
        monkeypatch.setitem(health.CHECKS, each, broken if each == name else lambda: True)
    answer = get(health.READY)
    assert answer.status_code == 503
    assert answer.json() == {"status": "not ready"} | {
        each: "fault" if each == name else "ok" for each in health.CHECKS
    }
    for path in health.LIVE:
        assert get(path).status_code == 200  # the process itself is well


def test_a_server_that_is_silent_keeps_nobody_waiting(monkeypatch):
    monkeypatch.setattr(health, "SECONDS", 0.2)
    never = threading.Event()
    for name in health.CHECKS:
        monkeypatch.setitem(health.CHECKS, name, lambda: True)
    monkeypatch.setitem(health.CHECKS, "broker", never.wait)
    try:
        answer = get(health.READY)
    finally:
        never.set()
    assert (answer.status_code, answer.json()["broker"]) == (503, "no answer")


def test_however_often_it_is_asked_everything_is_looked_at_once(monkeypatch):
    monkeypatch.setattr(health, "SECONDS", 3600)
    looks = []
    for name in health.CHECKS:
        monkeypatch.setitem(health.CHECKS, name, lambda name=name: looks.append(name) or True)
    assert {get(health.READY).status_code for _ in range(50)} == {200}
    assert sorted(looks) == sorted(health.CHECKS)


def test_the_real_checks(db, settings, tmp_path):
    assert health.check_broker()
    settings.CELERY_BROKER_URL = f"redis+socket://{tmp_path}/nobody.sock"
    assert not health.check_broker()
    settings.PRIVATE_ROOT = tmp_path / "not" / "yet"
    assert health.check_storage()
    (tmp_path / "file").touch()
    settings.PRIVATE_ROOT = tmp_path / "file"
    assert not health.check_storage()


def test_the_health_checks_of_the_image_can_fail():
    """A status of any other kind than 200 is red, be it 400 for a wrong host or 301 to HTTPS."""
    for name in ("docker-compose.yml", "Dockerfile"):
        text = (site.BASE_DIR / name).read_text()
        (check,) = re.findall(r"import http\.client.*?(?=\"\])", text)
        assert "/readyz" in check
        assert check.endswith("raise SystemExit(c.getresponse().status != 200)")


def test_who_asks_during_a_look_is_answered_by_the_one_before(monkeypatch):
    """Else the threads of all pages would wait behind a broker that is silent."""
    monkeypatch.setattr(health, "CHECKS", {"broker": lambda: True})
    readiness, begun, goes_on = health.Readiness(), threading.Event(), threading.Event()
    assert readiness.found() == {"broker": "ok"}

    def slow() -> dict[str, str]:
        begun.set()
        goes_on.wait(60)
        return {"broker": "fault"}

    readiness._until = 0.0
    monkeypatch.setattr(readiness, "_look", slow)
    first = threading.Thread(target=readiness.found)
    first.start()
    begun.wait(10)
    try:
        answers: list[dict[str, str]] = []
        second = threading.Thread(target=lambda: answers.append(readiness.found()), daemon=True)
        second.start()
        second.join(30)
        assert answers == [{"broker": "ok"}]
    finally:
        goes_on.set()
        first.join()
    assert readiness.found() == {"broker": "fault"}
