# SPDX-License-Identifier: Apache-2.0
"""Withdraw, disqualify, reinstate, accept late — with a reason the team reads — and appeals."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from pwscup.core.models import Event
from pwscup.submissions import releases, selectors, services
from pwscup.submissions.decisions import appeals, rulings
from pwscup.submissions.models import Ruling
from pwscup.submissions.results import counting
from pwscup.submissions.states import State
from tests import factories
from tests.web.pipeline import close, guess, hand_in, open_attack, publish, scored

HOUR = timedelta(hours=1)


@pytest.fixture
def two(cast, round, sent):
    """Red's two scored tables, the newer one counting."""
    return [scored(hand_in(cast.alice, cast.red, round)) for _ in range(2)]


# Submissions


def test_what_is_withdrawn_no_longer_counts_and_may_count_again(cast, round, two):
    first, second = two
    assert selectors.counted_submission(cast.red, round) == second
    rulings.withdraw(actor=cast.oscar, submission=second, reason="made by another team")
    assert selectors.counted_submission(cast.red, round) == first
    assert selectors.counted_submissions(round) == {cast.red.pk: first}
    rulings.reinstate_submission(actor=cast.oscar, submission=second, reason="a mistake of ours")
    assert selectors.counted_submission(cast.red, round) == second


def test_a_withdrawn_choice_does_not_count(cast, round, two):
    first, second = two
    services.choose(user=cast.alice, submission=first)
    rulings.withdraw(actor=cast.oscar, submission=first, reason="r")
    assert selectors.counted_submission(cast.red, round) == second
    assert selectors.counted_submissions(round) == {cast.red.pk: second}


def test_a_withdrawn_guess_gives_way_to_the_one_before(cast, round, sent):
    for user, team in ((cast.alice, cast.red), (cast.carol, cast.blue)):
        scored(hand_in(user, team, round))
    red = publish(cast.contest)["Red"]
    good = scored(guess(cast.carol, cast.blue, red, b"1\n2\n3\n4\n"))
    bad = scored(guess(cast.carol, cast.blue, red, b"0\n0\n0\n0\n"))
    pair = (cast.blue.pk, cast.red.pk)
    for rate, submission in ((0.75, good), (0.25, bad)):
        submission.evaluations.update(values={"rate": rate})
    assert counting.counted_rates(red.round) == {pair: 0.25}
    assert selectors.counting_guesses(cast.blue, red.round) == {red.pk: bad.pk}
    rulings.withdraw(actor=cast.oscar, submission=bad, reason="r")
    assert counting.counted_rates(red.round) == {pair: 0.75}
    assert selectors.counting_guesses(cast.blue, red.round) == {red.pk: good.pk}


def test_only_scored_ones_are_withdrawn_and_nothing_twice(cast, round, two, sent):
    waiting = hand_in(cast.alice, cast.red, round)
    with pytest.raises(rulings.RulingRefused, match="scored"):
        rulings.withdraw(actor=cast.oscar, submission=waiting, reason="r")
    rulings.withdraw(actor=cast.oscar, submission=two[0], reason="r")
    with pytest.raises(rulings.RulingRefused, match="already"):
        rulings.withdraw(actor=cast.oscar, submission=two[0], reason="r")
    with pytest.raises(rulings.RulingRefused, match="already"):
        rulings.reinstate_submission(actor=cast.oscar, submission=two[1], reason="r")
    assert Ruling.objects.count() == 1


@pytest.mark.parametrize("who", ["alice", "carol", "eve"])
def test_nobody_but_an_organizer_decides(cast, two, who):
    with pytest.raises(rulings.RulingRefused, match="organizer"):
        rulings.withdraw(actor=getattr(cast, who), submission=two[0], reason="r")
    with pytest.raises(rulings.RulingRefused, match="organizer"):
        rulings.disqualify(actor=getattr(cast, who), team=cast.red, reason="r")


def test_a_decision_needs_a_reason(cast, two):
    with pytest.raises(rulings.RulingRefused, match="reason"):
        rulings.withdraw(actor=cast.oscar, submission=two[0], reason="  \n ")


# Teams


def test_a_disqualified_team_hands_in_nothing_more(cast, round, sent):
    rulings.disqualify(actor=cast.oscar, team=cast.red, reason="two accounts of one person")
    assert selectors.disqualified(cast.contest) == {cast.red.pk}
    with pytest.raises(services.SubmissionRefused) as refused:
        hand_in(cast.alice, cast.red, round)
    assert refused.value.code == "team.disqualified"
    hand_in(cast.carol, cast.blue, round)
    rulings.reinstate_team(actor=cast.oscar, team=cast.red, reason="cleared up")
    assert selectors.disqualified(cast.contest) == set()
    hand_in(cast.alice, cast.red, round)


