# SPDX-License-Identifier: Apache-2.0
"""The ledger of answers and the release of a hidden table: exact, paid once, and nothing for nothing."""

from __future__ import annotations

import json
from datetime import timedelta
from decimal import Decimal
from types import SimpleNamespace

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from pwscup.contests.policies import why_final
from pwscup.core.files import storage
from pwscup.core.models import Event
from pwscup.disclosure import ledger, services
from pwscup.disclosure.models import Answer, BatchRelease, epsilon_of, millionths_of
from pwscup.disclosure.services import MAX_ANSWERS, QueryRefused, ask, ensure_released, release_due
from pwscup.submissions import policies
from pwscup.submissions.decisions import rulings
from pwscup.submissions.evaluation import disclosing
from pwscup.submissions.models import Submission
from pwscup.submissions.results.feedback import visible_values
from pwscup.submissions.selectors import latest_evaluation
from pwscup.submissions.services import SubmissionRefused, submit
from scoring.errors import ProblemsFound
from tests import factories
from tests.web.pipeline import close, move, scored

pytestmark = pytest.mark.django_db
SEXES = {"columns": ["sex"]}


@pytest.fixture
def dp(cast) -> SimpleNamespace:
    """A contest in its interactive round, with Red, of which alice and bob are, and carol's Blue."""
    contest = factories.make_dp_contest(organizer=cast.oscar)
    return SimpleNamespace(
        alice=cast.alice,
        bob=cast.bob,
        carol=cast.carol,
        contest=contest,
        round=contest.rounds.get(key="interactive"),
        batch=contest.rounds.get(key="batch"),
        red=factories.make_team(contest, "Red", cast.alice, cast.bob),
        blue=factories.make_team(contest, "Blue", cast.carol),
    )


def asked(dp, query=None, epsilon="0.25", **kwargs):
    given = {"user": dp.alice, "team": dp.red, "round": dp.round} | kwargs
    return ask(query=SEXES if query is None else query, epsilon=epsilon, **given)


def spent(dp) -> Decimal:
    return ledger.spent_by(dp.red, dp.round)


# Answers


def test_an_answer_is_paid_and_repeated_for_nothing(dp):
    first = asked(dp)
    again = asked(dp, query={"columns": ["sex"], "where": {"age": ["old", "young", "middle"]}})
    assert (first.is_new, again.is_new, again.answer.pk) == (True, False, first.answer.pk)
    assert spent(dp) == Decimal("0.25")
    assert len(first.answer.counts) == 2


def test_the_same_query_at_another_epsilon_is_new_and_paid(dp):
    asked(dp, epsilon="0.25")
    other = asked(dp, epsilon="0.250001")
    assert other.is_new
    assert spent(dp) == Decimal("0.500001")
    assert not asked(dp, epsilon="0.2500010").is_new


def test_teams_pay_for_themselves_and_get_noise_of_their_own(dp):
    query = {"columns": ["sex", "age", "city"]}
    one = asked(dp, query, "0.001")
    other = ask(user=dp.carol, team=dp.blue, round=dp.round, query=query, epsilon="0.001")
    assert one.answer.counts != other.answer.counts  # noise of scale 2,000 on twelve cells
    assert spent(dp) == ledger.spent_by(dp.blue, dp.round) == Decimal("0.001")


def test_sums_are_exact(dp):
    for n in range(1, 10):
        asked(dp, epsilon=f"0.10000{n}")
    assert spent(dp) == Decimal("0.900045")
    assert ledger.budget_of(dp.red, dp.round).remaining == Decimal("0.099955")


def test_a_budget_is_never_exceeded(dp):
    asked(dp, epsilon="0.999999")
    with pytest.raises(QueryRefused) as refused:
        asked(dp, {"columns": []}, "0.000002")
    assert refused.value.code == "budget.exceeded"
    assert refused.value.params == {"got": "0.000002", "expected": "0.000001"}
    asked(dp, {"columns": []}, "0.000001")
    assert ledger.budget_of(dp.red, dp.round).remaining == 0


def test_the_database_itself_refuses_an_overspent_ledger(dp):
    answer = asked(dp).answer
    values = {
        "round": dp.round,
        "team": dp.red,
        "query": {},
        "counts": [],
        "asked_at": timezone.now(),
    }
    for number, spent_, budget in ((1, 2, 9), (2, 10, 9), (2, 0, 9)):
        with pytest.raises(IntegrityError), transaction.atomic():
            Answer.objects.create(
                number=number, digest="d", cost=1, spent=spent_, budget=budget, **values
            )
    with pytest.raises(IntegrityError), transaction.atomic():
        Answer.objects.create(
            number=2, digest=answer.digest, cost=answer.cost, spent=9, budget=9, **values
        )


