# SPDX-License-Identifier: Apache-2.0
"""What follows from the boards of a contest about a hidden table: freeze, ceremony, season, ranks, report."""

from __future__ import annotations

import json
import re
from types import SimpleNamespace

import pytest
from django.urls import reverse
from django.utils import timezone

from pwscup.archives import standings
from pwscup.archives.naming import Called
from pwscup.contests.models import Contest, Division
from pwscup.leaderboards import services
from pwscup.leaderboards.boards.build import DISCLOSURE_BOARDS
from pwscup.leaderboards.ceremony import services as ceremonies
from pwscup.leaderboards.models import Standing
from pwscup.reports import certificates, page
from pwscup.reports import facts as report_facts
from pwscup.reports.certificates import Place
from pwscup.rescores import diff
from pwscup.submissions.models import Choice, Ruling
from scoring.rulesets import parse_ruleset
from tests import factories
from tests.every import some
from tests.web.disclosure_facts import HOUR, answer, estimate, game
from tests.web.test_boards_frozen import board_answers, differing, freeze, long_ago, page_answers
from tests.web.test_final_report import tables, totals, words_of

pytestmark = pytest.mark.django_db


def fresh(contest) -> Contest:
    return Contest.objects.get(pk=contest.pk)


def boards(contest, **asked):
    return services.boards_of(fresh(contest), timezone.now(), **asked).data


@pytest.fixture
def played(cast) -> SimpleNamespace:
    """The game of disclosure_facts, over: Blue 1.5, Red 1.75, Green 3; alice plays in Red."""
    contest = factories.make_dp_contest(phase="after", organizer=cast.oscar)
    factories.make_team(contest, "Red", cast.alice)
    return game(contest=contest)


# The freeze

MOMENTS = {
    "in the first round": lambda played: played.batch.closes_at - HOUR,
    "in the second round": lambda played: played.interactive.opens_at + 2.5 * HOUR,
    "between the rounds": lambda played: played.interactive.opens_at - HOUR,
    "after everything": lambda played: played.interactive.closes_at + HOUR,
}


def go_on(played) -> None:
    """After the freeze: estimates, answers, choices, rulings."""
    now = timezone.now()
    late = estimate(played.teams["Green"], played.interactive, (0.125, 1.0), now)
    estimate(played.teams["Grey"], played.batch, (0.25, 1.0), now)
    answer(played.teams["Green"], played.interactive, "0.875", now - HOUR)
    Choice.objects.create(submission=late, team=late.team, round=played.interactive)
    Ruling.objects.create(team=played.teams["Blue"], kind=Ruling.Kind.DISQUALIFIED, reason="-")


@pytest.mark.long
@pytest.mark.parametrize("moment", some(1, MOMENTS))
def test_what_comes_after_the_freeze_changes_no_byte(played, cast, as_user, moment):
    long_ago(played)
    Division.objects.create(contest=played.contest, key="students", title="Students")
    played.contest.teams.exclude(name="Blue").update(division=played.contest.divisions.get())
    freeze(played.contest, MOMENTS[moment](played))

    visitor, oscar = as_user(None), as_user(cast.oscar)

    def all_boards():
        found = board_answers(visitor, played.contest, DISCLOSURE_BOARDS, ("", "students"))
        theirs = board_answers(oscar, played.contest, DISCLOSURE_BOARDS)
        return found | {f"oscar {what}": said for what, said in theirs.items()}

    def everything():
        found = all_boards() | page_answers(visitor, played.contest, rules=True)
        theirs = page_answers(oscar, played.contest, rules=True)
        return found | {f"oscar {what}": said for what, said in theirs.items()}

    before = everything()
    go_on(played)
    assert differing(before, all_boards()) == []  # from the boards that are stored
    Standing.objects.all().delete()
    after = everything()
    assert after.keys() == before.keys()
    assert differing(before, after) == []
    freeze(played.contest, None)
    assert differing(before, all_boards()) != []


def test_a_board_that_was_frozen_before_the_last_round_closed_shows_nothing(played):
    long_ago(played)
    freeze(played.contest, played.interactive.closes_at)
    data = boards(played.contest)
    assert not any(data[name]["rows"] for name in DISCLOSURE_BOARDS)
    assert not data["comparison"]["shown"]


# The ceremony


