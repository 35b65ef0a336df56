# SPDX-License-Identifier: Apache-2.0
"""Bots in contests of sequential release: what they hand in and guess from, and for how many there are people."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import numpy as np
import pytest
from django.urls import reverse

from pwscup.accounts.models import Team
from pwscup.bots import copies, services
from pwscup.bots.cast import BOTS, BY_NAME, Way
from pwscup.bots.models import Rehearsal
from pwscup.bots.playing import rounds
from pwscup.contests import truth
from pwscup.contests.models import Contest
from pwscup.core import jobs
from pwscup.core.files import storage
from pwscup.formats.series import bots as series
from pwscup.submissions import releases, selectors
from pwscup.submissions.evaluation import handed_in as handed_in_files
from pwscup.submissions.models import Release, Submission
from pwscup.submissions.states import State
from scoring.datasets.hospital import HOSPITAL_SCHEMA
from scoring.formats.sequential.background import read_background, read_published
from scoring.formats.sequential.bundles import pack
from scoring.formats.sequential.examples import SMALL
from scoring.formats.sequential.guesses import intersecting_guesses, values_of
from scoring.formats.sequential.publishing import Options, publish
from scoring.formats.sequential.series import handed_in, of_publication
from scoring.formats.sequential.series_files import read_series, read_tables
from scoring.formats.sequential.tables import Microdata, Snapshot
from scoring.rulesets.base import SequentialSpec
from tests import factories
from tests.web import pipeline

M = 3
PEOPLE = 75  # of each team: groups are then small enough that some overlap
RECORDS = 150  # of each of three tables, which have 315 people: four times as many as a team


@pytest.fixture(autouse=True)
def same_people(monkeypatch, unsent) -> None:
    """Every run gives the teams the same people."""
    monkeypatch.setattr(truth, "derived_seed", lambda contest, purpose: 1)


def contest_of(organizer, *, n_records: int = RECORDS, phase: str = "before", **rules) -> Contest:
    return factories.make_series_contest(
        organizer=organizer,
        phase=phase,
        tables=factories.hospital_tables(n_records),
        rules=factories.series_ruleset(rules.pop("people", PEOPLE), m=str(M), **rules),
    )


def played(contest: Contest, actor) -> Rehearsal:
    rehearsal = services.request_dry_run(actor=actor, contest=contest)
    assert jobs.work_on(Rehearsal, rehearsal.pk)
    rehearsal.refresh_from_db()
    assert rehearsal.state == Rehearsal.State.DONE, rehearsal.reference
    return rehearsal


def values_by_bot(contest: Contest) -> dict[str, dict]:
    """What the series of each bot is worth."""
    found = Submission.objects.filter(round__contest=contest, target=None).select_related("team")
    return {s.team.name: selectors.newest_evaluation(s).values for s in found}


@pytest.mark.long
def test_bots_play_a_whole_contest_and_fill_its_boards(cast, oscar):
    """What each table tells by itself is at most 1/m, and all together tell more, unless boxes are improved."""
    contest = contest_of(cast.oscar)
    rehearsal = played(contest, cast.oscar)
    n = copies.N_BOTS
    lines = [(line["n_files"], line["n_scored"], line["refused"]) for line in rehearsal.report]
    assert lines == [(n, n, []), (n * (n - 1), n * (n - 1), [])]
    assert rehearsal.report[1]["n_published"] == n
    assert not Submission.objects.filter(round__contest=contest).exists()
    assert not contest.datasets.exclude(team=None).exists()

    copy = rehearsal.played_on
    values = values_by_bot(copy)
    assert set(values) == {bot.name for bot in BOTS[:n]}
    for name, found in values.items():
        missing = [m for m in copy.ruleset.measures if found.get(m) is None]
        assert not missing, f"{name}: {missing}"
    assert values["Swap"]["series-risk-max"] > 1 / M
    assert values["Swap"]["series-risk-share"] > 0
    assert values["Unify"]["series-risk-max"] <= 1 / M + 1e-9
    assert values["Unify"]["series-risk-share"] == 0
    guesses = Submission.objects.filter(round__contest=copy).exclude(target=None)
    marks = [selectors.newest_evaluation(guess).values for guess in guesses]
    assert {mark["n_records"] for mark in marks} == {PEOPLE}
    assert any(mark["hits"] > mark["baseline_hits"] for mark in marks)
    board = oscar.get(reverse("board", args=[copy.slug])).content.decode()
    rows = list(
        csv.DictReader(
            io.StringIO(
                oscar.get(reverse("board-csv", args=[copy.slug])).content.decode("utf-8-sig")
            )
        )
    )
    assert len(rows) == n
    assert all(bot.name in board for bot in BOTS[:n])


@pytest.mark.parametrize("require", ["m-unique", "m-invariance"])
def test_every_bots_way_stands_the_check(require):
    microdata = read_tables(factories.hospital_tables(RECORDS), HOSPITAL_SCHEMA)
    spec = SequentialSpec(M, require, "counting")
    for bot in BOTS:
        found = series.series_of(microdata, bot.series, spec)
        assert reread(found, microdata, spec).deleted is not None, bot.name


def test_ways_are_those_of_the_command_line():
    """Whoever publishes at home by a bot's method gets the bot's files."""
    microdata = read_tables(factories.hospital_tables(RECORDS), HOSPITAL_SCHEMA)
    spec = SequentialSpec(M, "m-unique", "counting")
    for name, options in {
        "Noise": Options(M),
        "Unify": Options(M, "improved"),
        "Average": Options(M + 2, side="none"),
        "Yamaoka": Options(M, "last"),
        "Mondrian": Options(M, "improved", rule="overlap", side="above"),
    }.items():
        made = handed_in(series.series_of(microdata, BY_NAME[name].series, spec), "patient")
        assert made == handed_in(of_publication(publish(microdata, options)), "patient"), name
    alone = series.series_of(microdata, BY_NAME["Swap"].series, spec)
    last = replace(microdata, snapshots=microdata.snapshots[-1:])
    expected = handed_in(of_publication(publish(last, Options(M))), "patient")
    assert handed_in(alone, "patient")["R3.csv"] == expected["R1.csv"]
    assert len({bot.series for bot in BOTS}) == len({bot.series.note for bot in BOTS}) == len(BOTS)


def reread(found, microdata: Microdata, spec: SequentialSpec):
    """The series as the server reads it; ProblemsFound where it does not stand the check."""
    data = pack(handed_in(found, "patient"))
    return read_series(data, microdata, "patient", m=spec.m, require=spec.require)


# Tables that cannot be published as they are


def table_of(ids: list[int], values: list[int]) -> Snapshot:
    points = np.array([[20.0 + i, 1000.0 * (i % 7)] for i in ids])
    return Snapshot(np.array(ids), points, np.array(values))


@pytest.mark.parametrize("way", [bot.series for bot in BOTS], ids=[bot.name for bot in BOTS])
def test_people_are_left_out_where_a_value_is_too_frequent(way):
    """Five of seven have one value, and at most half may: three leave, and two of four are as many as allowed."""
    values = [0, 0, 0, 0, 0, 1, 2]
    microdata = replace(
        SMALL,
        ids=tuple(f"P{n}" for n in range(9)),
        snapshots=(
            table_of(list(range(7)), values),
            table_of([0, 5, 7, 8], [0, 1, 2, 0]),
        ),
    )
    spec = SequentialSpec(2, "m-unique", "counting")
    found = series.series_of(microdata, way, spec)
    read = reread(found, microdata, spec)
    assert [len(ids) for ids in read.deleted] == [3, 0]
    assert set(read.deleted[0]) < {0, 1, 2, 3, 4}


def test_a_bot_asks_for_larger_groups_only_where_the_tables_have_them():
    table = table_of(list(range(6)), [0, 1, 2, 0, 1, 2])
    microdata = replace(SMALL, ids=tuple(f"P{n}" for n in range(6)), snapshots=(table,))
    spec = SequentialSpec(2, "m-unique", "counting")
    groups = series.series_of(microdata, Way(more=1), spec).releases[0].group
    assert np.bincount(groups)[1:].tolist() == [3, 3]
    groups = series.series_of(microdata, Way(more=2), spec).releases[0].group
    assert np.bincount(groups)[1:].max() < 4


# What bots know


def test_guesses_are_made_from_what_is_published_alone(cast, monkeypatch):
    contest = contest_of(cast.oscar, phase="attack")
    for bot in BOTS[:3]:
        Team.objects.create(contest=contest, name=bot.name, slug=bot.name.lower(), is_house=True)
    first, attack = contest.rounds.all()
    assert rounds.play_round(contest, first) == 3
    for submission in Submission.objects.all():
        assert pipeline.scored(submission).state == State.SCORED
    assert len(releases.publish(attack)) == 3
    with monkeypatch.context() as closed:
        closed.setattr(truth, "read_sealed", None)
        assert rounds.play_round(contest, attack) == 6
    assert rounds.play_round(contest, attack) == 0
    schema = contest.datasets.get(team=None).schema
    target = Release.objects.get(team__name="Average")
    people = read_background(storage.read(target.candidates), schema)
    seen = read_published(storage.read(target.table), people)
    expected = values_of(intersecting_guesses(seen.people, seen.releases), seen.people)
    guess = Submission.objects.get(target=target, team__name="Unify")
    assert guess.note == "intersection"
    data = handed_in_files.read(guess, "guess").decode()
    assert {row["id"]: row["value"] for row in csv.DictReader(io.StringIO(data))} == expected
    assert Submission.objects.get(target=target, team__name="Noise").note == "baseline"


# For how many there are people


@pytest.mark.parametrize(
    ("people", "n", "words"),
    [
        (100, 3, "3 bots play"),
        (200, 1, "One bot plays"),
    ],
)
def test_as_many_bots_play_as_there_are_people_for(cast, oscar, people, n, words):
    contest = contest_of(cast.oscar, people=people)
    assert words in oscar.get(reverse("organize-dry-run", args=[contest.slug])).content.decode()
    rehearsal = played(contest, cast.oscar)
    assert [line["n_files"] for line in rehearsal.report] == [n, n * (n - 1)]
    assert [line["n_scored"] for line in rehearsal.report] == [n, n * (n - 1)]
    assert contest.datasets.get(team=None).part is None
    copies.discard(rehearsal.played_on)


def test_people_are_left_for_the_teams_after_a_dry_run(cast):
    """Bots have parts of the people of the copy, never those of the contest."""
    contest = contest_of(cast.oscar, people=150, phase="release")
    team = factories.make_team(contest, "Gold", cast.alice)
    played(contest, cast.oscar)
    assert sum(len(data.splitlines()) > 1 for data in factories.tables_of_team(team).values()) == 3


def test_a_bot_that_came_too_late_for_people_hands_in_nothing(cast):
    contest = contest_of(cast.oscar, people=150, phase="release")
    for bot in BOTS[:3]:
        Team.objects.create(contest=contest, name=bot.name, slug=bot.name.lower(), is_house=True)
    assert rounds.play_round(contest, contest.rounds.first()) == 2
    assert rounds.play_round(contest, contest.rounds.first()) == 0


def test_all_bots_play_where_everybody_has_one_table_or_people_suffice(cast, oscar):
    for contest in (cast.contest, contest_of(cast.oscar, people=60)):
        assert copies.n_bots(contest) == copies.N_BOTS
        page = oscar.get(reverse("organize-dry-run", args=[contest.slug])).content.decode()
        assert "Four bots play" in page