def test_epsilons_and_millionths_are_each_others_inverse():
    for text in ("0.000001", "0.25", "1", "10", "1000000", "0.1"):
        assert f"{epsilon_of(millionths_of(Decimal(text))):f}" == text


# What is refused costs nothing


BAD = [
    ({"columns": ["sex", "sex"]}, "0.1", {"attribute.repeated_column"}),
    ({"columns": ["shoe"]}, "0.1", {"attribute.unknown_column"}),
    ({"columns": ["secret"]}, "0.1", {"attribute.unknown_column"}),
    ({"columns": ["sex"], "where": {"age": ["ancient"]}}, "0.1", {"query.unknown_value"}),
    ({"columns": ["sex"], "where": {"age": []}}, "0.1", {"query.no_values"}),
    ([], "0", {"query.not_an_object", "query.epsilon"}),
    *[
        (SEXES, text, {"query.epsilon"})
        for text in ("0", "-1", "nan", "inf", "1e-3", "", "0.0000001")
    ],
]


@pytest.mark.parametrize(("query", "epsilon", "codes"), BAD)
def test_a_bad_query_is_told_all_its_problems_and_costs_nothing(dp, query, epsilon, codes):
    with pytest.raises(ProblemsFound) as found:
        asked(dp, query, epsilon)
    assert {problem.code for problem in found.value.problems} == codes
    assert not Answer.objects.exists()


def test_only_the_team_asks_and_only_while_the_round_is_open(dp):
    with pytest.raises(SubmissionRefused, match="cannot submit"):
        asked(dp, user=dp.carol)
    with pytest.raises(QueryRefused) as refused:
        asked(dp, round=dp.batch)
    assert refused.value.code == "round.not_interactive"
    close(dp.round)
    with pytest.raises(SubmissionRefused):
        asked(dp, round=dp.contest.rounds.get(key="interactive"))
    assert not Answer.objects.exists()


def test_the_number_of_answers_is_bounded(dp, monkeypatch):
    monkeypatch.setattr(services, "MAX_ANSWERS", 1)
    asked(dp)
    with pytest.raises(QueryRefused) as refused:
        asked(dp, epsilon="0.1")
    assert refused.value.code == "answers.too_many"
    assert MAX_ANSWERS > 1
    assert not asked(dp).is_new


def test_a_crash_between_debit_and_answer_leaves_neither(dp, monkeypatch):
    def crash(*_args, **_kwargs):
        raise RuntimeError("the power went out")

    monkeypatch.setattr(services.audit_log, "record", crash)
    with pytest.raises(RuntimeError):
        asked(dp)
    assert spent(dp) == 0
    assert not Answer.objects.exists()


def test_the_event_tells_the_price_and_no_count(dp):
    answer = asked(dp).answer
    event = Event.objects.get(kind="query.answered")
    assert event.data == {
        "team": "red", "round": "interactive", "number": 1, "epsilon": "0.25", "spent": "0.25",
    }  # fmt: skip
    assert event.subject == str(answer.public_id)


# The batch release


def test_the_table_is_released_once(dp):
    assert release_due() == 1
    assert release_due() == 0
    release = BatchRelease.objects.get()
    assert release.n_records == 12
    assert release.epsilon == 1
    assert ensure_released(dp.batch) == release
    events = Event.objects.filter(kind="batch.released")
    assert [event.data["sha256"] for event in events] == [release.table.sha256]


def test_of_two_drafts_one_is_thrown_away(dp, monkeypatch, settings):
    draw, published = disclosing.released_table, settings.PRIVATE_ROOT / "published"
    n_files = len(list(published.iterdir()))

    def beaten(contest, epsilon):
        mine = draw(contest, epsilon)
        monkeypatch.setattr(disclosing, "released_table", draw)
        ensure_released(dp.batch)
        return mine

    monkeypatch.setattr(disclosing, "released_table", beaten)
    release = ensure_released(dp.batch)
    assert release == BatchRelease.objects.get()
    assert len(list(published.iterdir())) == n_files + 1


