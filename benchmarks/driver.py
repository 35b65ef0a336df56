# SPDX-License-Identifier: Apache-2.0
"""The distributed tests' driver with a contest of 8,333 records, for the throughput of workers."""

from __future__ import annotations

import tests.distributed.driver as small  # sets Django up  # isort: skip
import tempfile
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.core.management import call_command

from benchmarks.cases import case
from pwscup.submissions import services
from tests import factories

N_RECORDS = 8_333


def _folder() -> Path:
    return Path(tempfile.mkdtemp(prefix="pwscup-bench-"))


def set_up() -> dict[str, Any]:
    """A contest, and a team with unlimited attempts."""
    call_command("migrate", verbosity=0)
    drawn = case("13", N_RECORDS, _folder())
    contest = factories.make_contest(original=drawn.original, schema=drawn.schema.to_toml())
    factories.make_team(contest, "Red", factories.make_user("alice"))
    contest.rounds.update(tries=10_000)
    return {"n_records": N_RECORDS}


def submit(n: int) -> dict[str, Any]:
    """Hand the same table in again and again; the keys of the submissions."""
    drawn = case("13", N_RECORDS, _folder())
    files = {"anonymized": ("y.csv", drawn.anonymized), "rows": ("rows.csv", drawn.rows)}
    team = factories.Team.objects.get()
    round = team.contest.rounds.get(key="anonymization")
    arrived_at = round.opens_at + timedelta(hours=1)
    keys = [
        services.submit(
            user=team.captain, team=team, round=round, files=files, arrived_at=arrived_at
        ).pk
        for _ in range(n)
    ]
    return {"keys": keys}


if __name__ == "__main__":
    small.serve({"set_up": set_up, "submit": submit, "rows": small.rows, "states": small.states})
