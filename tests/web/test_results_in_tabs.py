# SPDX-License-Identifier: Apache-2.0
"""Results in tabs: verdict, bars within the field, history; and canaries for what feedback, freeze and rules hide."""

from __future__ import annotations

import csv
import io
from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.urls import reverse
from django.utils import timezone, translation

from pwscup.contests.models import Contest
from pwscup.core.templatetags.pwscup import percent
from pwscup.leaderboards.history import places
from pwscup.leaderboards.history.places import Places
from tests import factories
from tests.web import board_facts
from tests.web.test_boards_frozen import freeze, long_ago

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sent", "announced")]
CANARY = 0.987654321


@pytest.fixture
def played(cast) -> SimpleNamespace:
    """Red, Blue and Green have submitted; the anonymization round is open, with exact feedback."""
    return board_facts.game(cast.contest, phase="anonymization")


def result(client, submission):
    return client.get(reverse("submission", args=[submission.public_id]))


def history(client, submission):
    return client.get(reverse("submission-history", args=[submission.public_id]))


def again(played, name, row, at=None):
    return board_facts.scored(
        played.teams[name], played.anonymization, board_facts.values_of(row), at=at
    )


def test_the_verdict_is_that_of_the_boards(cast, played, as_user):
    alice = as_user(cast.alice)
    first = result(alice, played.submissions["Red"])
    # On paper: utility 7/6 is the best, safety 8/3 the worst; the total 23/12 is that of Blue.
    assert first.context["verdict"] == "2nd of 3, utility 1st, safety 3rd"
    assert "2nd of 3, utility 1st, safety 3rd" in first.text
    second = result(alice, again(played, "Red", board_facts.GREEN)).context["verdict"]
    assert second.endswith("on #1")
    assert "echarts" not in first.text


def test_teams_without_a_submission_are_not_counted(cast, played, as_user):
    """As on the page of the team: the number of teams that are ranked."""
    factories.make_team(cast.contest, "Idle", cast.eve)
    page = result(as_user(cast.alice), played.submissions["Red"])
    assert page.context["verdict"].startswith("2nd of 3, ")
    (standing,) = (
        as_user(cast.alice)
        .get(reverse("team-page", args=[cast.contest.slug, played.teams["Red"].pk]))
        .context["found"]
        .standings
    )
    assert standing.n_ranked == 3


