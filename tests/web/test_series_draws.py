# SPDX-License-Identifier: Apache-2.0
"""Each team's own people of a series: no two teams share one, whoever draws, however many draw at once."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import threading
from datetime import timedelta
from functools import partial

import numpy as np
import pytest
from django.conf import settings as django_settings
from django.db import connection
from django.utils import timezone
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from pwscup.accounts import services as accounts
from pwscup.accounts.models import Team, User
from pwscup.contests import services
from pwscup.contests.models import Contest, Dataset
from pwscup.contests.services import ContestRefused
from pwscup.contests.teams import tables as team_tables
from pwscup.core import seals
from pwscup.core.files import storage
from pwscup.core.models import Event, StoredFile
from pwscup.formats.series import people
from pwscup.submissions import draws
from pwscup.submissions.proof import reveals
from scoring.datasets.hospital import HOSPITAL_SCHEMA
from scoring.formats.sequential.bundles import pack, unpack
from scoring.proof.commitments import derived_seed
from scoring.proof.reveals import checks_of_reveal, checks_of_reveal_in_trail, read_reveal
from scoring.tables.schema import Column, Kind, Role, Schema
from tests import factories
from tests.every import examples
from tests.web import pipeline

pytestmark = pytest.mark.usefixtures("sent")
PEOPLE = factories.HOSPITAL_PEOPLE


def teams_of(contest: Contest, n: int) -> list[Team]:
    first = User.objects.count()
    return [
        factories.make_team(contest, f"T{number}", factories.make_user(f"user{number}"))
        for number in range(first, first + n)
    ]


def records(files: dict[int, bytes]) -> dict[int, list[dict[str, str]]]:
    """The records of each table, by time."""
    return {
        time: list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline="")))
        for time, data in files.items()
    }


def people_of(team: Team) -> set[str]:
    return ids_of(factories.tables_of_team(team))


def ids_of(files: dict[int, bytes]) -> set[str]:
    return {record["patient"] for table in records(files).values() for record in table}


def organizers_tables(contest: Contest) -> dict[int, bytes]:
    sealed = contest.datasets.get(team=None).sealed
    return unpack((django_settings.PRIVATE_ROOT / sealed.path).read_bytes(), "T", file="t")["T"]


def parts_of(contest: Contest) -> list[int]:
    draws_of_teams = contest.datasets.filter(key=team_tables.DRAW).order_by("pk")
    return list(draws_of_teams.values_list("part", flat=True))


@pytest.fixture
def contest(cast) -> Contest:
    return factories.make_series_contest(organizer=cast.oscar)


def test_a_team_has_all_records_of_its_own_people_and_of_nobody_else(contest):
    whole = records(organizers_tables(contest))
    teams = teams_of(contest, 3)
    assert draws.draw_due() == 3
    mine = {team.pk: people_of(team) for team in teams}
    assert {len(people) for people in mine.values()} == {PEOPLE}
    assert len(set().union(*mine.values())) == 3 * PEOPLE
    for team in teams:
        found = records(factories.tables_of_team(team))
        assert found == {
            time: [record for record in table if record["patient"] in mine[team.pk]]
            for time, table in whole.items()
        }
        dataset = team_tables.table_of(team)
        assert (dataset.n_tables, dataset.n_people) == (3, PEOPLE)
        assert dataset.n_records == sum(map(len, found.values()))
        assert dataset.part is None
    assert parts_of(contest) == [1, 2, 3]


@pytest.mark.long
@given(
    lives=st.lists(
        st.sampled_from([(0, 0), (0, 1), (0, 2), (1, 2), (2, 2)]), min_size=20, max_size=50
    ),
    sample=st.integers(10, 20),
)
@settings(max_examples=examples(0.15), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_two_teams_never_share_a_person(cast, lives, sample):
    """Whoever is in the tables when; the teams draw until nobody is left, or a table would be empty."""
    tables = [["patient,age,zip,disease"] for _ in range(3)]
    for person, times in enumerate(lives):
        for time in range(times[0], times[1] + 1):
            tables[time].append(f"p{person},40,12000,flu")
    assume(all(len(table) > 1 for table in tables))
    data = pack({f"T{n}.csv": "\n".join([*t, ""]).encode() for n, t in enumerate(tables, 1)})
    Contest.objects.filter(slug="drawn").delete()
    rules = factories.series_ruleset(sample=sample)
    contest = factories.make_series_contest("drawn", tables=data, rules=rules)
    for number in range(len(lives) // sample + 1):
        Team.objects.create(contest=contest, name=f"N{number}", slug=f"n{number}", is_house=True)
    n_drawn = draws.draw_due()
    drawn = [team for team in contest.teams.all() if team_tables.table_of(team)]
    assert n_drawn == len(drawn) <= len(lives) // sample
    found = [people_of(team) for team in drawn]
    assert [len(people) for people in found] == [sample] * len(drawn)
    assert len(set().union(*found)) == sample * len(drawn)
    assert draws.draw_due() == 0
    assert all(all(records(factories.tables_of_team(team)).values()) for team in drawn)


def test_nobody_is_left_after_the_last_part(contest, as_user):
    n_parts = contest.datasets.get(team=None).n_people // PEOPLE
    teams = teams_of(contest, n_parts + 1)
    assert draws.draw_due() == n_parts
    assert draws.ensure_drawn(teams[-1]) is None
    assert draws.draw_due() == 0
    member = as_user(teams[-1].captain)
    for address in ("", "round/release/", "rules/"):
        assert member.get(f"/c/series/{address}").status_code == 200
    assert member.get(team_tables.url_of(teams[-1], "original")).status_code == 404
    assert parts_of(contest) == list(range(1, n_parts + 1))


def test_no_part_is_given_twice_though_its_team_is_gone(contest):
    first, second = teams_of(contest, 2)
    gone = people_of(first) | people_of(second)
    second.delete()
    first.datasets.all().delete()
    first.delete()
    (third,) = teams_of(contest, 1)
    assert people_of(third).isdisjoint(gone)
    assert parts_of(contest) == [3]


def test_teams_that_everybody_has_left_get_no_people(contest):
    (left, stays) = teams_of(contest, 2)
    accounts.leave_team(user=left.captain, team=left)
    assert draws.draw_due() == 1
    assert team_tables.table_of(left) is None
    assert team_tables.table_of(stays) is not None


def test_the_tables_are_the_organizers_to_replace_until_one_is_drawn(contest, cast):
    other = factories.hospital_tables(seed=2)
    given = {"actor": cast.oscar, "contest": contest, "schema": HOSPITAL_SCHEMA}
    services.attach_dataset(data=other, **given)
    (team,) = teams_of(contest, 1)
    ids = ids_of(unpack(other, "T", file="t")["T"])
    assert people_of(team) <= ids
    with pytest.raises(ContestRefused):
        services.attach_dataset(data=factories.hospital_tables(seed=3), **given)


def test_tables_that_were_replaced_while_a_part_was_drawn_are_not_given(contest, cast, monkeypatch):
    (team,) = teams_of(contest, 1)
    other, part = factories.hospital_tables(seed=2), people.Split.part

    def slow(split, number):
        drawn = part(split, number)
        if not replaced:
            replaced.append(True)
            services.attach_dataset(
                actor=cast.oscar, contest=contest, data=other, schema=HOSPITAL_SCHEMA
            )
        return drawn

    replaced: list[bool] = []
    monkeypatch.setattr(people.Split, "part", slow)
    assert draws.ensure_drawn(team) is None
    assert not StoredFile.objects.filter(name=team_tables.team_file(team, "original")).exists()
    assert draws.draw_due() == 1
    ids = ids_of(unpack(other, "T", file="t")["T"])
    assert people_of(team) <= ids


def test_an_id_has_one_spelling_at_all_times(cast):
    """A number that is written in two ways is one person, and is given to one team."""
    schema = Schema(
        (Column("patient", Role.IDENTIFIER, Kind.INTEGER), *HOSPITAL_SCHEMA.columns[1:])
    )
    header = b"patient,age,zip,disease\r\n"
    lines = [
        [f"{'' if time else '0'}{person},40,12000,flu\r\n".encode() for person in range(1, 41)]
        for time in range(2)
    ]
    data = pack({f"T{n}.csv": header + b"".join(table) for n, table in enumerate(lines, 1)})
    contest = factories.make_series_contest()
    services.attach_dataset(actor=cast.oscar, contest=contest, data=data, schema=schema)
    assert contest.datasets.get(team=None).n_people == 40
    for team in teams_of(contest, 2):
        found = records(factories.tables_of_team(team))
        assert found[1] == found[2]
        assert len(found[1]) == PEOPLE


def test_the_same_secret_gives_the_same_parts(contest, cast):
    teams = teams_of(contest, 3)
    draws.draw_due()
    before = [storage.read(team_tables.table_of(team).public) for team in teams]
    Dataset.objects.filter(team__isnull=False).delete()
    contest.datasets.update(part=None)
    assert draws.draw_due() == 3
    assert [storage.read(team_tables.table_of(team).public) for team in teams] == before


def test_what_was_drawn_can_be_verified_when_the_secret_is_published(cast):
    contest = factories.make_series_contest(organizer=cast.oscar)
    teams_of(contest, 2)
    draws.draw_due()
    for round in contest.rounds.all():
        pipeline.move(round, *(timezone.now() - timedelta(days=days) for days in (3, 2)))
    contest = Contest.objects.get(pk=contest.pk)
    reveals.publish_reveal(actor=cast.oscar, contest=contest)
    reveal = read_reveal(storage.read(contest.reveal))
    assert [seed["purpose"] for seed in reveal["seeds"]] == ["people"]
    assert [check for check in checks_of_reveal(reveal) if not check.holds] == []
    trail = list(seals.chain(contest.pk))
    assert [c for c in checks_of_reveal_in_trail(reveal, trail) if not c.holds] == []
    assert_parts_follow_from(bytes.fromhex(reveal["secret"]), contest)


def assert_parts_follow_from(secret: bytes, contest: Contest) -> None:
    """The part of each team, from nothing but the secret, the organizer's tables and NumPy."""
    ids = ids_of(organizers_tables(contest))
    order = np.random.default_rng(derived_seed(secret, "people")).permutation(len(ids))
    for draw in contest.datasets.filter(key=team_tables.DRAW):
        own = np.sort(order[(draw.part - 1) * PEOPLE : draw.part * PEOPLE])
        data = (django_settings.PRIVATE_ROOT / draw.sealed.path).read_bytes()
        assert json.loads(data) == {"people": own.tolist()}
        assert {sorted(ids)[position] for position in own} == people_of(draw.team)
        event = Event.objects.get(kind="table.drawn", subject=f"team {draw.team.slug}")
        assert event.data["draw_sha256"] == hashlib.sha256(data).hexdigest()


