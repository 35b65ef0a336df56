# SPDX-License-Identifier: Apache-2.0
"""What other users of the machine may not read, and what a copy of the database does not open."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest
from django.contrib.sessions.models import Session
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import OperationalError
from django.test import Client
from django.utils import timezone

from pwscup.celery import app
from pwscup.core.http.plain_cache import JsonSerializer
from pwscup.core.http.sessions import SessionStore
from pwscup.core.installation import private
from tests.services import free_port

ROOT = Path(__file__).resolve().parents[2]


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def started(folder: Path, code: str = "pass", **given: str) -> subprocess.CompletedProcess[str]:
    """A process of the platform as it starts under the usual umask."""
    settings = "import os; from pwscup import settings; "
    environment = {k: v for k, v in os.environ.items() if k != "SECRET_KEY"}
    return subprocess.run(
        [sys.executable, "-c", settings + code],
        cwd=ROOT,
        env={**environment, "PWSCUP_DATA_DIR": str(folder), **given},
        capture_output=True,
        text=True,
        umask=0o022,
        check=False,
    )


def test_the_first_process_makes_the_folder_private_and_writes_private_files(tmp_path):
    folder = tmp_path / "new" / "data"
    done = started(
        folder, "(settings.DATA_DIR / 'written').touch(); os.mkdir(settings.DATA_DIR / 'made')"
    )
    assert done.returncode == 0, done.stderr
    assert mode(folder) == 0o700
    assert {mode(path) for path in folder.iterdir()} == {0o600, 0o700}
    assert len((folder / "secret-key").read_text()) >= 50
    assert sorted(path.name for path in folder.iterdir()) == ["made", "secret-key", "written"]


def test_the_key_that_is_there_is_kept(tmp_path):
    assert started(tmp_path).returncode == 0
    key = (tmp_path / "secret-key").read_text()
    assert started(tmp_path, f"assert settings.SECRET_KEY == {key!r}").returncode == 0


@pytest.mark.django_db
def test_an_open_folder_is_closed_at_the_start_with_a_sentence(
    settings, tmp_path, monkeypatch, capsys
):
    settings.DATA_DIR = tmp_path
    tmp_path.chmod(0o755)
    (tmp_path / "secret-key").touch()
    (tmp_path / "secret-key").chmod(0o644)
    monkeypatch.setattr(private, "ENV_FILE", tmp_path / "no.env")
    monkeypatch.setenv("REDIS_URL", f"redis://127.0.0.1:{free_port()}/0")  # refused soon after
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = [signal.getsignal(number) for number in numbers]
    try:
        with pytest.raises(CommandError, match="REDIS_URL"):
            call_command("up", "--no-demo", "--address", f"127.0.0.1:{free_port()}")
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)
    assert (mode(tmp_path), mode(tmp_path / "secret-key")) == (0o700, 0o600)
    said = capsys.readouterr().out
    assert f"Other users of this machine could read {tmp_path}: it is private now." in said
    assert private.exposed() == []


# Settings


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("SWEEP_SECONDS", "soon", "SWEEP_SECONDS: expected a number of at least 0 — got 'soon'"),
        (
            "AUDITS_AT_ONCE",
            "-1",
            "AUDITS_AT_ONCE: expected a whole number of at least 0 — got '-1'",
        ),
        ("WEB_THREADS", "abc", "WEB_THREADS: expected a whole number of at least 0 — got 'abc'"),
        ("WORKER_CONCURRENCY", "two", "WORKER_CONCURRENCY: expected a whole number"),
        ("REDIS_URL", "pass-word@host:6379", "REDIS_URL: expected redis://:password@host"),
        ("PWSCUP_HTTPS", "ture", "PWSCUP_HTTPS: expected true or false — got 'ture'"),
        ("DATABASE_URL", "postgres://a:pass-word@h:port/x", "DATABASE_URL: expected postgres://"),
        ("DATABASE_URL", "mysql://a:pass-word@h/x", "DATABASE_URL: expected postgres://"),
        ("DATABASE_URL", "pass-word", "DATABASE_URL: expected postgres://"),
        ("CACHE_URL", "pass-word", "CACHE_URL: expected locmemcache://"),
        ("EMAIL_URL", "pass-word", "EMAIL_URL: expected smtp+tls://"),
    ],
)
def test_a_malformed_setting_is_a_sentence(tmp_path, name, value, expected):
    done = started(tmp_path, **{name: value})
    assert done.returncode == 1
    assert done.stderr.startswith(expected)
    assert done.stderr.count("\n") == 1
    assert "pass-word" not in done.stderr


def test_a_setting_that_is_given_empty_has_its_default(tmp_path):
    check = "assert settings.CACHES['default']['BACKEND'].endswith('LocMemCache'); assert not settings.HTTPS"
    assert started(tmp_path, check, CACHE_URL="", DATABASE_URL="", PWSCUP_HTTPS="").returncode == 0


# Sessions


def test_the_database_does_not_hold_the_keys_of_sessions(cast):
    client = Client()
    client.force_login(cast.alice)
    key = client.cookies["sessionid"].value
    (row,) = Session.objects.all()
    assert key != row.session_key
    assert key not in row.session_data
    assert client.get("/account/").status_code == 200

    thief = Client()
    thief.cookies["sessionid"] = row.session_key  # out of a copy of the table
    assert thief.get("/account/").status_code == 302

    client.logout()
    assert not Session.objects.exists()


def test_a_session_of_before_has_ended(cast):
    """Its row is under its key itself."""
    key = "k" * 32
    Session.objects.create(
        session_key=key,
        session_data=SessionStore().encode({"_auth_user_id": str(cast.alice.pk)}),
        expire_date=timezone.now() + timedelta(days=1),
    )
    assert dict(SessionStore(key).items()) == {}


def test_a_session_of_a_busy_database_is_not_called_deleted(db, monkeypatch):
    store = SessionStore()
    store["x"] = 1
    store.save()

    def busy(*_: object, **__: object) -> None:
        raise OperationalError("database is locked")

    monkeypatch.setattr(Session, "save", busy)
    with pytest.raises(OperationalError, match="locked"):
        store.save()


# Redis


def test_the_shared_cache_holds_no_pickles(tmp_path):
    """Data of somebody who reaches Redis is not run: it is read as JSON, and as nothing else."""
    given = {"CACHE_URL": "rediscache://:secret@redis:6379/1"}
    check = (
        "from django.core.cache.backends.redis import RedisCacheClient as C; "
        "o = settings.CACHES['default']['OPTIONS']; "
        "print(type(C(['redis://x'], **o)._serializer).__name__)"
    )
    assert started(tmp_path, check, **given).stdout == "JsonSerializer\n"
    serializer = JsonSerializer()
    for value in (7, True, None, "x", [1.5, 2.5], {"a": [1]}):
        data = serializer.dumps(value)
        assert serializer.loads(str(data).encode() if type(data) is int else data) == value
    with pytest.raises(UnicodeDecodeError):
        serializer.loads(pickle.dumps({"a": 1}))


def test_workers_take_json_alone():
    assert app.conf.accept_content == ["json"]
    assert (app.conf.task_serializer, app.conf.event_serializer) == ("json", "json")


def test_redis_of_compose_asks_for_a_password():
    compose = (ROOT / "docker-compose.yml").read_text()
    assert compose.count("redis://:${REDIS_PASSWORD:?") == 1
    assert compose.count("rediscache://:${REDIS_PASSWORD:?") == 1
    assert '--requirepass, "${REDIS_PASSWORD:?' in compose