def test_a_withdrawn_submission_disqualifies_no_team(cast, two):
    rulings.withdraw(actor=cast.oscar, submission=two[0], reason="r")
    assert selectors.disqualified(cast.contest) == set()


def test_the_team_reads_who_decided_and_why(cast, two, as_user):
    rulings.disqualify(actor=cast.oscar, team=cast.red, reason="two accounts of one person")
    rulings.withdraw(actor=cast.oscar, submission=two[0], reason="made by another team")
    page = as_user(cast.bob).get(reverse("decisions", args=["cup"])).content.decode()
    assert "two accounts of one person" in page
    assert "made by another team" in page
    assert "Oscar" in page
    own = as_user(cast.alice).get(reverse("submission", args=[two[0].public_id])).content.decode()
    assert "made by another team" in own
    other = as_user(cast.carol).get(reverse("decisions", args=["cup"])).content.decode()
    assert "accounts of one person" not in other


def test_every_decision_is_in_the_audit_trail(cast, round, two):
    rulings.disqualify(actor=cast.oscar, team=cast.red, reason="r1")
    rulings.reinstate_team(actor=cast.oscar, team=cast.red, reason="r2")
    rulings.withdraw(actor=cast.oscar, submission=two[0], reason="r3")
    until = round.closes_at + HOUR
    rulings.allow_late(actor=cast.oscar, team=cast.red, round=round, until=until, reason="r4")
    found = Event.objects.filter(kind__startswith="ruling.").order_by("pk")
    assert [(event.kind, event.data["reason"], event.actor) for event in found] == [
        ("ruling.disqualified", "r1", cast.oscar),
        ("ruling.reinstated", "r2", cast.oscar),
        ("ruling.withdrawn", "r3", cast.oscar),
        ("ruling.late_allowed", "r4", cast.oscar),
    ]


# Late files


def test_a_team_that_may_be_late_hands_in_after_the_end_and_nobody_else_does(cast, round, sent):
    close(round)
    until = timezone.now() + HOUR
    rulings.allow_late(
        actor=cast.oscar, team=cast.red, round=round, until=until, reason="power cut"
    )
    assert scored(hand_in(cast.alice, cast.red, round)).state == State.SCORED
    with pytest.raises(services.SubmissionRefused) as refused:
        hand_in(cast.carol, cast.blue, round)
    assert refused.value.code == "round.closed"
    with pytest.raises(services.SubmissionRefused) as refused:
        hand_in(cast.alice, cast.red, round, arrived_at=until)
    assert refused.value.code == "round.closed"


def test_a_late_table_is_published_beside_those_that_are(cast, round, sent):
    scored(hand_in(cast.carol, cast.blue, round))
    attack = open_attack(cast.contest)
    assert [release.team for release in releases.publish(attack)] == [cast.blue]
    round.refresh_from_db()
    until = timezone.now() + HOUR
    rulings.allow_late(actor=cast.oscar, team=cast.red, round=round, until=until, reason="r")
    late = scored(hand_in(cast.alice, cast.red, round))
    assert [release.submission for release in releases.publish(attack)] == [late]
    with pytest.raises(services.SubmissionRefused) as refused:
        hand_in(cast.alice, cast.red, round)
    assert refused.value.code == "round.released"


def test_late_moments_that_make_no_sense_are_refused(cast, round):
    def refused(until):
        with pytest.raises(rulings.RulingRefused) as caught:
            rulings.allow_late(
                actor=cast.oscar, team=cast.red, round=round, until=until, reason="r"
            )
        return caught.value.code

    now = timezone.now()
    assert refused(now - HOUR) == "late.past"
    assert refused(round.closes_at) == "late.not_closed"
    assert refused(now + timedelta(days=31)) == "late.too_long"


def test_the_form_lets_a_team_be_late_on_the_contests_clock(cast, round, oscar):
    close(round)
    until = (timezone.now() + HOUR).astimezone(cast.contest.tz)
    response = oscar.post(
        reverse("organize-decisions", args=["cup"]),
        {
            "action": "late",
            "team": cast.red.pk,
            "round": round.pk,
            "until": until.strftime("%Y-%m-%dT%H:%M"),
            "reason": "power cut",
        },
    )
    assert response.status_code == 302
    allowance = cast.red.late_allowances.get()
    assert allowance.until == until.replace(second=0, microsecond=0)
    assert "power cut" in oscar.get(reverse("organize-decisions", args=["cup"])).content.decode()


