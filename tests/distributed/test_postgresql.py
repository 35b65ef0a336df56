# SPDX-License-Identifier: Apache-2.0
"""Pages, boards and jobs on PostgreSQL: what SQLite lets pass — sums as decimals, locks, orders — shows here."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.db.utils import ConnectionHandler

from pwscup import env
from tests import services
from tests.every import some

LIMIT_SECONDS = 1800
ROOT = Path(__file__).resolve().parents[2]
FILES = (
    "test_permissions.py",
    "test_boards_kept.py",
    "test_boards_rebuild.py",
    "test_boards_stages.py",
    "test_rescores.py",
    "test_disclosure.py",
    "test_disclosure_concurrency.py",
    "test_sent_twice.py",
    "test_submit_at_once.py",
    "test_returning.py",
    "test_refused_files.py",
    "test_queue.py",
    "test_prepared.py",
    "test_series_draws.py",
    "test_submission_pages.py",
)
# What locks rows, claims work and runs at the same time. What else these files ask of the database is left for
# `make test-long`; they run on SQLite each time.
NOW = (
    "test_queue or test_sent_twice or test_submit_at_once or test_disclosure_concurrency"
    " or test_boards_kept or test_prepared or test_rescores"
)

pytestmark = [pytest.mark.timeout(LIMIT_SECONDS + 60)]


@pytest.mark.parametrize("which", some(1, [NOW, f"not ({NOW})"]))
def test_the_web_tests_hold_on_postgresql_too(postgresql, which):
    done = subprocess.run(
        [
            *(
                sys.executable,
                "-m",
                "pytest",
                "-q",
                "--no-migrations",
                "-p",
                "no:cacheprovider",
                "-p",
                "no:xdist",
            ),
            *(f"tests/web/{name}" for name in FILES),
            *("-k", which),
        ],
        cwd=ROOT,
        env=os.environ | {"DATABASE_URL": postgresql.url},
        capture_output=True,
        text=True,
        timeout=LIMIT_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-6000:]


def test_a_connection_that_the_server_ended_is_noticed_without_asking_it(
    postgresql, django_db_blocker, monkeypatch
):
    monkeypatch.setenv("DATABASE_URL", postgresql.url)
    with django_db_blocker.unblock():
        handler = ConnectionHandler({"default": env.database(), "other": env.database()})
        one, other = handler["default"], handler["other"]
        assert not one.is_usable()  # it is not open yet
        one.ensure_connection()
        pid = one.connection.info.backend_pid
        with monkeypatch.context() as silent:
            silent.setattr(one.connection, "cursor", None)  # asking the server would fail
            assert one.is_usable()
        with other.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(%s)", [pid])
        services.wait_until(lambda: not one.is_usable(), "the connection ends")
        one.close_if_unusable_or_obsolete()
        one.health_check_done = False
        with one.cursor() as cursor:  # which opens another
            cursor.execute("SELECT 1")
            assert cursor.fetchone() == (1,)
        handler.close_all()
