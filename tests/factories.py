"""Small real objects for the web tests: the paper's four-record table as a contest's original."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from allauth.account.models import EmailAddress
from django.utils import timezone

from pwscup.accounts.models import Membership, Team, User
from pwscup.contests.models import Contest, Dataset, Round
from pwscup.core import storage
from scoring.rulesets import load_ruleset

SCHEMA = """
[[column]]
name = "qi1"
role = "quasi_identifier"
kind = "category"
cross = true
values = ["1", "2"]

[[column]]
name = "qi2"
role = "quasi_identifier"
kind = "category"
cross = true
values = ["1", "2"]

[[column]]
name = "qi3"
role = "quasi_identifier"
kind = "category"
values = ["1", "2"]

[[column]]
name = "sa1"
role = "sensitive"
kind = "integer"
min = 0
max = 1000

[[column]]
name = "sa2"
role = "sensitive"
kind = "integer"
min = 0
max = 1000

[attacks]
e2_column = "sa1"
e4_column = "sa2"
"""
# "Proposal on Re-identification method by using Euclidean distance", Tables 2a, 2b and 8.
ORIGINAL = b"qi1,qi2,qi3,sa1,sa2\n2,1,1,100,100\n2,1,1,200,400\n1,1,2,300,200\n1,1,2,400,500\n"
NOISY = b"qi1,qi2,qi3,sa1,sa2\n2,1,1,110,90\n2,1,1,220,390\n1,1,2,280,210\n1,1,2,390,520\n"
AVERAGED = b"qi1,qi2,qi3,sa1,sa2\n2,1,1,150,250\n2,1,1,150,250\n1,1,2,350,350\n1,1,2,350,350\n"
ROWS = b"row\n1\n2\n3\n4\n"

PASSWORD = "correct-horse-battery"


def make_user(name: str, **fields: Any) -> User:
    """A person with a verified address `name@example.org`."""
    email = f"{name}@example.org"
    user = User.objects.create_user(email, PASSWORD, display_name=name.capitalize(), **fields)
    EmailAddress.objects.create(user=user, email=email, verified=True, primary=True)
    return user


def make_contest(
    slug: str = "cup",
    *,
    organizer: User | None = None,
    now: datetime | None = None,
    phase: str = "anonymization",
    published: bool = True,
    original: bytes = ORIGINAL,
    schema: str = SCHEMA,
) -> Contest:
    """A contest of the ruleset pwscup2015 that stands in `phase`: before, anonymization, between, attack or after."""
    now = now or timezone.now()
    day = timedelta(days=1)
    start = (
        now - {"before": -1, "anonymization": 1, "between": 3, "attack": 5, "after": 9}[phase] * day
    )
    ruleset = load_ruleset("pwscup2015")
    contest = Contest.objects.create(
        slug=slug,
        title="Test Cup",
        title_ja="テスト杯",
        ruleset_text=ruleset.text,
        max_team_size=3,
        is_published=published,
    )
    if organizer is not None:
        contest.organizers.add(organizer)
    attach_original(contest, original=original, schema=schema)
    for position, spec in enumerate(ruleset.rounds):
        Round.objects.create(
            contest=contest,
            key=spec.key,
            kind=spec.kind,
            position=position,
            opens_at=start + 4 * position * day,
            closes_at=start + (4 * position + 2) * day,
            tries=spec.tries or spec.tries_per_target,
            feedback=spec.feedback,
        )
    return contest


def attach_original(
    contest: Contest, *, original: bytes = ORIGINAL, schema: str = SCHEMA
) -> Dataset:
    return Dataset.objects.create(
        contest=contest,
        sealed=storage.store(original, area=storage.Area.SEALED, name="original.csv"),
        public=storage.store(original, area=storage.Area.PUBLISHED, name="original.csv"),
        schema_text=schema,
        n_records=original.count(b"\n") - 1,
    )


def make_team(contest: Contest, name: str, *members: User) -> Team:
    """A team whose first member is the captain."""
    team = Team.objects.create(
        contest=contest,
        name=name,
        slug=name.lower().replace(" ", "-"),
        captain=members[0] if members else None,
    )
    for user in members:
        Membership.objects.create(team=team, user=user, contest=contest)
    return team
