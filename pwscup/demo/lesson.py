# SPDX-License-Identifier: Apache-2.0
"""The finished lesson among the demos: four teams with tables of their own, who then presented to two judges."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING

from pwscup.bots.cast import Bot
from pwscup.contests import services as contests
from pwscup.submissions import services
from pwscup.submissions.judging import grades

if TYPE_CHECKING:
    from pwscup.accounts.models import User
    from pwscup.contests.models import Contest

LECTURE = "demo-lecture"
N_RECORDS = 1200
MINUTES = (45, 30, 60)
"""The lengths of the rounds, from one o'clock."""
FIRST_HOUR = 13

TEAMS = {
    "Aoi": Bot(
        "Aoi",
        (
            ("record-suppression", {"k": 2, "columns": ("household_size", "age_class")}),
            ("qi-unification", {"columns": ("dwelling",)}),
        ),
        "EUC1",
        "record-suppression k=2, qi-unification dwelling",
    ),
    "Midori": Bot("Midori", (("local-laplace", {"epsilon": 8.0}),), "EUC2", "local-laplace ε = 8"),
    "Akane": Bot(
        "Akane",
        (("generalized-randomized-response", {"epsilon": 6.0}),),
        "E2",
        "generalized-randomized-response ε = 6",
    ),
    "Kohaku": Bot(
        "Kohaku", (("mondrian", {"k": 4}), ("class-average", {})), "E1", "mondrian k=4, averages"
    ),
}
"""The teams, and the bots that played for them."""

GRADES = {
    "Aoi": ((85, 80, 90), (75, 80, 85)),
    "Midori": ((90, 85, 70), (80, 90, 75)),
    "Akane": ((70, 75, 80), (65, 80, 85)),
    "Kohaku": ((80, 95, 75), (85, 90, 80)),
}
"""By team, the grades of each judge, in the order of the criteria."""


def plan(contest: Contest, organizer: User, now: datetime) -> None:
    """The rounds follow each other without breaks on the afternoon of the day before, in the contest's time zone."""
    yesterday = now.astimezone(contest.tz) - timedelta(days=1)
    plans, opens_at = [], yesterday.replace(hour=FIRST_HOUR, minute=0, second=0, microsecond=0)
    for round, minutes in zip(contest.rounds.order_by("position"), MINUTES, strict=True):
        closes_at = opens_at + timedelta(minutes=minutes)
        found = contests.plan_of(round)
        plans.append(replace(found, opens_at=opens_at, closes_at=closes_at))
        opens_at = closes_at
    contests.update_rounds(actor=organizer, contest=contest, plans=plans)


def present(contest: Contest, judges: list[User]) -> None:
    """The first team's slides, and the grades of every judge, all while the round was open."""
    round = contest.rounds.get(kind="presentation")
    teams = {team.name: team for team in contest.teams.filter(is_house=False)}
    first = teams["Aoi"]
    services.submit(
        user=first.captain,
        team=first,
        round=round,
        files={"slides": ("aoi.pdf", slides("Team Aoi: small classes are deleted"))},
        arrived_at=round.opens_at,
    )
    criteria = [criterion.key for criterion in round.spec.criteria]
    for number, judge in enumerate(judges):
        given = {
            (teams[name].pk, key): Decimal(points)
            for name, by_judge in GRADES.items()
            for key, points in zip(criteria, by_judge[number], strict=True)
        }
        during = round.opens_at + timedelta(minutes=number)
        grades.save(user=judge, round=round, given=given, seen=0, now=during)


def slides(title: str) -> bytes:
    """A PDF of one page with a title in ASCII."""
    text = f"BT /F1 28 Tf 60 300 Td ({title}) Tj ET".encode()
    objects = (
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 720 405] /Contents 4 0 R "
        b"/Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(text), text),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    )
    data, offsets = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, start=1):
        offsets.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    return data + (
        b"xref\n0 %d\n0000000000 65535 f \n%strailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n"
        % (len(objects) + 1, table, len(objects) + 1, len(data))
    )
