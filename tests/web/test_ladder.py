# SPDX-License-Identifier: Apache-2.0
"""Feedback that cannot be climbed, as teams get it: pages and answers of the API while an attack round is open."""

from __future__ import annotations

import re
from datetime import timedelta
from types import SimpleNamespace

import numpy as np
import pytest
from django.utils import timezone

from pwscup.contests.models import Contest, Round, RulesetVersion
from pwscup.submissions.decisions import rulings
from pwscup.submissions.models import Evaluation, Rescore, Submission
from pwscup.submissions.results.feedback import Band
from scoring.questions.asked import QuestionSpec
from scoring.questions.results import result_of
from scoring.questions.sheets import Key
from tests.boosting import boosted, random_bits
from tests.web import board_facts, crawler, pipeline, questions
from tests.web.api import Program
from tests.web.test_truth import parameters_of

pytestmark = pytest.mark.usefixtures("sent")
N_ATTEMPTS = 200
BITS = questions.MEMBERS | {"answers": "bits", "result": "accuracy"}
del BITS["fpr"]


@pytest.fixture
def cup(cast) -> SimpleNamespace:
    """Carol's Blue and alice's Red attack each other in a round with the ladder."""
    rules = questions.ruleset(BITS, feedback="ladder", tries_per_target=N_ATTEMPTS)
    cup = questions.published(cast, rules)
    cup.cast, cup.round = cast, cup.releases["Red"].round
    Round.objects.filter(pk=cup.round.pk).update(feedback="ladder")
    cup.round.refresh_from_db()
    return cup


def guessed(cup, rate: float, n: int = 100, **fields) -> Submission:
    """A scored guess of Blue about Red, an hour after the last one."""
    last = Submission.objects.filter(round=cup.round, team=cup.blue).order_by("arrived_at").last()
    at = last.arrived_at if last else cup.round.opens_at
    made = board_facts.scored(
        cup.blue,
        cup.round,
        {"n_records": n, "hits": round(rate * n), "rate": rate, "members": rate},
        target=cup.releases["Red"],
        at=at + timedelta(seconds=1),
    )
    Submission.objects.filter(pk=made.pk).update(**fields)
    return made


def listed(cup) -> list[dict]:
    """The attempts of Blue as the API lists them, the oldest first."""
    url = f"/contests/{cup.contest.slug}/rounds/attack/submissions?per_page={N_ATTEMPTS}"
    found = Program(cup.cast.carol).get(url).json()
    return sorted(found, key=lambda one: one["number"])


def bands(cup) -> list[tuple[int, int] | None]:
    return [one["band"] and tuple(one["band"]) for one in listed(cup)]


def test_only_a_whole_step_is_shown_and_nothing_else_before_the_end(cup, as_user):
    for rate in (0.4, 0.71, 0.72, 0.5, 0.93):
        guessed(cup, rate)
    low, high = (0, 72), (72, 94)
    assert bands(cup) == [low, low, high, high, high]
    assert all(one["values"] is None for one in listed(cup))
    client = as_user(cup.cast.carol)
    pages = [client.get(f"/s/{one['id']}/").text for one in listed(cup)]
    assert ["72–94 %" in page for page in pages] == [False, False, True, True, True]
    assert not any("93" in page.partition('id="result-title"')[2][:600] for page in pages)
    pipeline.close(cup.round)
    assert [one["values"]["rate"] for one in listed(cup)] == [0.4, 0.71, 0.72, 0.5, 0.93]


def test_organizers_see_the_rates(cup):
    made = guessed(cup, 0.6)
    shown = Program(cup.cast.oscar).get(f"/submissions/{made.public_id}").json()
    assert shown["values"]["rate"] == 0.6


@pytest.mark.parametrize(("n", "most"), [(100, 0.06), (500, 0.02), (5_000, 0.01)])
def test_boosting_over_the_api(cup, n, most):
    """200 attempts that know nothing, their majority weighted by what the team gets to see of each."""
    truth, answers = random_bits(n, N_ATTEMPTS, seed=n)
    question = QuestionSpec("members", "membership", "bits", "accuracy")
    key = Key(truth, {}, None, np.arange(n))
    for answer in answers:
        found = result_of(question, key, {"member": answer.astype(float)})
        guessed(cup, found.value, found.n_units)
    seen = bands(cup)
    assert len(seen) == N_ATTEMPTS
    middle = np.array([(low + high) / 200 for low, high in seen])
    assert (boosted(answers, middle) == truth).mean() - 0.5 <= most
    rates = np.array(
        [
            one.values["rate"]
            for one in Evaluation.objects.filter(
                submission__team=cup.blue, submission__round=cup.round
            ).order_by("submission__number")
        ]
    )
    assert (boosted(answers, rates) == truth).mean() - 0.5 > 2 * most  # what exact rates would give