def test_a_table_that_was_replaced_meanwhile_is_not_released(dp, monkeypatch):
    draw = disclosing.released_table

    def replaced(contest, epsilon):
        drawn = draw(contest, epsilon)
        file = storage.store(factories.DP_ORIGINAL, area=storage.Area.SEALED, name="other.csv")
        contest.datasets.update(sealed=file)
        monkeypatch.setattr(disclosing, "released_table", draw)
        return drawn

    monkeypatch.setattr(disclosing, "released_table", replaced)
    assert ensure_released(dp.batch) is None
    assert ensure_released(dp.batch) is not None


def test_nothing_is_released_before_the_round_opens(cast):
    contest = factories.make_dp_contest("early", phase="before")
    assert ensure_released(contest.rounds.get(key="batch")) is None
    assert release_due() == 0
    assert not BatchRelease.objects.exists()


# Estimates


def handed_in(dp, estimate: bytes, **kwargs):
    files = {"estimate": ("estimate.csv", estimate)}
    given = {"round": dp.round, "arrived_at": timezone.now()} | kwargs
    return scored(submit(user=dp.alice, team=dp.red, files=files, **given))


def test_an_estimate_is_marked_by_distance_and_ranks(dp):
    right = handed_in(dp, factories.DP_TRUTH)
    assert right.evaluations.get().values == {"table-L2": 0.0, "table-spearman": 1.0}
    off = factories.DP_TRUTH.replace(b"F,young,1", b"F,young,4").replace(b"M,old,1", b"M,old,5")
    assert handed_in(dp, off).evaluations.get().values["table-L2"] == 5.0


@pytest.mark.parametrize(
    ("was", "becomes", "code"),
    [
        (b"F,young,1", b"F,young,-1", "cell.below_minimum"),
        (b"F,young,1", b"F,young,0.5", "cell.not_an_integer"),
        (b"F,young,1\n", b"", "estimate.missing_cells"),
    ],
)
def test_an_unusable_estimate_is_rejected_and_uses_no_try(dp, was, becomes, code):
    rejected = handed_in(dp, factories.DP_TRUTH.replace(was, becomes))
    assert rejected.state == "rejected"
    assert [problem["code"] for problem in rejected.problems] == [code]


def test_the_secret_column_is_in_no_release(dp):
    release_due()
    table = BatchRelease.objects.get().table
    data = storage.read(table)
    assert data.startswith(b"\xef\xbb\xbfsex,age,city\n")
    assert b"canary" not in data
    assert json.dumps(asked(dp).answer.query) == '{"columns": ["sex"], "where": {}}'


def test_no_mark_is_shown_before_the_last_round_about_the_table_has_closed(dp):
    """Exact marks of the batch round would tell those who still ask."""
    now, hour = timezone.now(), timedelta(hours=1)
    move(dp.batch, now - 5 * hour, now + hour)
    batch = dp.contest.rounds.get(key="batch")
    submission = handed_in(dp, factories.DP_TRUTH, round=batch)
    move(batch, now - 5 * hour, now - 4 * hour)
    for closes_at, shown in ((now + hour, False), (now - 3 * hour, True)):
        move(dp.round, now - 4 * hour, closes_at)
        found = Submission.objects.get(pk=submission.pk)
        assert policies.may_see_rate(dp.alice, found, now) is shown
        why = why_final(dp.contest.rounds.get(key="interactive"))
        assert why == ("marked" if shown else None)


@pytest.mark.parametrize("feedback", ["exact", "coarse"])
def test_no_mark_is_shown_at_once_whatever_a_round_says(dp, feedback):
    submission = handed_in(dp, factories.DP_TRUTH)
    dp.contest.rounds.update(feedback=feedback)
    found = Submission.objects.get(pk=submission.pk)
    now = timezone.now()
    assert visible_values(found, latest_evaluation(found), dp.alice, now) is None


def test_nobody_is_late_once_marks_are_shown(dp, cast):
    now, hour = timezone.now(), timedelta(hours=1)
    move(dp.batch, now - 5 * hour, now - 2 * hour)
    move(dp.round, now - hour, now + 2 * hour)
    batch = dp.contest.rounds.get(key="batch")
    late = {"actor": cast.oscar, "team": dp.red, "round": batch, "reason": "ill"}
    with pytest.raises(rulings.RulingRefused) as refused:
        rulings.allow_late(until=now + 3 * hour, **late)
    assert refused.value.code == "late.marks"
    rulings.allow_late(until=now + hour, **late)
    assert policies.may_be_late(dp.red, batch, now)
    move(dp.round, now - hour, now - timedelta(minutes=1))  # closed earlier than was planned
    assert not policies.may_be_late(dp.red, dp.contest.rounds.get(key="batch"), now)
