# SPDX-License-Identifier: Apache-2.0
"""Other rules: before the first submission they hold at once, afterwards a re-scoring stands beside what counts."""

from __future__ import annotations

import itertools
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from pwscup.contests.services.common import ChangedMeanwhile, ContestRefused
from pwscup.core import jobs
from pwscup.core.models import Event
from pwscup.rescores import diff, selectors, services
from pwscup.rescores.jobs import write
from pwscup.submissions.jobs import finish_rejected, finish_scored
from pwscup.submissions.models import TOO_SLOW, Evaluation, Rescore, Submission
from pwscup.submissions.selectors import latest_evaluation
from pwscup.submissions.states import State
from scoring.errors import Problem, ProblemsFound
from tests import factories
from tests.web.pipeline import counting_by, guess, hand_in, publish, scored

pytestmark = pytest.mark.usefixtures("sent", "announced")
MORE_ROWS = b"row\n1\n2\n3\n3\n"


def with_s2_alone(text: str) -> str:
    """The rules with another measure of safety ranked and other ties."""
    return text.replace('safety = ["S1", "S2"]', 'safety = ["S2"]').replace(
        'ties = "expected"', 'ties = "strict"'
    )


def rescored(contest, actor) -> Rescore:
    """A re-scoring by changed rules that a worker has computed."""
    services.change_rules(actor=actor, contest=contest, text=with_s2_alone(contest.ruleset_text))
    rescore = selectors.undecided(contest)
    assert jobs.work_on(Rescore, rescore.pk)
    rescore.refresh_from_db()
    return rescore


# Before the first submission


def test_before_the_first_submission_other_rules_hold_at_once(cast):
    text = with_s2_alone(cast.contest.ruleset_text)
    written = services.change_rules(actor=cast.oscar, contest=cast.contest, text=text, note="n")
    assert cast.contest.ruleset.ranking.safety == ("S2",)
    assert written.applied_at is not None
    assert selectors.undecided(cast.contest) is None
    event = Event.objects.get(kind="contest.ruleset_changed")
    assert event.data["digest"][1] == written.digest
    assert event.actor == cast.oscar


def test_rounds_follow_the_rules_and_those_that_stay_keep_their_dates(cast, draft):
    from scoring.rulesets import load_ruleset

    before = {round.key: round.opens_at for round in draft.rounds.all()}
    season = load_ruleset("pwscup2015-season").text
    services.change_rules(actor=cast.oscar, contest=draft, text=season)
    rounds = list(draft.rounds.order_by("position"))
    assert [round.key for round in rounds] == [s.key for s in draft.ruleset.rounds]
    assert all(a.closes_at <= b.opens_at for a, b in itertools.pairwise(rounds))
    services.change_rules(actor=cast.oscar, contest=draft, text=load_ruleset("pwscup2015").text)
    assert set(draft.rounds.values_list("key", flat=True)) == set(before)


def test_wrong_rules_are_refused_with_every_key_and_nothing_changes(cast):
    before = cast.contest.ruleset_text
    text = before.replace('"U1", "U2"', '"U1", "U99"', 1).replace(
        "max_team_size = 10", "max_team_size = 0"
    )
    with pytest.raises(ProblemsFound) as found:
        services.change_rules(actor=cast.oscar, contest=cast.contest, text=text)
    keys = {problem.params["key"] for problem in found.value.problems}
    assert {"scoring.measures", "limits.max_team_size"} <= keys
    cast.contest.refresh_from_db()
    assert cast.contest.ruleset_text == before
    assert not cast.contest.ruleset_versions.exists()


def test_rules_that_count_by_a_column_that_the_table_lacks_are_refused(cast):
    text = counting_by(cast.contest.ruleset_text, "qi1", "town")
    with pytest.raises(ProblemsFound) as found:
        services.change_rules(actor=cast.oscar, contest=cast.contest, text=text)
    [problem] = found.value.problems
    assert problem.params["got"] == "town"
    text = counting_by(cast.contest.ruleset_text, "qi1", "sa1")
    services.change_rules(actor=cast.oscar, contest=cast.contest, text=text)
    cast.contest.refresh_from_db()
    assert cast.contest.ruleset.options.table_columns == ("qi1", "sa1")


