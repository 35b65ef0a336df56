# SPDX-License-Identifier: Apache-2.0
"""A contest of sequential release in tests: short ways through its rounds."""

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
from pwscup.contests.models import Contest
from pwscup.submissions import releases, services
from pwscup.submissions.models import Release, Submission
from scoring.formats.sequential.bundles import pack, unpack
from tests import factories
from tests.web import pipeline
from tests.web.pipeline import round_of

BACKGROUND = "patient,age,zip"


def contest_of(cast: Any, **kwargs: Any) -> SimpleNamespace:
    """The cast in a contest of sequential release, in which each team has twenty people at three times."""
    contest = factories.make_series_contest(organizer=cast.oscar, **kwargs)
    return pipeline.two_teams(cast, contest)


def hand_in(user: User | None, team: Team, series: bytes, **kwargs: Any) -> Submission:
    """A series, handed in now."""
    given = {"arrived_at": timezone.now(), "files": {"series": ("r.zip", series)}} | kwargs
    return services.submit(
        user=user, team=team, round=round_of(team.contest, "anonymization"), **given
    )


def publish(contest: Contest) -> dict[str, Release]:
    """Close the first round, open the attack and publish; the releases by team name."""
    now, hour = timezone.now(), timedelta(hours=1)
    pipeline.move(round_of(contest, "anonymization"), now - 5 * hour, now - 2 * hour)
    attack = round_of(contest, "attack")
    pipeline.move(attack, now - hour, now + hour)
    return {release.team.name: release for release in releases.publish(attack)}


def tables_of(team: Team) -> dict[int, list[dict[str, str]]]:
    """The records of a team, by time."""
    return {
        time: list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline="")))
        for time, data in factories.tables_of_team(team).items()
    }


def values_of(team: Team) -> dict[str, str]:
    """Everybody's sensitive value."""
    return {r["patient"]: r["disease"] for table in tables_of(team).values() for r in table}


def key_of(release: Release) -> dict[str, dict[str, str]]:
    """What is sealed of a release: the values of its people, and the guesses that anybody can make."""
    return json.loads((settings.PRIVATE_ROOT / release.key.path).read_bytes())


def guess_file(guess: dict[str, str]) -> bytes:
    return "".join(["id,value\n", *(f"{id_},{value}\n" for id_, value in guess.items())]).encode()


def parts(series: bytes) -> dict[str, bytes]:
    """The files of a series by their names."""
    found = unpack(series, "RCND", file="series")
    return {
        f"{letter}{n}.csv": data for letter, files in found.items() for n, data in files.items()
    }


def changed(series: bytes, name: str, before: bytes, after: bytes) -> bytes:
    """A series of which one file was edited."""
    files = parts(series)
    assert before in files[name]
    return pack(files | {name: files[name].replace(before, after)})