def test_the_verdict_in_both_languages():
    before, now = Places(12, 5, 2.5, 4, 1), Places(12, 3, 2.0, 3, 1)
    assert places.verdict(now, before, 10) == "3rd of 12, utility 3rd, safety 1st, up 2 on #10"
    assert places.verdict(before, now, 11).endswith("down 2 on #11")
    assert places.verdict(now, now, 10).endswith("no change on #10")
    assert places.verdict(Places(12, None, None, 3, None), None, None) == "Utility 3rd"
    assert places.verdict(Places(12, None, None, None, None), before, 3) == ""
    with translation.override("ja"):
        said = places.verdict(now, before, 10)
    assert said == "12チーム中3位、有用性3位、安全性1位、#10より順位が2上がりました"
    assert [places.ordinal(n) for n in (1, 2, 3, 4, 11, 12, 13, 21, 112)] == [
        *("1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "112th")
    ]


def test_bars_show_the_field(cast, played, as_user):
    first = again(played, "Red", board_facts.BLUE)
    bars = result(as_user(cast.alice), first).context["bars"]
    # U2 is 0, 3, 1: lower is better; those of the teams are now 3, 3 and 1, and #1 had 0.
    u2 = bars["U2"]
    assert (u2.worst, u2.best, u2.middle) == (3, 0, 3)
    assert (u2.at, u2.previous_at) == (0, 1)
    # S1 is 1, 2, 3: higher is better
    assert (bars["S1"].worst, bars["S1"].best) == (1, 3)
    assert (bars["EUC1"].worst, bars["EUC1"].best) == (0.9, 0.3)


def test_one_team_is_no_field(cast, as_user):
    round = cast.contest.rounds.get(key="anonymization")
    own = board_facts.scored(cast.red, round, board_facts.values_of(board_facts.RED))
    page = result(as_user(cast.alice), own)
    assert page.context["bars"] == {}
    assert page.context["verdict"] == ""  # not “1st of 1”


def test_hidden_feedback_shows_neither_verdict_nor_bar_nor_history(cast, played, as_user):
    """Canary: a round whose values are shown after its end."""
    played.contest.rounds.update(feedback="after_close")
    again(played, "Blue", (*board_facts.BLUE[:1], CANARY, *board_facts.BLUE[2:]))
    alice = as_user(cast.alice)
    for answer in (
        result(alice, played.submissions["Red"]),
        history(alice, played.submissions["Red"]),
    ):
        assert answer.status_code == 200
        assert "verdict" not in answer.text
        assert "field-bar" not in answer.text
        assert "0.98765" not in answer.text
        assert "The result is shown after the round has closed" in answer.text


def test_after_the_freeze_the_field_is_the_frozen_one(cast, played, as_user):
    """Canary: what others submit after a freeze moves neither bar nor place; the own values are the own ones."""
    long_ago(played)
    freeze(played.contest, timezone.now() - timedelta(hours=1))
    alice = as_user(cast.alice)
    before = result(alice, played.submissions["Red"]).context
    again(played, "Blue", (*board_facts.RED[:1], CANARY, *board_facts.RED[2:]), at=timezone.now())
    after = result(alice, played.submissions["Red"])
    assert (after.context["bars"], after.context["verdict"]) == (before["bars"], before["verdict"])
    assert "0.98765" not in after.text
    assert "0.98765" not in history(alice, played.submissions["Red"]).text


def test_hidden_measures_have_no_bar_and_no_column(cast, played, as_user):
    """Canary: measures that only organizers see."""
    Contest.objects.filter(pk=played.contest.pk).update(hidden_measures=["U2", "E2"])
    again(played, "Blue", (*board_facts.BLUE[:1], CANARY, *board_facts.BLUE[2:]))
    alice = as_user(cast.alice)
    page = result(alice, played.submissions["Red"])
    assert {"U2", "E2"}.isdisjoint(page.context["bars"])
    attempts = history(alice, played.submissions["Red"])
    assert {"U2", "E2"}.isdisjoint(measure.id for measure in attempts.context["measures"])
    for answer in (page, attempts):
        assert "0.98765" not in answer.text
    assert attempts.context["attempts"][0].worst is None


def test_no_exact_value_of_another_team_by_name(cast, played, as_user):
    """The bars have ends and a median, and no names."""
    text = result(as_user(cast.alice), played.submissions["Red"]).text
    assert "Blue" not in text
    assert "Green" not in text
    assert result(as_user(cast.carol), played.submissions["Red"]).status_code == 404
    assert history(as_user(cast.carol), played.submissions["Red"]).status_code == 404


def test_the_history_has_ranks_totals_and_every_measure(cast, played, as_user):
    second = again(played, "Red", board_facts.GREEN)
    page = history(as_user(cast.bob), second)
    attempts = page.context["attempts"]
    assert [one.line.submission.number for one in attempts] == [1, 2]
    assert [one.line.counts for one in attempts] == [False, True]
    assert {measure.id for measure in page.context["measures"]} == set(board_facts.MEASURES)
    assert attempts[0].places == Places(3, attempts[0].places.rank, attempts[0].places.total, 1, 3)
    assert page.text.count('class="line-chart"') == len(page.context["charts"]) >= 1
    for measure, value in attempts[1].values:
        assert value == board_facts.values_of(board_facts.GREEN)[measure.id]


def test_the_history_has_rates_in_per_cent_as_every_page(cast, played, as_user):
    page = history(as_user(cast.alice), again(played, "Red", board_facts.GREEN))
    rates = [
        value
        for measure, value in page.context["attempts"][1].values
        if measure.is_rate and value is not None
    ]
    assert rates
    assert all(f'<td class="num">{percent(value)}</td>' in page.text for value in rates)


def test_the_history_as_csv_is_that_of_the_page(cast, played, as_user):
    second = again(played, "Red", board_facts.GREEN)
    alice = as_user(cast.alice)
    page = history(alice, second).context
    text = alice.get(reverse("submission-history-csv", args=[second.public_id])).content
    header, *rows = csv.reader(io.StringIO(text.decode("utf-8-sig")))
    assert header[:3] == ["submission", "arrived", "rank"]
    assert header[6:] == [measure.id for measure in page["measures"]]
    for row, one in zip(rows, page["attempts"], strict=True):
        assert [row[0], row[2]] == [str(one.line.submission.number), str(one.places.rank)]
        assert row[6:] == ["" if value is None else str(value) for _, value in one.values]


def test_hidden_feedback_gives_no_row_of_the_csv(cast, played, as_user):
    """Canary: a round whose values are shown after its end."""
    played.contest.rounds.update(feedback="after_close")
    address = reverse("submission-history-csv", args=[played.submissions["Red"].public_id])
    assert len(as_user(cast.alice).get(address).text.splitlines()) == 1


def test_a_guess_has_no_tabs(cast, as_user):
    played = board_facts.game(cast.contest)
    guess = played.attack.submissions.get(team=played.teams["Red"], target__team=cast.blue)
    alice = as_user(cast.alice)
    assert "result-tabs" not in result(alice, guess).text
    assert history(alice, guess).status_code == 404
    assert "result-tabs" in result(alice, played.submissions["Red"]).text