def test_the_ceremony_reveals_the_comparison(played, cast):
    long_ago(played)
    freeze(played.contest, played.interactive.opens_at)
    ceremony = ceremonies.start(actor=cast.oscar, contest=fresh(played.contest), stage="contest")
    places = [
        (place["rank"], [(row["name"], row["total"]) for row in place["rows"]])
        for place in ceremony.places
    ]
    assert places == [
        (None, [("Grey", None)]),
        (3, [("Green", 3.0)]),
        (2, [("Red", 1.75)]),
        (1, [("Blue", 1.5)]),
    ]
    assert ceremony.direction == "lower"
    assert ceremony.frozen == []


# The season

STAGES = """
[[stage]]
key = "first"
weight = 1
title.en = "First"
title.ja = "第一"

[[stage]]
key = "second"
weight = 3
title.en = "Second"
title.ja = "第二"
"""


def season(phase: str = "after") -> SimpleNamespace:
    """The same game, whose rounds are the stages of a season."""
    contest = factories.make_dp_contest("season", phase=phase)
    text = contest.ruleset_text.replace("[[round]]", STAGES + "\n[[round]]", 1)
    for key, stage in (("batch", "first"), ("interactive", "second")):
        text = text.replace(f'key = "{key}"\n', f'key = "{key}"\nstage = "{stage}"\n')
    contest.ruleset_text = parse_ruleset(text).text
    contest.save()
    return game(contest=fresh(contest))


def test_a_season_is_the_weighted_mean_of_its_stages(client):
    contest = season().contest
    section = boards(contest, is_season=True)["season"]
    # Red (5/2 + 3·1) / 4, Blue (1 + 3·2) / 4, Green (2 + 3·4) / 4, where the missing total is the last place.
    assert {row["name"]: (row["rank"], row["total"]) for row in section["rows"]} == {
        "Red": (1, 1.375),
        "Blue": (2, 1.75),
        "Green": (3, 3.5),
        "Grey": (None, None),
    }
    for query in ({"board": "season"}, {"stage": "first"}, {"stage": "second", "board": "curve"}):
        assert client.get(reverse("board", args=["season"]), query).status_code == 200
    assert list(diff.placings(fresh(contest), timezone.now())) == [
        "First: Comparison",
        "Second: Comparison",
        "Season: Total",
    ]


def test_the_season_waits_for_the_last_round_about_the_table(client):
    played = season(phase="interactive")
    section = boards(played.contest, is_season=True)["season"]
    assert [stage["shown"] for stage in section["stages"]] == [False, False]
    assert section["rows"] == []
    assert section["shown_at"] == played.interactive.closes_at.isoformat()
    page = client.get(reverse("board", args=["season"]), {"board": "season"}).content.decode()
    assert "shown when the last round about the hidden table has closed" in page


# A submission's ranks


def ranks(as_user, user, submission):
    return as_user(user).get(reverse("submission-ranks", args=[submission.public_id]))


def test_an_estimate_has_its_ranks_of_the_rounds_board(played, cast, as_user):
    page = ranks(as_user, cast.alice, played.submissions["Red", "batch"])
    assert {r["measure"].id: r["rank"] for r in page.context["rows"]} == {
        "table-L2": 3,
        "table-spearman": 2,
    }
    assert (page.context["standing"].rank, page.context["standing"].total) == (3, 2.5)
    assert "rank <strong>3</strong> of 3 on the board of the round" in page.content.decode()
    other = ranks(as_user, cast.alice, played.submissions["Red", "first"])
    assert other.context["standing"].total == 2.0  # behind Blue's 9 and .95


def test_the_result_page_asks_for_them_and_finds_the_parts_it_takes(played, cast, as_user):
    submission = played.submissions["Red", "batch"]
    address = reverse("submission-ranks", args=[submission.public_id])
    result = as_user(cast.alice).get(reverse("submission", args=[submission.public_id]))
    assert address in result.content.decode()
    html = as_user(cast.alice).get(address).content.decode()
    for measure in ("table-L2", "table-spearman"):
        assert f"#rank-{measure}" in result.content.decode()
        assert html.count(f'id="rank-{measure}"') == 1


