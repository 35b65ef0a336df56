# SPDX-License-Identifier: Apache-2.0
"""The lecture contest in tests: its hand-computed example, and short ways through its rounds."""

from __future__ import annotations

import csv
import io
import json
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

from django.conf import settings
from django.utils import timezone

from pwscup.accounts.models import Team, User
from pwscup.contests.models import Contest, Round
from pwscup.contests.teams import tables
from pwscup.core.files import storage
from pwscup.submissions import releases, services
from pwscup.submissions.models import Release, Submission
from tests import factories
from tests.web import pipeline
from tests.web.pipeline import round_of

# Record 1 stays, record 2 moves its age, record 3 its city, record 4 is deleted: LOSS 5/12.
ANONYMIZED = b"age,city\n20,A\n40,A\n40,A\n,\n"
LOSS = 5 / 12
OWN = {"Red": [0, 1, 2, 3], "Blue": [4, 5, 6, 7]}
CANDIDATES = {"Red": [4, 3, 0, 6, 2, 1, 7, 5], "Blue": [0, 4, 1, 5, 2, 6, 3, 7]}


def example(cast: Any, **kwargs: Any) -> SimpleNamespace:
    """The cast in the hand-computed example: tables of four records, of which Red has the note's."""
    contest = factories.make_lecture_contest(
        organizer=cast.oscar,
        original=factories.LECTURE_EXAMPLE,
        schema=factories.LECTURE_EXAMPLE_SCHEMA,
        **kwargs,
    )
    played = pipeline.two_teams(cast, contest)
    for team in (played.red, played.blue):
        factories.give_table(team, OWN[team.name], CANDIDATES[team.name])
    return played


def contest_of(cast: Any, **kwargs: Any) -> SimpleNamespace:
    """The cast in a lecture contest with tables of ten records and ten decoys."""
    contest = factories.make_lecture_contest(organizer=cast.oscar, **kwargs)
    return pipeline.two_teams(cast, contest)


def hand_in(user: User | None, team: Team, table: bytes, **kwargs: Any) -> Submission:
    """An aligned table, handed in now."""
    given = {"arrived_at": timezone.now(), "files": {"anonymized": ("y.csv", table)}} | kwargs
    return services.submit(
        user=user, team=team, round=round_of(team.contest, "anonymization"), **given
    )


def own_table(team: Team) -> bytes:
    """The team's table as it gets it."""
    return storage.read(tables.table_of(team).public)


def drawn(team: Team) -> dict[str, list[int]]:
    """The rows that were drawn for a team."""
    key = tables.draw_of(team).sealed
    return json.loads((settings.PRIVATE_ROOT / key.path).read_bytes())


def records_of(data: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline="")))


def open_attack(contest: Contest) -> Round:
    """Close the anonymization round, open the attack round."""
    now = timezone.now()
    hour = timedelta(hours=1)
    pipeline.move(round_of(contest, "anonymization"), now - 5 * hour, now - 2 * hour)
    attack = round_of(contest, "attack")
    pipeline.move(attack, now - hour, now + hour)
    return attack


def publish(contest: Contest) -> dict[str, Release]:
    """Open the attack and publish; the releases by team name."""
    return {release.team.name: release for release in releases.publish(open_attack(contest))}


def key_of(release: Release) -> list[int]:
    """The 0-based candidate of each line, -1 for a deleted record."""
    return json.loads((settings.PRIVATE_ROOT / release.key.path).read_bytes())["source"]


def guess_file(lines: list[int]) -> bytes:
    """0-based candidates, -1 for no guess."""
    return "".join(f"{line + 1}\n" for line in lines).encode()
