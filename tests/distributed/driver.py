# SPDX-License-Identifier: Apache-2.0
"""The site's side of the distributed tests: reads a command in JSON from each line, answers with a line."""

from __future__ import annotations

import json
import sys
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import django

django.setup()  # before models can be imported

# ruff: noqa: E402
from django.core.management import call_command
from django.db import connection, transaction
from django.utils import timezone

from pwscup.core.db import revisions
from pwscup.core.jobs.kinds import run_job
from pwscup.core.models import Event
from pwscup.core.sending import send_soon
from pwscup.submissions import services
from pwscup.submissions.models import Evaluation, Submission
from tests import factories
from tests.database import copy_migrated

FILES = {"anonymized": ("y.csv", factories.NOISY), "rows": ("rows.csv", factories.ROWS)}


def set_up() -> None:
    if connection.vendor == "sqlite":
        copy_migrated(Path(connection.settings_dict["NAME"]))
    call_command("migrate", verbosity=0)
    user = factories.make_user("alice")
    contest = factories.make_contest()
    factories.make_team(contest, "Red", user)
    contest.rounds.update(tries=1000)


def hand_in(note: str = "") -> Submission:
    team = factories.Team.objects.get()
    return services.submit(
        user=team.captain,
        team=team,
        round=team.contest.rounds.get(key="anonymization"),
        files=FILES,
        arrived_at=timezone.now(),
        note=note,
    )


def submit(n: int = 1, note: str = "") -> dict[str, Any]:
    """Submit so many tables; their keys."""
    return {"keys": [hand_in(note).pk for _ in range(n)]}


def race(n: int) -> dict[str, Any]:
    """Hand in from many threads at once with one try left."""
    used = Submission.objects.exclude(state__in=["rejected", "failed", "cancelled"]).count()
    factories.Round.objects.filter(key="anonymization").update(tries=used + 1)
    barrier, outcomes = threading.Barrier(n), []

    def upload() -> None:
        try:
            barrier.wait()
            hand_in()
            outcomes.append("taken")
        except services.SubmissionRefused as refused:
            outcomes.append(refused.code)
        finally:
            connection.close()

    threads = [threading.Thread(target=upload) for _ in range(n)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    factories.Round.objects.update(tries=1000)
    return dict(Counter(outcomes))


def stand_still() -> None:
    """Change facts of the contest in a transaction that never goes on."""
    changed = threading.Event()

    def change() -> None:
        with transaction.atomic():
            revisions.touch(factories.Contest.objects.get().pk)
            changed.set()
            threading.Event().wait()

    threading.Thread(target=change, daemon=True).start()
    changed.wait()


def duplicate(times: int = 2) -> None:
    """Send every message again."""
    for pk in Submission.objects.order_by("pk").values_list("pk", flat=True):
        for _ in range(times):
            send_soon(run_job, "submissions.submission", pk, queue="scoring")


def states(keys: list[int]) -> list[str]:
    found = Submission.objects.filter(pk__in=keys)
    return list(found.order_by("pk").values_list("state", flat=True))


def rows(keys: list[int]) -> list[dict[str, Any]]:
    """What became of submissions."""
    found = Submission.objects.filter(pk__in=keys).order_by("pk")
    return [
        {
            "state": submission.state,
            "attempts": submission.attempts,
            "fence": submission.fence,
            "reference": submission.reference,
            "evaluations": Evaluation.objects.filter(submission=submission).count(),
            "scored": Event.objects.filter(
                kind="submission.scored", subject=str(submission.public_id)
            ).count(),
        }
        for submission in found
    ]


COMMANDS = {
    "set_up": set_up,
    "submit": submit,
    "race": race,
    "stand_still": stand_still,
    "duplicate": duplicate,
    "states": states,
    "rows": rows,
}


def serve(commands: Mapping[str, Callable[..., Any]]) -> None:
    """Answer each line until there are no more."""
    for line in sys.stdin:
        command = json.loads(line)
        answer = commands[command.pop("do")](**command)
        print(json.dumps(answer), flush=True)  # noqa: T201


if __name__ == "__main__":
    serve(COMMANDS)
