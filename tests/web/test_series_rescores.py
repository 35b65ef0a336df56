# SPDX-License-Identifier: Apache-2.0
"""Other rules for a series: m, what is required, the definition and the measures may change, the tables may not."""

from __future__ import annotations

import re

import pytest

from pwscup.contests import services as contests
from pwscup.contests.services.common import ContestRefused
from pwscup.core import jobs
from pwscup.leaderboards.services import final_boards
from pwscup.rescores import diff, selectors, services
from pwscup.submissions import draws
from pwscup.submissions.models import Rescore
from pwscup.submissions.selectors import latest_evaluation
from scoring.datasets.hospital import HOSPITAL_SCHEMA
from scoring.rulesets import load_ruleset
from tests import factories
from tests.web import pipeline, series

KEPT = ("series-extent", "series-risk-max")
pytestmark = pytest.mark.usefixtures("unsent")


@pytest.fixture
def played(cast):
    """Two series in the attack round, and a guess about each that knows everything."""
    played = series.contest_of(cast)
    for team in (played.red, played.blue):
        pipeline.scored(series.hand_in(team.captain, team, factories.series_of_team(team)))
    played.targets = series.publish(played.contest)
    played.guesses = [
        pipeline.scored(
            pipeline.guess(
                team.captain,
                team,
                played.targets[name],
                series.guess_file(series.values_of(played.targets[name].team)),
            )
        )
        for team, name in ((played.red, "Blue"), (played.blue, "Red"))
    ]
    played.first = [team.submissions.first() for team in (played.red, played.blue)]
    return played


def with_lines(text: str, **changes: str) -> str:
    """The rules with other values of some keys."""
    for key, value in changes.items():
        text, n = re.subn(rf"(?m)^{key} = \S+", f"{key} = {value}", text)
        assert n == 1
    return text


def change(cast, contest, text: str):
    """A re-scoring by these rules that a worker has computed."""
    services.change_rules(actor=cast.oscar, contest=contest, text=text)
    rescore = selectors.undecided(contest)
    assert jobs.work_on(Rescore, rescore.pk)
    rescore.refresh_from_db()
    return rescore


@pytest.mark.long
def test_another_definition_gives_other_risks_and_boards_follow_once_it_is_applied(cast, played):
    text = with_lines(played.contest.ruleset_text, definition='"m-invariance"')
    before = [latest_evaluation(s).values for s in (*played.first, *played.guesses)]
    boards = final_boards(played.contest, series.round_of(played.contest, "attack").closes_at)
    rescore = change(cast, played.contest, text)
    assert [latest_evaluation(s).values for s in (*played.first, *played.guesses)] == before
    lines = {line.submission.pk: line for line in diff.submissions(rescore)}
    assert lines.keys() <= {submission.pk for submission in played.first}
    assert all(v.name.startswith("series-risk") for line in lines.values() for v in line.values)
    services.apply(actor=cast.oscar, contest=played.contest)
    after = [latest_evaluation(s).values for s in (*played.first, *played.guesses)]
    assert after[2:] == before[2:]  # guesses are marked again, to the same marks
    assert [f.keys() for f in after] == [f.keys() for f in before]
    moved = [name for name in before[0] if before[0][name] != after[0][name]]
    moved += [name for name in before[1] if before[1][name] != after[1][name]]
    assert moved
    assert all(name.startswith("series-risk") for name in moved)
    assert (
        final_boards(played.contest, series.round_of(played.contest, "attack").closes_at) != boards
    )


def test_guesses_are_marked_again_as_they_were(cast, played):
    rescore = change(cast, played.contest, with_lines(played.contest.ruleset_text, m="2  "))
    made = {e.submission_id: e for e in rescore.evaluations.all()}
    for guess in played.guesses:
        values = made[guess.pk].values
        assert values == latest_evaluation(guess).values
        assert values["hits"] == values["n_records"] == factories.HOSPITAL_PEOPLE


def test_a_larger_m_rejects_what_is_not_unique_enough_with_its_reasons(cast, played):
    rescore = change(cast, played.contest, with_lines(played.contest.ruleset_text, m="5"))
    made = {e.submission_id: e for e in rescore.evaluations.all()}
    for submission in played.first:
        codes = {problem["code"] for problem in made[submission.pk].problems}
        assert codes == {"release.small_group"}
    assert all(made[guess.pk].values is not None for guess in played.guesses)
    services.apply(actor=cast.oscar, contest=played.contest)
    for submission in played.first:
        submission.refresh_from_db()
        assert submission.state == "rejected"


@pytest.mark.long
def test_measures_may_be_left_out(cast, played):
    text = re.sub(
        r"(?s)(\nmeasures = |\nutility = |\nsafety = )\[.*?\]",
        lambda found: (
            found[1]
            + {"m": '["series-extent", "series-risk-max"]', "u": '["series-extent"]'}.get(
                found[1].strip()[0], '["series-risk-max"]'
            )
        ),
        played.contest.ruleset_text,
    )
    rescore = change(cast, played.contest, text)
    values = rescore.evaluations.get(submission=played.first[0]).values
    assert {name for name in values if name.startswith("series-")} == set(KEPT)
    before = latest_evaluation(played.first[0]).values
    assert {name: before[name] for name in values} == values


@pytest.mark.parametrize(
    "changes", [{"sample": "10"}, {"sample": "21"}], ids=["fewer people", "more people"]
)
def test_the_people_of_a_team_cannot_change(cast, played, changes):
    with pytest.raises(ContestRefused, match="tables are already drawn and distributed"):
        services.change_rules(
            actor=cast.oscar,
            contest=played.contest,
            text=with_lines(played.contest.ruleset_text, **changes),
        )


def test_before_a_part_is_drawn_rules_may_ask_for_other_people_as_long_as_there_are_enough(cast):
    contest = factories.make_series_contest(organizer=cast.oscar, phase="before")
    n_people = contest.datasets.get(team=None).n_people
    assert n_people < contest.datasets.get(team=None).n_records
    enough = with_lines(contest.ruleset_text, sample=str(n_people))
    services.change_rules(actor=cast.oscar, contest=contest, text=enough)
    assert contest.ruleset.data.sample == n_people
    more = with_lines(contest.ruleset_text, sample=str(n_people + 1))
    with pytest.raises(ContestRefused, match=f"have {n_people} individuals"):
        services.change_rules(actor=cast.oscar, contest=contest, text=more)


def test_uploaded_tables_of_several_times_cannot_become_one_table_nor_the_other_way(cast):
    contest = factories.make_series_contest(organizer=cast.oscar, phase="before")
    with pytest.raises(ContestRefused, match="expected one table"):
        services.change_rules(
            actor=cast.oscar, contest=contest, text=load_ruleset("pwscup2015").text
        )
    assert type(contest).objects.get(pk=contest.pk).format.name == "series"
    other = factories.make_lecture_contest(organizer=cast.oscar, phase="before")
    assert not draws.draw_due()
    with pytest.raises(ContestRefused, match="expected a zip archive of tables"):
        services.change_rules(
            actor=cast.oscar, contest=other, text=factories.series_ruleset(10).text
        )
    contests.attach_dataset(
        actor=cast.oscar,
        contest=contest,
        data=factories.hospital_tables(seed=3),
        schema=HOSPITAL_SCHEMA,
    )
