# SPDX-License-Identifier: Apache-2.0
"""Boards after what organizers ruled, and after re-scorings."""

from __future__ import annotations

import pytest
from django.urls import reverse
from django.utils import timezone

from pwscup.contests.models import Contest, RulesetVersion
from pwscup.leaderboards import services
from pwscup.submissions.models import Rescore, Ruling
from tests import factories
from tests.web import board_facts

pytestmark = pytest.mark.django_db
Kind = Ruling.Kind


def boards(contest):
    return services.boards_of(Contest.objects.get(pk=contest.pk), timezone.now()).data


def rule(played, name, kind, submission=None):
    return Ruling.objects.create(
        team=played.teams[name], submission=submission, kind=kind, reason="shared its key"
    )


def test_a_disqualified_team_is_nowhere_and_hurts_nobody():
    played = board_facts.game(factories.make_contest())
    before = boards(played.contest)
    rule(played, "Red", Kind.DISQUALIFIED)
    made = boards(played.contest)
    for board in ("overall", "anonymization", "attack"):
        assert {row["name"] for row in made[board]["rows"]} == {"Blue", "Green"}
    assert {row["name"] for row in made["matrix"]["defenders"]} == {"Blue", "Green"}
    assert "Red" not in [row["name"] for row in made["matrix"]["rows"]]
    worst = {row["name"]: row["worst_rate"] for row in made["anonymization"]["rows"]}
    assert worst == {"Blue": 0.4, "Green": 0.2}
    assert {r["name"]: r["n_targets"] for r in made["attack"]["rows"]} == {"Blue": 1, "Green": 1}
    rule(played, "Red", Kind.REINSTATED)
    assert boards(played.contest) == before


def test_a_withdrawn_table_gives_way_to_the_one_before():
    played = board_facts.game(factories.make_contest(), phase="anonymization")
    worse = board_facts.values_of(board_facts.RED) | {"U1": 9}
    second = board_facts.scored(played.teams["Red"], played.anonymization, worse)

    def u1():
        rows = boards(played.contest)["anonymization"]["rows"]
        return {row["name"]: row["cells"][0]["value"] for row in rows}["Red"]

    assert u1() == 9
    rule(played, "Red", Kind.WITHDRAWN, second)
    assert u1() == 0
    rule(played, "Red", Kind.REINSTATED, second)
    assert u1() == 9


def test_a_withdrawn_table_that_was_published_is_no_target_any_more():
    played = board_facts.game(factories.make_contest())
    rule(played, "Green", Kind.WITHDRAWN, played.submissions["Green"])
    made = boards(played.contest)
    assert {row["name"] for row in made["matrix"]["defenders"]} == {"Red", "Blue"}
    assert {r["name"]: r["mean_rate"] for r in made["attack"]["rows"]} == {
        "Red": 0.6,
        "Blue": 0.5,
        "Green": 0.3,
    }


def test_who_is_disqualified_has_no_ranks(cast, as_user):
    played = board_facts.game(cast.contest, phase="anonymization")
    rule(played, "Red", Kind.DISQUALIFIED)
    address = reverse("submission-ranks", args=[played.submissions["Red"].public_id])
    html = as_user(cast.alice).get(address).content.decode()
    assert "The team is not on any board." in html
    assert "<table" not in html


def test_a_withdrawn_guess_counts_nothing():
    played = board_facts.game(factories.make_contest())
    guess = played.attack.submissions.get(team__name="Red", target__team__name="Green")
    rule(played, "Red", Kind.WITHDRAWN, guess)
    made = boards(played.contest)
    assert {r["name"]: r["mean_rate"] for r in made["attack"]["rows"]}["Red"] == 0.3


def rescored(played, values, state):
    """A re-scoring that found `values` for Red's table."""
    contest = played.contest
    version = RulesetVersion.objects.create(
        contest=contest,
        number=RulesetVersion.objects.filter(contest=contest).count() + 1,
        text=contest.ruleset_text,
        digest="d",
    )
    rescore = Rescore.objects.create(
        contest=contest, rules=version, scoring_version="2.0.0", state=state
    )
    if state == Rescore.State.APPLIED:
        rescore.decided_at = timezone.now()
        rescore.save()
    found = board_facts.evaluate(played.submissions["Red"], values)
    found.rescore = rescore
    found.save()
    return rescore


def test_a_re_scoring_counts_once_it_is_applied():
    played = board_facts.game(factories.make_contest(), phase="anonymization")
    values = board_facts.values_of(board_facts.RED) | {"U1": 7.5}

    def u1():
        contest = Contest.objects.get(pk=played.contest.pk)
        made = services.boards_of(contest, timezone.now())
        rows = made.data["anonymization"]["rows"]
        return {row["name"]: row["cells"][0]["value"] for row in rows}["Red"], made.key

    before = u1()
    rescore = rescored(played, values, Rescore.State.DONE)
    assert u1() == before
    rescore.state, rescore.decided_at = Rescore.State.APPLIED, timezone.now()
    rescore.save()
    assert u1()[0] == 7.5
    rescored(played, values | {"U1": 8}, Rescore.State.DROPPED)
    assert u1()[0] == 7.5


def test_a_table_that_the_new_rules_reject_does_not_count():
    played = board_facts.game(factories.make_contest(), phase="anonymization")
    rescored(played, None, Rescore.State.APPLIED)
    rows = {row["name"]: row for row in boards(played.contest)["anonymization"]["rows"]}
    assert not rows["Red"]["submitted"]
    again = board_facts.values_of(board_facts.RED) | {"U1": 3}
    rescored(played, again, Rescore.State.APPLIED)
    rows = {row["name"]: row for row in boards(played.contest)["anonymization"]["rows"]}
    assert rows["Red"]["cells"][0]["value"] == 3