def test_the_same_rules_and_an_older_page_are_refused(cast):
    with pytest.raises(ContestRefused, match="already in force"):
        services.change_rules(
            actor=cast.oscar, contest=cast.contest, text=cast.contest.ruleset_text
        )
    with pytest.raises(ChangedMeanwhile):
        services.change_rules(
            actor=cast.oscar,
            contest=cast.contest,
            version=cast.contest.version + 1,
            text=with_s2_alone(cast.contest.ruleset_text),
        )


# Afterwards


def test_afterwards_they_wait_beside_what_counts_until_they_are_applied(cast, submission):
    before = latest_evaluation(scored(submission))
    old = cast.contest.ruleset.digest
    rescore = rescored(cast.contest, cast.oscar)
    assert rescore.state == Rescore.State.DONE
    assert (rescore.n_done, rescore.n_total) == (1, 1)
    submission.refresh_from_db()
    assert latest_evaluation(submission) == before
    cast.contest.refresh_from_db()
    assert cast.contest.ruleset.digest == old

    services.apply(actor=cast.oscar, contest=cast.contest)
    made = rescore.evaluations.get()
    assert latest_evaluation(submission) == made
    assert made.ruleset_digest == cast.contest.ruleset.digest == rescore.rules.digest
    assert cast.contest.ruleset.ranking.safety == ("S2",)
    assert Evaluation.objects.filter(pk=before.pk).exists()


def test_what_is_dropped_changes_nothing_and_stays_to_be_looked_at(cast, submission):
    before = latest_evaluation(scored(submission))
    rescore = rescored(cast.contest, cast.oscar)
    services.drop(actor=cast.oscar, contest=cast.contest)
    cast.contest.refresh_from_db()
    assert latest_evaluation(submission) == before
    assert cast.contest.ruleset.ranking.safety == ("S1", "S2")
    assert rescore.evaluations.count() == 1
    assert selectors.undecided(cast.contest) is None


def test_guesses_are_evaluated_again_too(cast, round):
    for user, team in ((cast.alice, cast.red), (cast.carol, cast.blue)):
        scored(hand_in(user, team, round))
    target = publish(cast.contest)["Red"]
    attack = scored(guess(cast.carol, cast.blue, target, b"1\n2\n3\n4\n"))
    before = latest_evaluation(attack).values
    rescore = rescored(cast.contest, cast.oscar)
    assert rescore.evaluations.count() == 3
    assert rescore.evaluations.get(submission=attack).values == before


def test_a_file_that_the_new_rules_take_is_scored_and_one_that_they_refuse_rejected(
    cast, round, monkeypatch
):
    good = scored(hand_in(cast.alice, cast.red, round))
    bad = scored(hand_in(cast.alice, cast.red, round, rows=MORE_ROWS))
    assert bad.state == State.REJECTED
    services.change_rules(
        actor=cast.oscar, contest=cast.contest, text=with_s2_alone(cast.contest.ruleset_text)
    )
    rescore = selectors.undecided(cast.contest)
    real = Evaluation.objects.get(submission=good)

    from pwscup.submissions import evaluation

    evaluate = evaluation.evaluate

    def swapped(pk, rules=None):
        return evaluate({good.pk: bad.pk, bad.pk: good.pk}[pk], rules)

    monkeypatch.setattr(evaluation, "evaluate", swapped)
    jobs.work_on(Rescore, rescore.pk)
    services.apply(actor=cast.oscar, contest=cast.contest)
    good.refresh_from_db()
    bad.refresh_from_db()
    assert (good.state, bad.state) == (State.REJECTED, State.SCORED)
    assert good.n_problems == len(good.problems) > 0
    assert bad.problems == []
    assert latest_evaluation(bad).rescore == rescore
    assert latest_evaluation(good) is None
    assert Evaluation.objects.filter(pk=real.pk).exists()


