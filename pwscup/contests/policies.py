"""Who may do what with a contest: predicates that change nothing."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from django.db.models import Q
from django.utils import timezone

from pwscup.accounts.policies import is_organizer, plays_in
from pwscup.contests.teams.tables import has_draws
from pwscup.contests.terms import digest_of, has_terms
from pwscup.core.models import Event

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser

    from pwscup.accounts.models import User
    from pwscup.contests.models import Contest, Round

    Person = User | AnonymousUser


def may_create_contests(user: Person) -> bool:
    """Contests are made by people whom the installation trusts with it."""
    return user.is_authenticated and (user.is_organizer or user.is_superuser)


def may_see(user: Person, contest: Contest) -> bool:
    """A published contest is public; a draft is its organizers' alone."""
    return contest.is_published or is_organizer(user, contest)


def is_frozen(contest: Contest, now: datetime) -> bool:
    """The boards stand still: everybody sees them as they were then."""
    return contest.frozen_at is not None and contest.frozen_at <= now


def may_see_board(user: Person, contest: Contest) -> bool:
    """Everybody, or where the organizers want it so only its players, its judges and themselves."""
    if contest.board_audience == contest.Audience.PUBLIC:
        return True
    if not user.is_authenticated:
        return False
    judges = contest.judges.filter(pk=user.pk)
    return plays_in(user, contest) or is_organizer(user, contest) or judges.exists()


def has_started(contest: Contest, now: datetime) -> bool:
    """The first round has opened, and with it the data."""
    return any(round.has_opened(now) for round in contest.rounds.all())


def may_download_original(user: Person, contest: Contest, now: datetime) -> bool:
    """Organizers always; members of a team from the opening of the first round on."""
    if not user.is_authenticated:
        return False
    if is_organizer(user, contest):
        return True
    return contest.is_published and has_started(contest, now) and plays_in(user, contest)


def may_have_common(user: Person, contest: Contest) -> bool:
    """The organizer's table is for all teams, unless each gets its own part of it, or nobody any."""
    return contest.format.gives_table or is_organizer(user, contest)


def has_accepted(user: Person, contest: Contest) -> bool:
    """Nothing keeps this person from the data but the terms: there are none, or the present ones are accepted."""
    if not has_terms(contest) or is_organizer(user, contest):
        return True
    if not user.is_authenticated:
        return False
    return contest.acceptances.filter(user=user, digest=digest_of(contest)).exists()


def may_accept_terms(user: Person, contest: Contest) -> bool:
    """The terms are between the organizers and those who play."""
    return user.is_authenticated and plays_in(user, contest)


def has_submissions(contest: Contest) -> bool:
    """Something was handed in or disclosed: from now on the table and its columns are facts."""
    disclosed = Q(answers__isnull=False) | Q(batch_release__isnull=False)
    return contest.rounds.filter(Q(submissions__isnull=False) | disclosed).exists()


def has_begun(round: Round) -> bool:
    """Something follows from the round's opening: files were handed in, tables published, queries answered."""
    handed_in = round.submissions.exists() or round.releases.exists()
    return handed_in or round.answers.exists() or hasattr(round, "batch_release")


def why_final(round: Round) -> str | None:
    """Why a closed round may not be opened again (a code of `services.rounds.FINAL`), or None."""
    if round.contest.erased_at is not None:
        return "erased"
    if round.submissions.filter(releases__isnull=False).exists():
        return "released"
    if round.contest.revealed_at is not None or _is_shown(round):
        return "revealed"
    if round.format.tells_of_table and round.is_settled(timezone.now()):
        return "marked"
    return None


def _is_shown(round: Round) -> bool:
    """The results of a frozen board were shown after the round, at once or in a ceremony that has begun."""
    shown = Event.objects.filter(contest_id=round.contest_id, kind="contest.board_revealed")
    ceremonies = round.contest.ceremonies.filter(step__gt=0, started_at__gte=round.closes_at)
    return shown.filter(at__gte=round.closes_at).exists() or ceremonies.exists()


def may_replace_table(user: Person, contest: Contest) -> bool:
    """Until something was handed in, or drawn from the table for a team."""
    fixed = has_submissions(contest) or has_draws(contest)
    return is_organizer(user, contest) and not fixed


def may_unpublish(user: Person, contest: Contest) -> bool:
    """A contest that teams have joined stays where they found it."""
    return is_organizer(user, contest) and contest.is_published and not contest.teams.exists()


def is_settled(contest: Contest, now: datetime) -> bool:
    """Every round is over, and every upload that began in time has arrived."""
    rounds = contest.rounds.all()
    return bool(rounds) and all(round.is_settled(now) for round in rounds)


def may_reveal(user: Person, contest: Contest, now: datetime) -> bool:
    """The secret behind the draws is published once, when nothing is drawn from it any more."""
    return is_organizer(user, contest) and contest.revealed_at is None and is_settled(contest, now)
