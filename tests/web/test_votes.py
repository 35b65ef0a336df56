# SPDX-License-Identifier: Apache-2.0
"""The vote of the audience: one secret ballot a person, hidden until the end, and no part of the total."""

from __future__ import annotations

import pytest
from django.urls import reverse

from pwscup.core.models import Event
from pwscup.submissions.judging import votes
from pwscup.submissions.judging.models import TalkChoice, TalkVote
from tests import factories
from tests.web import archives, lecture


@pytest.fixture
def cup(cast):
    """The presentation round is open; dora plays in a third team."""
    found = lecture.contest_of(cast, phase="presentation")
    found.round = lecture.round_of(found.contest, "presentation")
    found.green = factories.make_team(found.contest, "Green", factories.make_user("dora"))
    return found


def url(cup, name: str = "vote") -> str:
    return reverse(name, args=[cup.contest.slug, cup.round.key])


def opened(cup, cast, *, most: int = 1, has_guests: bool = False) -> TalkVote:
    return votes.open_vote(actor=cast.oscar, round=cup.round, most=most, has_guests=has_guests)


def test_members_vote_once_and_not_for_themselves(cup, cast, as_user):
    alice, bob = as_user(cast.alice), as_user(cast.bob)
    assert alice.post(url(cup), {"team": cup.blue.pk}).status_code == 422
    opened(cup, cast)
    assert alice.post(url(cup), {"team": cup.red.pk}).status_code == 422
    assert alice.post(url(cup), {}).status_code == 422
    both = {"team": [cup.blue.pk, cup.green.pk]}
    assert alice.post(url(cup), both).status_code == 422
    for wrong in ("x", "9" * 30, "0", "²"):
        assert alice.post(url(cup), {"team": wrong}).status_code == 422
    assert not TalkChoice.objects.exists()
    for team in (cup.blue, cup.green):
        assert alice.post(url(cup), {"team": team.pk}).status_code == 302
    assert bob.post(url(cup), {"team": cup.green.pk}).status_code == 302
    assert list(TalkChoice.objects.values_list("user__email", "team__name")) == [
        (cast.alice.email, "Green"),
        (cast.bob.email, "Green"),
    ]
    page = alice.get(url(cup)).content.decode()
    assert f'value="{cup.green.pk}" id="team-{cup.green.pk}" checked' in page
    assert f'value="{cup.red.pk}"' not in page
    for stranger in (cast.eve, cast.oscar):
        assert as_user(stranger).get(url(cup)).status_code == 404


def test_nothing_is_known_before_the_end_and_nobody_is_named_after_it(cup, cast, as_user, client):
    opened(cup, cast, most=2)
    oscar = as_user(cast.oscar)
    as_user(cast.alice).post(url(cup), {"team": [cup.blue.pk, cup.green.pk]})
    as_user(cast.carol).post(url(cup), {"team": cup.green.pk})
    board = reverse("board", args=[cup.contest.slug])
    for page in (oscar.get(url(cup, "round")), oscar.get(board)):
        assert "Audience award" not in page.content.decode()
    assert [event.kind for event in Event.objects.filter(kind__startswith="vote.")] == [
        "vote.opened"
    ]
    strangers = as_user(cast.alice).post(url(cup, "organize-vote"), {"do": "end"})
    assert strangers.status_code == 404
    assert oscar.post(url(cup, "organize-vote"), {"do": "end"}).status_code == 302
    assert not TalkChoice.objects.exclude(user=None, guest="").exists()
    event = Event.objects.get(kind="vote.ended")
    assert event.data == {"n_voters": 2, "counts": {"blue": 1, "green": 2}}
    for page in (client.get(board), client.get(url(cup, "round"))):
        text = page.content.decode().partition("Audience award")[2]
        assert "<strong>Green</strong>" in text
        assert "2 votes each, 2 voters" in text
    late = as_user(cast.carol).post(url(cup), {"team": cup.red.pk})
    assert late.status_code == 422
    assert "The vote is not open" in late.content.decode()
    again = oscar.post(url(cup, "organize-vote"), {"do": "open"}, follow=True)
    assert "has had its vote already" in again.content.decode()


def test_guests_vote_with_the_link_once_a_browser(cup, cast, as_user, client, monkeypatch):
    oscar = as_user(cast.oscar)
    oscar.post(url(cup, "organize-vote"), {"do": "open", "most": "1", "guests": "on"})
    vote = TalkVote.objects.get()
    link = reverse("guest-vote", args=[vote.token])
    assert link in oscar.get(url(cup, "round")).content.decode()
    assert link not in as_user(cast.alice).get(url(cup, "round")).content.decode()
    assert client.get(link).status_code == 200
    for team in (cup.red, cup.blue):
        assert client.post(link, {"team": team.pk}).status_code == 302
    assert list(TalkChoice.objects.values_list("team", flat=True)) == [cup.blue.pk]
    assert as_user(cast.alice).get(link)["Location"] == url(cup)
    monkeypatch.setattr(votes, "MOST_GUESTS", 1)
    other = as_user(cast.eve).post(link, {"team": cup.red.pk})
    assert "as many guests" in other.content.decode()
    client.cookies["pwscup_voter"] = "forged:signature"
    assert client.post(link, {"team": cup.red.pk}).status_code == 422
    assert TalkChoice.objects.count() == 1
    assert client.get(reverse("guest-vote", args=["unknown"])).status_code == 404


def test_ballots_are_in_another_order_for_everybody(cup, cast):
    for n in range(6):
        factories.make_team(cup.contest, f"Team {n}")
    orders = {
        tuple(team.pk for team in votes.candidates(cup.round, votes.Voter(guest=str(n))))
        for n in range(20)
    }
    assert len(orders) > 15


def test_equal_presentations_share_the_award_and_none_is_possible(cup, cast):
    vote = opened(cup, cast)
    for user, team in ((cast.alice, cup.blue), (cast.carol, cup.red)):
        votes.cast(voter=votes.Voter(user=user), round=cup.round, teams=[team.pk])
    votes.end_vote(actor=cast.oscar, round=cup.round)
    vote.refresh_from_db()
    award = votes.result_of(vote)
    assert ({team.name for team in award.winners}, award.n_votes) == ({"Red", "Blue"}, 1)
    TalkChoice.objects.all().delete()
    assert votes.result_of(vote).winners == ()


def test_an_archive_holds_the_vote_without_the_voters(cup, cast, unsent):
    opened(cup, cast, has_guests=True)
    votes.cast(voter=votes.Voter(user=cast.alice), round=cup.round, teams=[cup.green.pk])
    votes.end_vote(actor=cast.oscar, round=cup.round)
    data = archives.bytes_of(archives.written(cup.contest, cast.oscar))
    copy = archives.imported(cast.oscar, data).contest
    award = votes.award_of(copy)
    assert ([team.name for team in award.winners], award.n_voters) == (["Green"], 1)
    public = archives.entries(
        archives.bytes_of(archives.written(cup.contest, cast.oscar, with_key=False))
    )
    assert not {"votes.csv", "voted.csv"} & public.keys()
