# SPDX-License-Identifier: Apache-2.0
"""Small real objects for the web tests: the paper's four-record table as a contest's original."""

from __future__ import annotations

import hashlib
import re
from datetime import datetime, timedelta
from typing import Any

import numpy as np
from allauth.account.models import EmailAddress
from django.utils import timezone

from pwscup.accounts.models import Membership, Team, User
from pwscup.contests.models import Contest, Dataset, Round
from pwscup.core import audit_log
from pwscup.core.files import storage
from scoring.datasets.households import HOUSEHOLDS_SCHEMA, households
from scoring.proof.commitments import commitment
from scoring.rulesets import Ruleset, load_ruleset, parse_ruleset
from scoring.tables.schema import Role, Schema
from scoring.tables.writing import write_table

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
    ruleset: Ruleset | None = None,
) -> Contest:
    """A contest of the ruleset pwscup2015, or another one with its rounds, that stands in `phase`: before,
    anonymization, between, attack or after."""
    now = now or timezone.now()
    day = timedelta(days=1)
    start = (
        now - {"before": -1, "anonymization": 1, "between": 3, "attack": 5, "after": 9}[phase] * day
    )
    ruleset = ruleset or load_ruleset("pwscup2015")
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
    _make_rounds(contest, start)
    return contest


def _make_rounds(contest: Contest, start: datetime) -> None:
    """The rounds of the rules, each two days long and two days after the one before."""
    day = timedelta(days=1)
    for position, spec in enumerate(contest.ruleset.rounds):
        Round.objects.create(
            contest=contest,
            key=spec.key,
            kind=spec.kind,
            position=position,
            opens_at=start + 4 * position * day,
            closes_at=start + (4 * position + 2) * day,
            tries=spec.tries or spec.tries_per_target,
            tries_per_day=spec.tries_per_day,
            feedback=spec.feedback,
        )


LECTURE_SCHEMA = """
[[column]]
name = "name"
role = "identifier"
kind = "category"

[[column]]
name = "age"
role = "quasi_identifier"
kind = "integer"
min = 0
max = 120

[[column]]
name = "city"
role = "quasi_identifier"
kind = "category"

[[column]]
name = "balance"
role = "sensitive"
kind = "integer"
min = 0
max = 10000000
"""
# The lecture contest's hand-computed example and four more records.
LECTURE_EXAMPLE = b"age,city\n20,A\n30,A\n40,B\n50,B\n25,A\n35,B\n45,A\n55,B\n"
LECTURE_EXAMPLE_SCHEMA = """
[[column]]
name = "age"
role = "quasi_identifier"
kind = "integer"
min = 0
max = 120

[[column]]
name = "city"
role = "quasi_identifier"
kind = "category"
values = ["A", "B"]
"""
LECTURE_PHASES = ("before", "anonymization", "between", "attack", "late", "presentation", "after")


def lecture_table(n_records: int = 60) -> bytes:
    """A table under `LECTURE_SCHEMA` in which no name, town or balance occurs twice."""
    lines = [
        f"person-{n:03d},{18 + n % 50},town-{n * 7919 % 9973:04d},{(n + 3) * 104729 % 999983}"
        for n in range(n_records)
    ]
    return "\n".join(["name,age,city,balance", *lines, ""]).encode()


def without_gates(text: str) -> str:
    """A ruleset that admits every table, so that tests may submit theirs unchanged."""
    return re.sub(r"\[\[scoring\.gate\]\]\n(?:\w+ = .*\n)+\n", "", text)


def lecture_ruleset(sample: int = 10, decoys: int = 10) -> Ruleset:
    """The ruleset pets-lecture with smaller tables."""
    text = without_gates(load_ruleset("pets-lecture").text)
    for key, value in (("sample", sample), ("decoys", decoys)):
        text = re.sub(rf"(?m)^{key} = \d+", f"{key} = {value}", text)
    return parse_ruleset(text)


def cohort_ruleset(changes: dict[str, str] | None = None, **numbers: int) -> Ruleset:
    """The ruleset synthetic-cohort with smaller tables, and other texts in place of some."""
    text = without_gates(load_ruleset("synthetic-cohort").text)
    few = {"sample": 20, "shared": 10, "decoys": 20, "targets": 10, "controls": 10}
    for key, value in (few | numbers).items():
        text = re.sub(rf"(?m)^{key} = \d+", f"{key} = {value}", text)
    for old, new in (changes or {}).items():
        assert old in text, old
        text = text.replace(old, new)
    return parse_ruleset(text)


def make_cohort_contest(
    ruleset: Ruleset, *, organizer: User | None = None, n_records: int = 120
) -> Contest:
    """A contest with synthetic tables of households, whose round of synthesis has opened."""
    contest = Contest.objects.create(
        slug="cohort",
        title="Cohort",
        ruleset_text=ruleset.text,
        max_team_size=3,
        is_published=True,
    )
    if organizer is not None:
        contest.organizers.add(organizer)
    table = households(n_records, seed=7)
    original = write_table(table, HOUSEHOLDS_SCHEMA)
    attach_original(contest, original=original, schema=HOUSEHOLDS_SCHEMA.to_toml())
    _make_rounds(contest, timezone.now() - timedelta(days=1))
    return contest