def test_what_took_too_long_stays_rejected(cast, submission):
    problem = {"code": TOO_SLOW, "params": {"expected": 300, "n": 3}}
    claim = jobs.claim(Submission, submission.pk)
    finish_rejected(claim, [Problem.from_dict(problem)], 1)
    rules = cast.contest.ruleset_versions.create(number=1, text=cast.contest.ruleset_text)
    rescore = Rescore.objects.create(contest=cast.contest, rules=rules, scoring_version="1")
    assert not selectors.missing(rescore).exists()
    Submission.objects.update(problems=[problem | {"code": "cell.empty"}])
    assert list(selectors.missing(rescore)) == [submission]


def test_what_arrives_meanwhile_must_be_computed_before_it_is_applied(cast, round, submission):
    scored(submission)
    rescore = rescored(cast.contest, cast.oscar)
    late = hand_in(cast.alice, cast.red, round)
    with pytest.raises(ContestRefused, match="new submissions"):
        services.apply(actor=cast.oscar, contest=cast.contest)
    scored(late)
    with pytest.raises(ContestRefused, match="new submissions"):
        services.apply(actor=cast.oscar, contest=cast.contest)
    services.complete(actor=cast.oscar, contest=cast.contest)
    jobs.work_on(Rescore, rescore.pk)
    services.apply(actor=cast.oscar, contest=cast.contest)
    assert {e.submission_id for e in rescore.evaluations.all()} == {submission.pk, late.pk}


def test_what_is_being_scored_while_the_rules_change_is_scored_by_the_new_ones(cast, submission):
    """Its claim is given back: it waits again, and no result by the old rules is written."""
    claim = jobs.claim(Submission, submission.pk)
    old = cast.contest.ruleset.digest
    services_text = with_s2_alone(cast.contest.ruleset_text)
    type(cast.contest).objects.filter(pk=cast.contest.pk).update(ruleset_text=services_text)
    result = {
        "ruleset_digest": old,
        "scoring_version": "1",
        "seed": "1",
        "input_hashes": {},
        "values": {},
        "seconds": 0,
    }
    assert not finish_scored(claim, **result)
    submission.refresh_from_db()
    assert submission.state == State.WAITING
    assert scored(submission).evaluations.get().ruleset_digest != old


def test_one_re_scoring_at_a_time(cast, submission):
    scored(submission)
    rescored(cast.contest, cast.oscar)
    with pytest.raises(ContestRefused, match="not decided"):
        services.start(actor=cast.oscar, contest=cast.contest)
    with pytest.raises(ContestRefused, match="not decided"):
        services.change_rules(
            actor=cast.oscar,
            contest=cast.contest,
            text=cast.contest.ruleset_text.replace('ties = "expected"', 'ties = "first"'),
        )


def test_the_rules_that_hold_may_be_computed_by_a_newer_library(cast, submission, monkeypatch):
    scored(submission)
    monkeypatch.setattr("scoring.__version__", "9.9.9")
    rescore = services.start(actor=cast.oscar, contest=cast.contest)
    jobs.work_on(Rescore, rescore.pk)
    services.apply(actor=cast.oscar, contest=cast.contest)
    assert latest_evaluation(submission).scoring_version == "9.9.9"
    assert not Event.objects.filter(kind="contest.ruleset_changed").exists()


def test_rounds_tables_and_files_are_fixed_once_something_was_handed_in(cast, submission):
    from scoring.rulesets import load_ruleset

    lecture = load_ruleset("pets-lecture").text
    with pytest.raises(ContestRefused) as refused:
        services.change_rules(actor=cast.oscar, contest=cast.contest, text=lecture)
    words = " ".join(map(str, refused.value.messages))
    assert "[data]" in words
    assert "[[round]]" in words
    cast.contest.refresh_from_db()
    assert not cast.contest.ruleset_versions.exists()


