# SPDX-License-Identifier: Apache-2.0
"""The vote of the audience: one ballot per person, secret, and counted only when an organizer ends it."""

from __future__ import annotations

import hashlib
import secrets
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from pwscup.accounts.policies import is_organizer, plays_in
from pwscup.accounts.selectors import team_of
from pwscup.contests.models import Round
from pwscup.core import audit_log
from pwscup.core.texts.refusals import RefusedByCode
from pwscup.submissions.judging.grades import speakers
from pwscup.submissions.judging.models import TalkChoice, TalkVote

if TYPE_CHECKING:
    from pwscup.accounts.models import Team, User
    from pwscup.contests.models import Contest
    from pwscup.submissions.policies import Person

MOST_CHOICES = 3
MOST_GUESTS = 1_000

REFUSALS = {
    "not_organizer": _("Only organizers open and end the vote."),
    "opened_before": _("This round has had its vote already."),
    "not_open": _("The vote is not open. Your choice was not saved."),
    "not_member": _("Only members of teams can vote here."),
    "number": _("Choose at least one and at most %(expected)s presentations — got %(got)s."),
    "unknown": _("Choose among the presentations below. Your own team is not among them."),
    "too_many": _("The vote has as many guests as it can take."),
}


class VoteRefused(RefusedByCode):
    """A refused ballot, or change of a vote."""

    TEXTS = REFUSALS


@dataclass(frozen=True, slots=True)
class Voter:
    """A member of a team, or the browser of a guest."""

    user: User | None = None
    guest: str = ""

    @property
    def key(self) -> str:
        return f"guest {self.guest}" if self.user is None else f"user {self.user.pk}"


def vote_of(round: Round) -> TalkVote | None:
    """The vote of a round, open or ended."""
    return TalkVote.objects.filter(round=round).first()


def may_vote(user: Person, round: Round) -> bool:
    """Members of the contest's teams vote as themselves."""
    return round.format.is_judged and user.is_authenticated and plays_in(user, round.contest)


# The organizer


@transaction.atomic
def open_vote(*, actor: User, round: Round, most: int, has_guests: bool) -> TalkVote:
    """Open the vote of a round, once."""
    _check_organizer(actor, round)
    Round.objects.select_for_update(no_key=True).get(pk=round.pk)
    if TalkVote.objects.filter(round=round).exists():
        raise VoteRefused("opened_before")
    token = secrets.token_urlsafe(12) if has_guests else None
    vote = TalkVote.objects.create(round=round, most=most, token=token)
    _record("opened", vote, actor, most=most, has_guests=has_guests)
    return vote


@transaction.atomic
def end_vote(*, actor: User, round: Round) -> None:
    """Count the ballots, and forget who cast them; the result is public from now on."""
    _check_organizer(actor, round)
    vote = (
        TalkVote.objects.select_for_update(no_key=True).filter(round=round, ended_at=None).first()
    )
    if vote is None:
        raise VoteRefused("not_open")
    cast = set(vote.choices.values_list("user", "guest"))
    vote.n_voters, vote.ended_at = len(cast), timezone.now()
    vote.save(update_fields=["n_voters", "ended_at"])
    vote.choices.update(user=None, guest="")
    counts = Counter(vote.choices.values_list("team__slug", flat=True))
    _record("ended", vote, actor, n_voters=vote.n_voters, counts=dict(sorted(counts.items())))


def _check_organizer(user: User, round: Round) -> None:
    if not (round.format.is_judged and is_organizer(user, round.contest)):
        raise VoteRefused("not_organizer")


def _record(what: str, vote: TalkVote, actor: User, **data: object) -> None:
    round = vote.round
    contest_id = round.contest_id
    audit_log.record(f"vote.{what}", actor=actor, contest_id=contest_id, subject=round.key, **data)


# Ballots


def candidates(round: Round, voter: Voter) -> list[Team]:
    """The presentations that a voter may choose, in an order of the voter's own: no place is better for all."""
    own = team_of(voter.user, round.contest) if voter.user else None
    teams = [team for team in speakers(round) if team != own]

    def drawn(team: Team) -> bytes:
        return hashlib.sha256(f"{round.pk}/{voter.key}/{team.pk}".encode()).digest()

    return sorted(teams, key=drawn)


def chosen_by(vote: TalkVote, voter: Voter) -> set[int]:
    """The teams that the voter has chosen."""
    return set(_ballot(vote, voter).values_list("team", flat=True))


def _ballot(vote: TalkVote, voter: Voter) -> QuerySet[Any]:
    if voter.user is not None:
        return vote.choices.filter(user=voter.user)
    return vote.choices.filter(user=None, guest=voter.guest).exclude(guest="")


def cast(*, voter: Voter, round: Round, teams: Collection[int]) -> None:
    """Save a ballot; another one of the same voter replaces it. No event says who voted, or when.

    Raises
    ------
    VoteRefused
        With the reason; the ballot before stays.
    """
    with transaction.atomic():
        found = TalkVote.objects.select_for_update(no_key=True).filter(round=round, ended_at=None)
        vote = found.first()
        if vote is None:
            raise VoteRefused("not_open")
        if voter.user is not None and not may_vote(voter.user, round):
            raise VoteRefused("not_member")
        if not 1 <= len(set(teams)) <= vote.most:
            raise VoteRefused("number", expected=vote.most, got=len(set(teams)))
        if not set(teams) <= {team.pk for team in candidates(round, voter)}:
            raise VoteRefused("unknown")
        _check_guests(vote, voter)
        _ballot(vote, voter).delete()
        TalkChoice.objects.bulk_create(
            TalkChoice(vote=vote, team_id=team, user=voter.user, guest=voter.guest)
            for team in sorted(set(teams))
        )


def _check_guests(vote: TalkVote, voter: Voter) -> None:
    if voter.user is not None:
        return
    guests = vote.choices.exclude(guest="").exclude(guest=voter.guest)
    if guests.values("guest").distinct().count() >= MOST_GUESTS:
        raise VoteRefused("too_many")


# The award


@dataclass(frozen=True, slots=True)
class Award:
    """The presentations with the most votes, several if they are equal; none if nobody voted."""

    winners: tuple[Team, ...]
    n_votes: int
    n_voters: int


def award_of(contest: Contest) -> Award | None:
    """The award of the last presentation round whose vote has ended; of other contests it asks nothing."""
    rounds = [round for round in contest.rounds.all() if round.format.is_judged]
    if not rounds:
        return None
    ended = TalkVote.objects.filter(round__in=rounds, ended_at__isnull=False)
    vote = ended.select_related("round__contest").order_by("-round__position").first()
    return None if vote is None else result_of(vote)


def result_of(vote: TalkVote) -> Award:
    """Of an ended vote; votes for teams that were disqualified since are left out."""
    counts = Counter(vote.choices.values_list("team", flat=True))
    teams = [team for team in speakers(vote.round) if counts[team.pk]]
    n_votes = max((counts[team.pk] for team in teams), default=0)
    winners = tuple(team for team in teams if counts[team.pk] == n_votes)
    return Award(winners, n_votes, vote.n_voters)
