# SPDX-License-Identifier: Apache-2.0
"""What `manage.py doctor` says of an installation that is well, and of one that is not."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import OperationalError
from django.utils import timezone

from pwscup.core.db import clock
from pwscup.core.files import space, storage
from pwscup.core.installation import diagnosis, prepare, private, probe, pulse
from pwscup.submissions.models import Submission
from tests.web.pipeline import hand_in


@pytest.fixture(autouse=True)
def without_settings_of_the_machine(monkeypatch, tmp_path):
    monkeypatch.setattr(private, "ENV_FILE", tmp_path / "no.env")


def examine(*names: str) -> str:
    out = io.StringIO()
    call_command("doctor", *(["--only", *names] if names else []), stdout=out, no_color=True)
    return out.getvalue()


def warned(*names: str) -> str:
    """What is only to be watched: the exit status is that of an installation that is well."""
    return "".join(line for line in examine(*names).splitlines(True) if line.startswith("WARN"))


def complaint(*names: str) -> str:
    out = io.StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("doctor", "--only", *names, stdout=out, no_color=True)
    assert ended.value.code == 1
    return "".join(line for line in out.getvalue().splitlines(True) if line.startswith("FIX"))


def test_an_installation_that_is_well(cast, settings, tmp_path):
    settings.STATIC_ROOT = tmp_path / "gathered"
    settings.ALLOWED_HOSTS = ["127.0.0.1", "localhost"]
    prepare.collect_static()
    pulse.beat()
    said = examine()
    assert {line[:5] for line in said.splitlines()} == {"ok   "}
    told = {line[5:].partition(":")[0] for line in said.splitlines()}
    assert len(told) == len(diagnosis.CHECKS)


def test_files_that_are_missing_and_files_that_are_left_over(cast, settings):
    file = storage.store(b"x", area=storage.Area.PUBLISHED, name="x")
    (settings.PRIVATE_ROOT / "published" / "orphan").write_bytes(b"")
    assert "1 left over" in examine("stored")
    storage.path_of(file).unlink()
    assert "1 of 3 are missing" in complaint("stored")


def test_a_key_that_others_can_read(cast, settings, tmp_path):
    settings.DATA_DIR = tmp_path
    (tmp_path / "secret-key").touch()
    (tmp_path / "secret-key").chmod(0o644)
    assert f"chmod go= {tmp_path}/secret-key" in complaint("files")


def test_a_data_folder_and_a_database_that_others_can_read(cast, settings, tmp_path):
    settings.DATA_DIR = tmp_path
    tmp_path.chmod(0o755)
    assert f"chmod go= {tmp_path}`" in complaint("files")


def test_a_broker_that_is_away(db, settings, tmp_path):
    settings.CELERY_BROKER_URL = f"redis+socket://{tmp_path}/nobody.sock"
    assert "REDIS_URL" in complaint("broker")


def test_static_files_that_are_out_of_date(settings, tmp_path):
    settings.STATIC_ROOT = tmp_path / "gathered"
    assert "collectstatic" in complaint("static")


# Servers


def test_a_database_speaks_for_itself(db, monkeypatch):
    def away(*_: object) -> None:
        cause = OSError('connection to server at "db" failed:\n\tFATAL: no password supplied')
        raise OperationalError("x") from cause

    monkeypatch.setattr(prepare, "n_migrations_due", away)
    said = complaint("database")
    assert 'connection to server at "db" failed: FATAL: no password supplied' in said
    assert "DATABASE_URL" in said


def test_a_clock_that_is_wrong(db, monkeypatch):
    for minutes, word in ((1, "behind"), (-1, "before")):
        ahead = timezone.now() + timedelta(minutes=minutes)
        monkeypatch.setattr(clock, "read_db_clock", lambda ahead=ahead: ahead)
        assert f"60 s {word}" in complaint("clock").replace("59 s", "60 s")


@pytest.mark.parametrize(
    ("url", "is_open"),
    [
        ("redis://redis:6379/0", True),
        ("redis://10.0.0.7:6379/0", True),
        ("rediss://user@cup.example.org/0", True),
        ("redis://:secret@redis:6379/0", False),
        ("redis://127.0.0.1:6379/0", False),
        ("redis://[::1]:6379/0", False),
        ("redis+socket:///data/broker.sock", False),
        ("memory://", False),
    ],
)
def test_a_redis_without_a_password_is_one_that_others_can_reach(url, is_open):
    assert diagnosis.is_open_redis(url) == is_open


def test_several_web_processes_need_one_cache(settings):
    locmem = {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}
    settings.CACHES = {"default": locmem}
    settings.WEB_PROCESSES = 1
    assert not any("rate limits" in finding.sentence for finding in diagnosis.check_cache())
    settings.WEB_PROCESSES = 3
    assert "each of 3 web processes" in warned("cache")


def test_a_cache_that_is_away_and_one_without_a_password(settings):
    backend = "django.core.cache.backends.redis.RedisCache"
    url = "redis://127.0.0.1:1/1"
    settings.CACHES = {"default": {"BACKEND": backend, "LOCATION": url}}
    said = complaint("cache")
    assert "CACHE_URL" in said
    settings.CACHES = {
        "default": {
            "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
            "LOCATION": "redis://redis:6379/1",
        }
    }
    assert "requirepass" in warned("cache")


def test_a_mail_server_that_is_away(settings):
    settings.EMAIL_URL = "smtp://127.0.0.1:1"
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1
    assert "EMAIL_URL" in complaint("mail")


# Files


def test_a_disk_that_is_nearly_full(settings):
    free = space.free_bytes()
    settings.DISK_RESERVE_BYTES = free * 3 // 4
    assert "stop soon" in warned("space")
    settings.DISK_RESERVE_BYTES = 2 * free
    assert "PWSCUP_DISK_RESERVE_BYTES" in complaint("space")


def test_a_folder_that_is_not_the_shared_one(cast, settings, tmp_path):
    probe.ensure()
    assert "all there" in examine("stored")
    settings.PRIVATE_ROOT = tmp_path / "another"
    assert "this folder is not the shared one" in complaint("stored")


# Work


def test_workers_that_do_nothing(settings):
    assert "none has done housekeeping" in complaint("workers")
    pulse.beat()
    assert "so beat and a worker run" in examine("workers")
    long_ago = time.time() - 3600
    os.utime(pulse.path(), (long_ago, long_ago))
    assert "no housekeeping for 36" in complaint("workers")


def test_the_task_of_beat_is_the_sign_of_life(db):
    from pwscup.core.tasks import seal

    assert pulse.seconds_since() is None
    seal()
    assert pulse.seconds_since() < 60


def test_what_waits_long(cast, round, sent):
    waiting = hand_in(cast.alice, cast.red, round)
    assert not warned("queue")
    Submission.objects.filter(pk=waiting.pk).update(arrived_at=timezone.now() - timedelta(hours=1))
    assert "the oldest submission waits 6" in warned("queue").replace("59", "60")


def test_every_kind_of_job_has_a_time_since_when_it_waits():
    from django.apps import apps

    from pwscup.core.models import Job

    jobs = [model for model in apps.get_models() if issubclass(model, Job)]
    assert len(jobs) > 5
    assert all(diagnosis.waits_since(model) for model in jobs)


@pytest.mark.long
def test_kernels_that_find_no_place():
    """As in an image whose user can write nowhere: numba takes no folder, and everything would fail."""
    program = (
        "import numba.core.caching as c\n"
        "c.CacheImpl._locator_classes = []\n"
        "import os, django; django.setup()\n"
        "from pwscup.core.installation.diagnosis import check_scoring\n"
        "print(*check_scoring())"
    )
    environment = os.environ | {"DJANGO_SETTINGS_MODULE": "pwscup.settings_test"}
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    )
    assert "Level.FAULT" in done.stdout
    assert "no locator available" in done.stdout
    assert "NUMBA_CACHE_DIR" in done.stdout


def test_scores_that_are_not_those_of_the_documentation(monkeypatch):
    assert "documented scores" in examine("scoring")
    monkeypatch.setitem(diagnosis.DOCUMENTED, "U2", 13.7)
    assert "wrong values of U2" in complaint("scoring")


# Settings


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"DEBUG": True}, "DEBUG is on"),
        ({"DEMO": True}, "PWSCUP_DEMO=false"),
        ({"SITE_URL": "http://127.0.0.1:8000"}, "set PWSCUP_SITE_URL"),
        ({"SITE_URL": "https://other.example.org"}, "which ALLOWED_HOSTS does not"),
    ],
)
def test_settings_that_do_not_fit_a_public_site(settings, given, says):
    well = {"DEBUG": False, "DEMO": False, "HTTPS": True, "SITE_URL": "https://cup.example.org"}
    settings.ALLOWED_HOSTS = ["cup.example.org", "localhost"]
    for name, value in well.items():
        setattr(settings, name, value)
    assert "consistent" in examine("settings")
    for name, value in given.items():
        setattr(settings, name, value)
    assert says in complaint("settings")


def test_https_that_is_half_switched_on(settings):
    settings.ALLOWED_HOSTS = ["cup.example.org"]
    settings.SITE_URL, settings.HTTPS = "https://cup.example.org", False
    assert "PWSCUP_HTTPS=true" in warned("settings")
    settings.SITE_URL = "http://cup.example.org"
    assert "unencrypted" in warned("settings")


def test_the_machine_of_one_person_may_have_the_demo(settings):
    settings.ALLOWED_HOSTS, settings.DEMO = ["127.0.0.1", "localhost", "[::1]"], True
    settings.SITE_URL = "http://127.0.0.1:8000"
    assert "consistent" in examine("settings")


def test_up_and_doctor_say_what_is_wrong_with_the_database(tmp_path):
    """A sentence in the server's own words, not a traceback."""
    given = {
        "DATABASE_URL": "postgres://nobody:secret-word@127.0.0.1:1/none",
        "PWSCUP_DATA_DIR": str(tmp_path),
    }
    for command in (["doctor", "--only", "database"], ["up", "--no-demo", "--address", "29999"]):
        done = subprocess.run(
            [sys.executable, "manage.py", *command],
            cwd=Path(__file__).resolve().parents[2],
            env=os.environ | given,
            capture_output=True,
            text=True,
            check=False,
        )
        said = done.stdout + done.stderr
        assert done.returncode == 1, said
        assert "Connection refused" in said
        assert "DATABASE_URL" in said
        assert "Traceback" not in said
        assert "secret-word" not in said