# Losses


def test_a_worker_that_comes_late_writes_nothing_and_another_goes_on(cast, round):
    first, second = (scored(hand_in(cast.alice, cast.red, round)) for _ in range(2))
    rescore = services.start(actor=cast.oscar, contest=cast.contest)
    lost = jobs.claim(Rescore, rescore.pk)
    made_by = {"digest": "d", "version": "1"}
    assert write(lost, first, None, [], **made_by)
    Rescore.objects.filter(pk=rescore.pk).update(lease_until=timezone.now() - timedelta(hours=1))
    jobs.sweep()
    assert jobs.work_on(Rescore, rescore.pk)
    assert not write(lost, second, None, [], **made_by)
    assert rescore.evaluations.count() == 2
    assert not jobs.finish(lost, Rescore.State.DONE)
    assert jobs.expired(Rescore) == []


def test_a_re_scoring_dropped_while_it_runs_ends_without_a_trace(cast, submission):
    scored(submission)
    rescore = services.start(actor=cast.oscar, contest=cast.contest)
    claim = jobs.claim(Rescore, rescore.pk)
    services.drop(actor=cast.oscar, contest=cast.contest)
    assert not write(claim, submission, None, [], digest="d", version="1")
    assert not jobs.finish(claim, Rescore.State.DONE)
    rescore.refresh_from_db()
    assert rescore.state == Rescore.State.DROPPED


def test_a_failure_of_ours_can_be_tried_again(cast, submission, monkeypatch):
    scored(submission)
    rescore = services.start(actor=cast.oscar, contest=cast.contest)
    from pwscup.submissions import evaluation

    def breaks(pk, rules=None):
        raise RuntimeError("out of ideas")

    with monkeypatch.context() as patched:
        patched.setattr(evaluation, "evaluate", breaks)
        jobs.work_on(Rescore, rescore.pk)
    rescore.refresh_from_db()
    assert rescore.state == Rescore.State.FAILED
    assert rescore.reference
    services.complete(actor=cast.oscar, contest=cast.contest)
    jobs.work_on(Rescore, rescore.pk)
    services.apply(actor=cast.oscar, contest=cast.contest)


def test_nothing_handed_in_is_nothing_to_evaluate(cast):
    with pytest.raises(ContestRefused, match="There are no submissions yet"):
        services.start(actor=cast.oscar, contest=cast.contest)
    other = factories.make_contest("other")
    with pytest.raises(ContestRefused, match="no re-scoring"):
        services.apply(actor=cast.oscar, contest=other)


# Pages


def test_the_editor_shows_what_the_rules_page_would_say_and_keeps_nothing(cast, oscar):
    address = reverse("organize-rules-preview", args=["cup"])
    text = cast.contest.ruleset_text.replace('en = "Attack round"', 'en = "The big raid"')
    page = oscar.post(address, {"text": text, "version": "0"}).content.decode()
    assert "The big raid" in page
    cast.contest.refresh_from_db()
    assert "The big raid" not in cast.contest.ruleset_text


def test_the_editor_shows_the_columns_and_the_largest_team_of_the_contest(cast, oscar):
    contest = cast.contest
    contest.max_team_size = contest.ruleset.limits.max_team_size - 1
    contest.save()
    address = reverse("organize-rules-preview", args=["cup"])
    page = oscar.post(address, {"text": contest.ruleset_text, "version": "0"})
    told = page.context["rules"]
    read = oscar.get(reverse("rules", args=["cup"])).context["rules"]
    assert told.columns
    assert (told.columns, told.limits) == (read.columns, read.limits)


def test_the_editor_names_every_wrong_key(cast, oscar):
    text = cast.contest.ruleset_text.replace('"U1", "U2"', '"U1", "U99"', 1) + "\n[extra]\nx = 1\n"
    for name in ("organize-rules", "organize-rules-preview"):
        page = oscar.post(reverse(name, args=["cup"]), {"text": text, "version": "0"})
        assert "scoring.measures" in page.content.decode()
        assert "extra" in page.content.decode()
    assert page.status_code == 200
    assert not cast.contest.ruleset_versions.exists()


