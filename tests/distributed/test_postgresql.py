"""Pages, boards and jobs on PostgreSQL: what SQLite lets pass — sums as decimals, locks, orders — shows here."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

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
    "test_series_draws.py",
    "test_submission_pages.py",
)

pytestmark = [pytest.mark.xdist_group("distributed"), pytest.mark.timeout(LIMIT_SECONDS + 60)]


def test_the_web_tests_hold_on_postgresql_too(postgresql):
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"),
            *(f"tests/web/{name}" for name in FILES),
        ],
        cwd=ROOT,
        env=os.environ | {"DATABASE_URL": postgresql.url},
        capture_output=True,
        text=True,
        timeout=LIMIT_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-6000:]