def test_one_look_at_the_organizers_tables_serves_all_teams(contest):
    teams_of(contest, 4)
    assert draws.draw_due() == 4
    reads = Event.objects.filter(kind="truth.read", contest_id=contest.pk)
    assert reads.filter(data__reason="drawing the tables of teams").count() == 1
    assert reads.filter(data__purpose="people").count() == 1
    assert draws.draw_due() == 0
    assert reads.filter(data__purpose="people").count() == 1


# At once


def at_once(work: list) -> list:
    """What became of each call, all begun at the same moment in threads of their own."""
    gate, outcomes = threading.Barrier(len(work)), [None] * len(work)

    def run(place, call):
        try:
            gate.wait()
            outcomes[place] = call()
        except Exception as error:  # a fault of a thread is a result, to be looked at below
            outcomes[place] = error
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=item) for item in enumerate(work)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return outcomes


def drawn_anew(team: Team) -> Dataset | None:
    return draws.ensure_drawn(Team.objects.get(pk=team.pk))


@pytest.mark.django_db(transaction=True)
def test_eight_who_draw_at_once_get_different_people():
    tables = factories.hospital_tables(n_records=100)
    contest = factories.make_series_contest(
        tables=tables, rules=factories.series_ruleset(sample=10)
    )
    teams = teams_of(contest, 4)
    outcomes = at_once([partial(drawn_anew, team) for team in teams for _ in range(2)])
    assert [found for found in outcomes if not isinstance(found, Dataset)] == []
    assert [a.pk for a in outcomes[::2]] == [b.pk for b in outcomes[1::2]]
    found = [people_of(team) for team in teams]
    assert [len(people) for people in found] == [10] * 4
    assert len(set().union(*found)) == 40
    assert sorted(parts_of(contest)) == [1, 2, 3, 4]
    assert contest.datasets.get(team=None).part == 4
    on_disk = {path for path in storage.paths_on_disk() if not path.startswith("draft")}
    assert on_disk == set(StoredFile.objects.values_list("path", flat=True))


@pytest.mark.django_db(transaction=True)
def test_eight_teams_and_people_for_five():
    contest = factories.make_series_contest(tables=factories.hospital_tables(n_records=60))
    assert contest.datasets.get(team=None).n_people // PEOPLE == 5
    teams = teams_of(contest, 8)
    outcomes = at_once([partial(drawn_anew, team) for team in teams])
    assert sorted(type(found).__name__ for found in outcomes) == ["Dataset"] * 5 + ["NoneType"] * 3
    assert sorted(parts_of(contest)) == [1, 2, 3, 4, 5]