def make_lecture_contest(
    slug: str = "lecture",
    *,
    organizer: User | None = None,
    now: datetime | None = None,
    phase: str = "anonymization",
    sample: int = 10,
    decoys: int = 10,
    original: bytes | None = None,
    schema: str = LECTURE_SCHEMA,
    ruleset: Ruleset | None = None,
) -> Contest:
    """A lecture contest that stands in one of `LECTURE_PHASES`; "late" is before the presentations."""
    now = now or timezone.now()
    day = timedelta(days=1)
    start = now - (2 * LECTURE_PHASES.index(phase) - 1) * day
    ruleset = ruleset or lecture_ruleset(sample, decoys)
    contest = Contest.objects.create(
        slug=slug,
        title="Lecture",
        ruleset_text=ruleset.text,
        max_team_size=3,
        is_published=True,
    )
    if organizer is not None:
        contest.organizers.add(organizer)
    attach_original(contest, original=original or lecture_table(), schema=schema)
    _make_rounds(contest, start)
    return contest


def give_table(team: Team, own: list[int], candidates: list[int]) -> Dataset:
    """A table of the team's own out of these 0-based rows of the organizer's, and candidates in this order."""
    from pwscup.formats.per_team.draw import tables_of
    from pwscup.submissions import draws

    source = team.contest.datasets.get(team=None)
    decoys = [row for row in candidates if row not in own]
    rows = (np.asarray(part) for part in (own, decoys, candidates))
    dataset = draws.attach(team, source, tables_of(team, source, *rows))
    assert dataset is not None
    return dataset


def attach_original(
    contest: Contest, *, original: bytes = ORIGINAL, schema: str = SCHEMA
) -> Dataset:
    columns = Schema.from_toml(schema).columns
    shown = [n for n, column in enumerate(columns) if column.role is not Role.IDENTIFIER]
    lines = [line.split(b",") for line in original.splitlines()]
    public = b"".join(b",".join(line[n] for n in shown) + b"\n" for line in lines)
    return Dataset.objects.create(
        contest=contest,
        sealed=storage.store(original, area=storage.Area.SEALED, name="original.csv"),
        public=storage.store(public, area=storage.Area.PUBLISHED, name="original.csv"),
        schema_text=schema,
        n_records=original.count(b"\n") - 1,
    )


def add_organizer(cast: Any, user: User, office: str = "organizer") -> None:
    """The person is invited by oscar to organize or judge the cast's contest, and accepts."""
    from pwscup.contests import services

    made = services.invite_to_office(
        actor=cast.oscar, contest=cast.contest, office=office, email=user.email
    )
    services.accept_office(user=user, invitation=made)


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


# A hidden table of 2 × 3 cells, 12 records; `secret` is no column that is disclosed.
DP_SCHEMA = """
[[column]]
name = "sex"
role = "quasi_identifier"
kind = "category"
values = ["F", "M"]

[[column]]
name = "age"
role = "quasi_identifier"
kind = "category"
values = ["young", "middle", "old"]

[[column]]
name = "city"
role = "quasi_identifier"
kind = "category"
values = ["A", "B"]

[[column]]
name = "secret"
role = "sensitive"
kind = "category"
"""
DP_COUNTS = tuple(zip("FFFMMM", ("young", "middle", "old") * 2, (1, 3, 0, 2, 5, 1), strict=True))
DP_ORIGINAL = (
    "sex,age,city,secret\n"
    + "".join(
        f"{sex},{age},{'AB'[n % 2]},canary-{sex}-{age}-{n}\n"
        for sex, age, count in DP_COUNTS
        for n in range(count)
    )
).encode()
DP_TRUTH = b"sex,age,count\n" + "".join(f"{s},{a},{n}\n" for s, a, n in DP_COUNTS).encode()
"""An estimate that is right."""


def dp_ruleset(epsilon: str = "1", errors: str = "1000000") -> Ruleset:
    """The ruleset dp-disclosure for the columns of `DP_SCHEMA`; of the usual ε for errors, their noise is 0.

    Without an ε for errors the rules are as they were before there was one.
    """
    text = load_ruleset("dp-disclosure").text
    noise = f'errors_epsilon = "{errors}"\n' if errors else ""
    text = re.sub(r"(?m)^errors_epsilon = .*\n", noise, text)
    text = re.sub(r'(?m)^epsilon = "[^"]*"', f'epsilon = "{epsilon}"', text)
    text = re.sub(r"(?m)^columns = .*$", 'columns = ["sex", "age", "city"]', text)
    text = re.sub(r"(?m)^target = .*$", 'target = ["sex", "age"]', text)
    return parse_ruleset(re.sub(r'(?m)^schema = "households"\n', "", text))