def test_there_are_no_ranks_before_the_last_round_is_over(cast, as_user):
    contest = factories.make_dp_contest(phase="interactive")
    factories.make_team(contest, "Red", cast.alice)
    open_game = game(contest=contest)
    for key in ("batch", "interactive"):
        page = ranks(as_user, cast.alice, open_game.submissions["Red", key])
        assert not page.context["shown"]
        assert "standing" not in page.context


def test_a_hidden_measure_has_no_rank(played, cast, as_user):
    Contest.objects.filter(pk=played.contest.pk).update(hidden_measures=["table-L2"])
    page = ranks(as_user, cast.alice, played.submissions["Red", "batch"])
    assert [row["measure"].id for row in page.context["rows"]] == ["table-spearman"]


# Certificates and the final report


def test_the_certificates_have_the_places_of_the_comparison(played):
    found = certificates.for_everybody(fresh(played.contest), timezone.now(), "en")
    assert [(one.team, one.place) for one in found] == [
        ("Blue", Place(1, 3)),
        ("Red", Place(2, 3)),
        ("Green", Place(3, 3)),
        ("Grey", None),
    ]


def report(contest) -> str:
    return page.document(report_facts.gather(fresh(contest), timezone.now()), language="en")


def test_the_report_shows_the_boards(played):
    html, made = report(played.contest), boards(played.contest)
    (comparison,) = tables(html, "board-comparison")
    assert [row[:3] for row in comparison] == [
        [rank if rank else "–", name, "–" if total is None else total]
        for rank, name, total in totals(made["comparison"]["rows"])
    ]
    batch, interactive = tables(html, "board-estimates")
    assert batch[0] == [1, "Blue", 1.0, 30.0, 0.9]
    assert interactive[0] == [1, "Red", 1.0, 5.0, 0.99]
    (curve,) = tables(html, "board-curve")
    assert [[row[0], row[2], row[3]] for row in curve] == [
        [row["name"], row["epsilon"], row["value"]] for row in made["curve"]["rows"]
    ]
    assert html.index("<ol><li><b>1</b> Blue</li>") < html.index("board-comparison")
    picture = html[html.index('id="stage-contest-curve-') :].partition("</svg>")[0]
    labels = re.findall(r"<text[^>]*>([^<]*)</text>", picture)
    assert {"5", "10", "20", "Batch disclosure", "the table asked for once"} <= set(labels)
    assert "$" not in "".join(labels)


def test_no_byte_of_a_report_tells_of_a_hidden_measure(noon, played):
    canary = 0.123456789
    for submission in played.submissions.values():
        submission.evaluations.update(values={"table-L2": canary, "table-spearman": 0.5})
    assert "0.123456789" in report(played.contest)
    Contest.objects.filter(pk=played.contest.pk).update(hidden_measures=["table-L2"])
    html = report(played.contest)
    assert "0.1234" not in html
    assert "0.123" not in words_of(html)
    assert not tables(html, "board-curve")


# Archives


def test_the_boards_of_an_archive_are_these_under_the_names_of_the_archive(played):
    contest, now = fresh(played.contest), timezone.now()
    order = [played.teams[name] for name in ("Grey", "Green", "Blue", "Red")]
    called = {team.pk: Called(n, f"team-{n}", f"Team {n}") for n, team in enumerate(order, 1)}
    (found,) = standings.boards_of(contest, now, called, is_final=False)
    made = found["boards"]
    assert [(row["name"], row["total"]) for row in made["comparison"]["rows"]] == [
        ("Team 3", 1.5),
        ("Team 4", 1.75),
        ("Team 2", 3.0),
        ("Team 1", None),
    ]
    assert "Red" not in json.dumps(made)
    points = [(row["team"], row["epsilon"]) for row in made["curve"]["rows"]]
    assert (4, "0.75") in points
    assert (4, "0.25") in points
    values = list(standings.shown_values(contest, now, called))
    assert {
        "stage": "contest",
        "round": "interactive",
        "team": "team-4",
        "values": {"table-L2": 5.0, "table-spearman": 0.99},
    } in values
    assert len(values) == 5


def test_values_that_are_not_shown_are_in_no_public_archive(cast):
    contest = factories.make_dp_contest(phase="interactive")
    game(contest=contest)
    called = {t.pk: Called(t.pk, t.slug, t.name) for t in contest.teams.all()}
    assert list(standings.shown_values(fresh(contest), timezone.now(), called)) == []