def test_two_runs_below_the_resolution_look_the_same_everywhere(noon, cup, as_user):
    """The same attempts with other sealed answers, so other rates on the same rungs: every page and answer is equal."""
    parameters = parameters_of(cup.contest, cup.cast.carol, cup.blue)
    made = [guessed(cup, rate) for rate in (0.41, 0.66, 0.75, 0.52)]
    parameters = parameters_of(cup.contest, cup.cast.carol, cup.blue)
    first = everything(as_user(cup.cast.carol), parameters)
    for one, rate in zip(made, (0.58, 0.32, 0.91, 0.71), strict=True):
        values = {"n_records": 100, "hits": round(100 * rate), "rate": rate, "members": rate}
        Evaluation.objects.filter(submission=one).update(values=values, right="AAAA", seconds=0.3)
    second = everything(as_user(cup.cast.carol), parameters)
    assert first.keys() == second.keys()
    assert [address for address in first if first[address] != second[address]] == []
    url = f"/s/{made[-1].public_id}/"
    Evaluation.objects.filter(submission=made[-1]).update(values=values | {"rate": 0.95})
    again = as_user(cup.cast.carol).get(url).content
    assert b"94\xe2\x80\x93100" in again  # the detector: above the resolution it is another page
    assert b"94\xe2\x80\x93100" not in first[url][1]


VARYING = re.compile(
    rb"(?i)csrf[\w-]*[\"'=: ]+(?:value=\")?[\w-]+|name=\"nonce\" value=\"\w+|"
    rb"sessionid=\w+|messages=[\w:=-]+|(?:expires|last-modified)(?:=|: )[^;\n]+|"
    rb"<updated>[^<]+|name=\"contribution\"[^>]+"
)
"""Tokens, sessions, messages, and what is proposed at random; the clock of the contest stands still."""


def everything(client, parameters) -> dict[str, tuple[int, bytes]]:
    about_it = ("/c/lecture/", "/s/", "/r/", "/q/", "/api/", "/teams/", "/news/")
    start = [a for a in crawler.addresses(parameters) if a.startswith(about_it)]
    found = crawler.crawl(client, ["/", *start])
    return {address: (status, VARYING.sub(b"", body)) for address, status, body in found}


# The ladder follows from facts


def test_a_withdrawn_guess_stays_on_the_ladder(cup):
    """Otherwise the range of a later one would say how it compares with the ones before."""
    guessed(cup, 0.5)
    best = guessed(cup, 0.8)
    guessed(cup, 0.6)
    before = bands(cup)
    rulings.withdraw(actor=cup.cast.oscar, submission=best, reason="A test.")
    assert bands(cup) == before == [(0, 72), (72, 94), (72, 94)]


def test_guesses_are_shown_in_the_order_of_their_arrival(cup):
    first = guessed(cup, 0.9)
    second = guessed(cup, 0.8)
    Submission.objects.filter(pk=first.pk).update(state="running")
    assert bands(cup) == [None, None]
    Submission.objects.filter(pk=first.pk).update(state="scored")
    assert bands(cup) == [(72, 94), (72, 94)]
    assert second.number == 2


def test_targets_have_ladders_of_their_own(cup):
    guessed(cup, 0.8)
    other = guessed(cup, 0.5)
    Submission.objects.filter(pk=other.pk).update(target=cup.releases["Blue"])
    assert bands(cup) == [(72, 94), (0, 72)]


def test_a_re_scoring_moves_the_ladder_only_when_it_is_applied(cup):
    made = guessed(cup, 0.5)
    guessed(cup, 0.5)
    rescore = Rescore.objects.create(
        contest=cup.contest,
        rules=RulesetVersion.objects.create(
            contest=cup.contest, number=2, text=cup.contest.ruleset_text
        ),
        scoring_version="1",
        state=Rescore.State.DONE,
    )
    found = Evaluation.objects.get(submission=made)
    found.pk, found.fence, found.rescore = None, 2, rescore
    found.values = found.values | {"rate": 0.8}
    found.save()
    assert bands(cup) == [(0, 72), (0, 72)]
    Rescore.objects.filter(pk=rescore.pk).update(
        state=Rescore.State.APPLIED, decided_at=timezone.now()
    )
    assert bands(cup) == [(72, 94), (72, 94)]


def test_rules_and_form_say_how_much_attempts_disclose(cup, as_user, oscar):
    """200 guesses about 4 records: 6 bits, as a step is 63 points; no rung is above chance."""
    page = as_user(None).get(f"/c/{cup.contest.slug}/rules/").text
    assert "The attackers see the range of the best rate" in page
    assert "200 guesses" not in page.partition("By this feedback")[2][:200]
    Round.objects.filter(pk=cup.round.pk).update(feedback="exact")
    page = as_user(None).get(f"/c/{cup.contest.slug}/rules/").text
    assert "By this feedback 200 guesses about a table disclose at most 465 bits" in page
    form = oscar.get(f"/organize/{cup.contest.slug}/rounds/").text
    assert "200 guesses about a table disclose before the end" in form


def test_coarse_bands_have_chance_in_their_middle(cup):
    Round.objects.filter(pk=cup.round.pk).update(feedback="coarse")
    for rate in (0.49, 0.51, 0.56):
        guessed(cup, rate)
    assert bands(cup) == [(45, 55), (45, 55), (55, 65)]
    assert str(Band(45, 55)) == "45–55 %"
    assert Contest.objects.get(pk=cup.contest.pk).ruleset.round("attack").chance == 0.5