HOSPITAL_PEOPLE = 20
"""How many people each team has in a contest of `make_series_contest`."""
SERIES_PHASES = ("before", "release", "between", "attack", "after")


def series_ruleset(sample: int = HOSPITAL_PEOPLE, **changes: str) -> Ruleset:
    """The ruleset sequential-release for few people and m = 2, of whom any share may be left out or displaced.

    `changes` are lines of TOML by their key.
    """
    text = load_ruleset("sequential-release").text
    text = re.sub(r"(?m)^max_(?:deleted|displaced|counterfeits) = .*\n", "", text)
    for key, value in {"sample": str(sample), "m": "2", **changes}.items():
        text = re.sub(rf"(?m)^{key} = \S+", f"{key} = {value}", text)
    return parse_ruleset(text)


def hospital_tables(n_records: int = 60, n_tables: int = 3, seed: int = 1) -> bytes:
    """The archive that an organizer uploads: T1.csv, T2.csv …, of a made-up hospital."""
    from scoring.datasets.hospital import HOSPITAL_SCHEMA, hospital
    from scoring.formats.sequential.bundles import pack
    from scoring.tables.reading import write_table

    tables = hospital(n_records, n_tables, seed=seed)
    return pack({f"T{n}.csv": write_table(t, HOSPITAL_SCHEMA) for n, t in enumerate(tables, 1)})


SECRET = hashlib.sha256(b"contest 6").digest()
"""Teams that draw by it, twenty or twenty-four people each, get tables that every method can publish with m = 2."""


def commit(contest: Contest) -> None:
    """Commit to `SECRET`: which teams get which people is the same every time."""
    sealed = storage.store(SECRET.hex().encode(), area=storage.Area.SEALED, name="secret")
    contest.secret, contest.commitment = sealed, commitment(SECRET)
    contest.save(update_fields=["secret", "commitment"])
    audit_log.record(
        "contest.committed",
        contest_id=contest.pk,
        subject=contest.slug,
        commitment=contest.commitment,
    )


def make_series_contest(
    slug: str = "series",
    *,
    organizer: User | None = None,
    now: datetime | None = None,
    phase: str = "release",
    tables: bytes | None = None,
    rules: Ruleset | None = None,
) -> Contest:
    """A contest of sequential release that stands in one of `SERIES_PHASES`."""
    from pwscup.contests.services import attach_dataset
    from scoring.datasets.hospital import HOSPITAL_SCHEMA

    now = now or timezone.now()
    day = timedelta(days=1)
    start = now - (2 * SERIES_PHASES.index(phase) - 1) * day
    contest = Contest.objects.create(
        slug=slug,
        title="Sequential",
        ruleset_text=(rules or series_ruleset()).text,
        max_team_size=3,
        is_published=True,
    )
    if organizer is not None:
        contest.organizers.add(organizer)
    commit(contest)
    _make_rounds(contest, start)
    attach_dataset(
        actor=organizer, contest=contest, data=tables or hospital_tables(), schema=HOSPITAL_SCHEMA
    )
    return contest


def tables_of_team(team: Team) -> dict[int, bytes]:
    """The tables that a team downloads, by time."""
    from pwscup.submissions import draws
    from scoring.formats.sequential.bundles import unpack

    dataset = draws.ensure_drawn(team)
    assert dataset is not None
    assert dataset.public is not None
    return unpack(storage.read(dataset.public), "T", file="original")["T"]


def series_of_team(team: Team, *, m: int = 2, method: str = "m-invariance") -> bytes:
    """What a team hands in: releases of its tables by a method of the library."""
    from scoring.formats.sequential.bundles import pack
    from scoring.formats.sequential.publishing import Options, publish
    from scoring.formats.sequential.series import handed_in, of_publication
    from scoring.formats.sequential.series_files import read_tables

    schema = team.contest.datasets.get(team=None).schema
    tables = {f"T{n}.csv": data for n, data in tables_of_team(team).items()}
    done = publish(read_tables(pack(tables), schema), Options(m, method))
    return pack(handed_in(of_publication(done), "patient"))


DP_PHASES = ("before", "batch", "between", "interactive", "after")


def make_dp_contest(
    slug: str = "dp",
    *,
    organizer: User | None = None,
    now: datetime | None = None,
    phase: str = "interactive",
    epsilon: str = "1",
    errors: str = "1000000",
) -> Contest:
    """A contest about a hidden table that stands in one of `DP_PHASES`."""
    now = now or timezone.now()
    day = timedelta(days=1)
    start = now - (2 * DP_PHASES.index(phase) - 1) * day
    ruleset = dp_ruleset(epsilon, errors)
    contest = Contest.objects.create(
        slug=slug, title="Disclosure", ruleset_text=ruleset.text, max_team_size=3, is_published=True
    )
    if organizer is not None:
        contest.organizers.add(organizer)
    attach_original(contest, original=DP_ORIGINAL, schema=DP_SCHEMA)
    _make_rounds(contest, start)
    return contest
