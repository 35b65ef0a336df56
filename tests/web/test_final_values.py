# SPDX-License-Identifier: Apache-2.0
"""The final values of measures that draw at random are shown nowhere before the round is over, and then everywhere."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from pwscup.archives.reading import laws
from pwscup.contests.models import Contest
from pwscup.core import jobs
from pwscup.leaderboards import facts
from pwscup.leaderboards.scope import moments, scope_of
from pwscup.rescores import selectors as rescore_selectors
from pwscup.rescores import services as rescores
from pwscup.submissions.decisions import rulings
from pwscup.submissions.models import Evaluation, LateAllowance, Rescore
from pwscup.submissions.results import finals
from scoring.registry import PWSCUP_2015
from tests.web.api import ROOT, Program
from tests.web.archives import bytes_of, entries, imported, of_version, written, zipped
from tests.web.pipeline import close, hand_in, scored
from tests.web.test_rulesets_of_further_measures import ruleset_text

DRAWS = "range-queries"
FEEDBACK, FINAL = 0.251317, 0.734421
HOUR = timedelta(hours=1)
pytestmark = pytest.mark.usefixtures("unsent")


@pytest.fixture
def played(cast):
    """Red's table has values that stand nowhere else, Blue's has those of the library."""
    text = ruleset_text([*PWSCUP_2015, DRAWS], utility=[DRAWS, "U1"])
    Contest.objects.update(ruleset_text=text)
    cast.contest = Contest.objects.get()
    cast.round = cast.contest.rounds.get(key="anonymization")
    cast.of_red = scored(hand_in(cast.alice, cast.red, cast.round))
    cast.of_blue = scored(hand_in(cast.carol, cast.blue, cast.round))
    found = Evaluation.objects.get(submission=cast.of_red)
    found.values[DRAWS], found.final_values[DRAWS] = FEEDBACK, FINAL
    found.save()
    return cast


def shown(cast, as_user) -> dict[str, bytes]:
    """What the pages, files and the API say of Red's table, to its team and to an organizer."""
    slug, of_red = [cast.contest.slug], [cast.of_red.public_id]
    team = [
        reverse(name, args=of_red)
        for name in ("submission", "submission-status", "submission-ranks", "receipt-json")
    ]
    team += [reverse(name, args=slug) for name in ("board", "board-csv")]
    team += [reverse(name, args=[*slug, "anonymization"]) for name in ("round", "round-history")]
    office = [reverse("submission", args=of_red)]
    names = ("organize-submissions", "organize-submissions-csv", "board-csv", "organize-board")
    office += [reverse(name, args=slug) for name in names]
    found = {}
    for name, user, addresses in (("team", cast.alice, team), ("office", cast.oscar, office)):
        client = as_user(user)
        for address in addresses:
            answer = client.get(address)
            assert answer.status_code == 200, address
            content = b"".join(answer) if answer.streaming else answer.content
            found[f"{name} {address}"] = content
    path = f"/contests/{cast.contest.slug}/rounds/anonymization/submissions"
    found[ROOT + path] = Program(cast.alice).get(path).content
    archive = written(cast.contest, cast.oscar, with_key=False)
    return found | entries(bytes_of(archive))


def holding(found: dict[str, bytes], value: float) -> set[str]:
    return {place for place, content in found.items() if str(value).encode() in content}


def test_final_values_are_shown_nowhere_before_the_round_is_over_and_then_everywhere(
    played, as_user
):
    before = shown(played, as_user)
    assert holding(before, FINAL) == set()
    places = holding(before, FEEDBACK)
    assert {"submission", "ranks", "board", "csv", "API", "evaluations.json"} <= {
        kind
        for place in places
        for kind, part in {
            "submission": "team /s/",
            "ranks": "/ranks/",
            "board": "/board/",
            "csv": "submissions.csv",
            "API": ROOT,
            "evaluations.json": "evaluations.json",
        }.items()
        if part in place
    }
    close(played.round)
    after = shown(played, as_user)
    assert holding(after, FEEDBACK) == set()
    assert holding(after, FINAL) >= places