def test_another_contests_team_cannot_be_named(cast, oscar):
    other = factories.make_contest("other")
    stranger = factories.make_team(other, "Stranger")
    data = {"action": "disqualify", "team": stranger.pk, "reason": "r"}
    response = oscar.post(reverse("organize-decisions", args=["cup"]), data)
    assert response.status_code == 422
    assert not Ruling.objects.exists()


def test_a_disqualification_asks_first_and_only_a_disqualified_team_is_reinstated(cast, oscar):
    url = reverse("organize-decisions", args=["cup"])
    before = oscar.get(url)
    assert 'data-confirm="Disqualify this team?' in before.content.decode()
    assert 'value="reinstate"' not in before.content.decode()
    rulings.disqualify(actor=cast.oscar, team=cast.red, reason="r")
    page = oscar.get(url)
    assert 'value="reinstate"' in page.content.decode()
    assert list(page.context["back_form"].fields["team"].queryset) == [cast.red]
    back = {"action": "reinstate", "reason": "cleared up"}
    assert oscar.post(url, back | {"team": cast.blue.pk}).status_code == 422
    assert oscar.post(url, back | {"team": cast.red.pk}).status_code == 302
    assert 'value="reinstate"' not in oscar.get(url).content.decode()


# Appeals


def test_a_thread_opens_is_answered_and_settled(cast, two, as_user, oscar):
    address = reverse("submission-appeal", args=[two[0].public_id])
    assert as_user(cast.bob).post(address, {"text": "Is E2 right?"}).status_code == 302
    assert appeals.open_appeals(cast.contest) == [two[0]]
    assert oscar.post(address, {"text": "Yes: see Table 3.", "close": "1"}).status_code == 302
    assert appeals.open_appeals(cast.contest) == []
    page = as_user(cast.alice).get(address).content.decode()
    assert "Is E2 right?" in page
    assert "see Table 3" in page
    as_user(cast.alice).post(address, {"text": "We do not agree."})
    assert appeals.is_open(two[0])


def test_a_team_cannot_settle_its_own_appeal(cast, two, as_user):
    address = reverse("submission-appeal", args=[two[0].public_id])
    as_user(cast.alice).post(address, {"text": "x", "close": "1"})
    assert appeals.is_open(two[0])
    assert not two[0].appeal.get().is_organizer


def test_other_teams_neither_read_nor_write(cast, two, as_user):
    address = reverse("submission-appeal", args=[two[0].public_id])
    assert as_user(cast.carol).get(address).status_code == 404
    assert as_user(cast.carol).post(address, {"text": "x"}).status_code == 404
    with pytest.raises(appeals.AppealRefused, match="team and the organizers"):
        appeals.write(user=cast.carol, submission=two[0], text="x")


def test_empty_long_and_too_many_messages_are_refused(cast, two, as_user):
    address = reverse("submission-appeal", args=[two[0].public_id])
    for text in ("", "  ", "x" * 4001):
        assert as_user(cast.alice).post(address, {"text": text}).status_code == 422
    for number in range(appeals.MOST_A_DAY):
        appeals.write(user=cast.alice, submission=two[0], text=str(number))
    with pytest.raises(appeals.AppealRefused, match="within a day"):
        appeals.write(user=cast.bob, submission=two[1], text="one more")


def test_a_message_is_text_and_no_markup(cast, two, as_user):
    address = reverse("submission-appeal", args=[two[0].public_id])
    as_user(cast.alice).post(address, {"text": "<script>alert(1)</script>"})
    assert "<script>alert" not in as_user(cast.alice).get(address).content.decode()


def test_the_page_of_decisions_asks_as_much_for_thirty_teams_as_for_three(cast, oscar):
    def n_queries() -> int:
        with CaptureQueriesContext(
            connection,
        ) as queries:
            assert oscar.get(reverse("organize-decisions", args=["cup"])).status_code == 200
        return len(queries)

    rulings.disqualify(actor=cast.oscar, team=cast.red, reason="r")
    few = n_queries()
    for number in range(28):
        team = factories.make_team(cast.contest, f"T{number}")
        rulings.disqualify(actor=cast.oscar, team=team, reason="r")
    assert n_queries() == few