def test_what_was_typed_stays_where_it_is_refused(cast, oscar):
    text = cast.contest.ruleset_text.replace('ties = "expected"', 'ties = "never"')
    response = oscar.post(
        reverse("organize-rules", args=["cup"]), {"text": text, "version": "0", "note": "why"}
    )
    assert response.status_code == 422
    assert "never" in response.content.decode()


def test_saved_rules_hold_and_can_be_downloaded(cast, oscar):
    text = with_s2_alone(cast.contest.ruleset_text)
    crlf = text.replace("\n", "\r\n")
    given = {"text": crlf, "version": str(cast.contest.version), "note": "S2 says more"}
    assert oscar.post(reverse("organize-rules", args=["cup"]), given).status_code == 302
    cast.contest.refresh_from_db()
    assert cast.contest.ruleset_text == text
    number = cast.contest.ruleset_versions.get().number
    file = oscar.get(reverse("organize-rules-version", args=["cup", number]))
    assert file.content.decode() == text
    assert "S2 says more" in oscar.get(reverse("organize-rules", args=["cup"])).content.decode()


def test_the_page_shows_the_difference_by_board_and_team(cast, round, oscar):
    """Averaging is better by S2, noise by every measure of utility: without utility the ranks turn round."""
    scored(hand_in(cast.alice, cast.red, round))
    scored(hand_in(cast.carol, cast.blue, round, anonymized=factories.AVERAGED))
    text = cast.contest.ruleset_text.replace(
        'utility = ["U1", "U2", "U3", "U4", "U5", "U6"]', 'utility = ["U2"]'
    )
    services.change_rules(actor=cast.oscar, contest=cast.contest, text=text, note="only U2")
    rescore = selectors.undecided(cast.contest)
    jobs.work_on(Rescore, rescore.pk)
    rescore.refresh_from_db()
    (board,) = (b for b in diff.boards(rescore) if "nonymization" in str(b.title))
    rows = {row.team: row for row in board.rows}
    assert {row.rank_before for row in rows.values()} != {None}
    assert any(row.is_changed for row in rows.values())
    before = {team: (row.rank_before, row.total_before) for team, row in rows.items()}
    after = {team: (row.rank_after, row.total_after) for team, row in rows.items()}
    page = oscar.get(reverse("organize-rescore", args=["cup"])).content.decode()
    assert "only U2" in page
    assert "Red" in page
    # Looking changed nothing, and applying does what was shown.
    rescore.refresh_from_db()
    assert rescore.state == Rescore.State.DONE
    now = {p.name: (p.rank, p.total) for p in _placed(cast.contest, board.title)}
    assert now == before
    services.apply(actor=cast.oscar, contest=cast.contest)
    now = {p.name: (p.rank, p.total) for p in _placed(cast.contest, board.title)}
    assert now == after


def _placed(contest, title):
    return diff.placings(type(contest).objects.get(pk=contest.pk), timezone.now())[title]


def test_the_buttons_start_drop_and_say_when_they_are_too_late(cast, submission, oscar):
    scored(submission)
    address = reverse("organize-rescore", args=["cup"])
    oscar.post(address, {"action": "start", "version": str(cast.contest.version)})
    rescore = cast.contest.rescores.get()
    assert "waiting" in oscar.get(reverse("organize-rescore-status", args=["cup"])).content.decode()
    old = {"action": "drop", "version": "0"}
    assert "Another organizer" in oscar.post(address, old, follow=True).content.decode()
    rescore.refresh_from_db()
    assert rescore.state == Rescore.State.WAITING
    cast.contest.refresh_from_db()
    oscar.post(address, {"action": "drop", "version": str(cast.contest.version)})
    rescore.refresh_from_db()
    assert rescore.state == Rescore.State.DROPPED
    assert oscar.post(address, {"action": "explode"}).status_code == 404