def test_the_result_page_says_which_seed_its_values_have(played, as_user):
    address = reverse("submission", args=[played.of_red.public_id])
    assert "The final values are computed with a different seed" in page(as_user, played, address)
    close(played.round)
    assert "Their values are final" in page(as_user, played, address)


def page(as_user, cast, address: str) -> str:
    return " ".join(as_user(cast.alice).get(address).content.decode().split())


def test_both_values_are_those_of_the_library_and_only_measures_that_draw_have_two(played):
    found = Evaluation.objects.get(submission=played.of_blue)
    assert set(found.final_values) == {DRAWS}
    assert set(found.values) > {DRAWS}
    assert finals.values_of(found, is_final=False) == found.values
    assert finals.values_of(found, is_final=True) == found.values | found.final_values


def test_without_measures_that_draw_there_is_one_value(cast):
    submission = scored(hand_in(cast.alice, cast.red, cast.contest.rounds.get(position=0)))
    assert submission.evaluations.get().final_values is None


def test_values_are_not_final_as_long_as_a_team_may_be_late(played, as_user):
    close(played.round)
    contest = Contest.objects.get()
    scope = scope_of(contest, timezone.now())
    key, gate = facts.key_of(scope), facts.gate_of(scope)
    until = timezone.now() + HOUR
    late = {"team": played.red, "round": played.round, "until": until, "reason": "power cut"}
    rulings.allow_late(actor=played.oscar, **late)
    assert holding(shown(played, as_user), FINAL) == set()
    assert facts.key_of(scope) != key
    assert facts.gate_of(scope) != gate
    assert any(moment > until for moment in moments(contest))
    LateAllowance.objects.update(until=timezone.now() - 24 * HOUR)
    assert len(holding(shown(played, as_user), FINAL)) > 5


def test_boards_that_were_frozen_before_the_end_keep_the_feedback(played):
    close(played.round)
    scope = scope_of(Contest.objects.get(), timezone.now())
    Contest.objects.update(frozen_at=played.round.closes_at - timedelta(seconds=1))
    frozen = scope_of(Contest.objects.get(), timezone.now())
    assert finals.rounds_of(scope.contest, scope.now, scope.before) == [played.round.pk]
    assert finals.rounds_of(frozen.contest, frozen.now, frozen.before) == []


@pytest.mark.long
def test_a_re_scoring_computes_both(played):
    contest = Contest.objects.get()
    text = contest.ruleset_text.replace('ties = "expected"', 'ties = "strict"')
    rescores.change_rules(actor=played.oscar, contest=contest, text=text, note="strict ties")
    rescore = rescore_selectors.undecided(contest)
    assert jobs.work_on(Rescore, rescore.pk)
    own = Evaluation.objects.get(submission=played.of_blue, rescore=None)
    again = rescore.evaluations.get(submission=played.of_blue)
    assert again.final_values == own.final_values


def test_an_archive_with_the_answer_key_has_both_and_older_ones_have_one(played):
    close(played.round)
    found = entries(bytes_of(written(Contest.objects.get(), played.oscar)))
    rows = json.loads(found["evaluations.json"])
    assert FINAL in [row["final_values"][DRAWS] for row in rows]
    job = imported(played.oscar, zipped(found))
    copies = Evaluation.objects.filter(submission__round__contest=job.contest)
    assert FINAL in [copy.final_values[DRAWS] for copy in copies]
    old = of_version(found, 2)
    job = imported(played.oscar, zipped(old))
    copies = Evaluation.objects.filter(submission__round__contest=job.contest)
    assert [copy.final_values for copy in copies] == [None, None]


@pytest.mark.parametrize("values", [None, {"U1": 0}])
def test_final_values_without_feedback_are_refused(values):
    row = {"values": values, "problems": [] if values else [{}], "final_values": {DRAWS: 1}}
    assert not laws.is_evaluation(row)
    assert laws.is_evaluation(row | {"final_values": None})
