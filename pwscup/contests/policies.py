# SPDX-License-Identifier: Apache-2.0
"""Predicates about the permissions in a contest."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from django.db.models import Q
from django.utils import timezone

from pwscup.accounts.policies import is_judge, is_organizer, plays_in
from pwscup.contests.teams.tables import has_draws
from pwscup.contests.terms import digest_of, has_terms
from pwscup.core.models import Event, Job

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser

    from pwscup.accounts.models import User
    from pwscup.contests.models import Contest, Material, Round

    Person = User | AnonymousUser


def may_create_contests(user: Person) -> bool:
    """Contests are created by users with permission of the installation."""
    return user.is_authenticated and (user.is_organizer or user.is_superuser)


def may_see(user: Person, contest: Contest) -> bool:
    """A published contest is public; a draft is visible to its organizers only."""
    return contest.is_published or is_organizer(user, contest)


def is_frozen(contest: Contest, now: datetime) -> bool:
    """The boards are frozen: everybody sees their state at the time of the freeze."""
    return contest.frozen_at is not None and contest.frozen_at <= now


def may_see_board(user: Person, contest: Contest) -> bool:
    """Everybody; or, if the organizers restrict it, only players, judges and organizers."""
    if contest.board_audience == contest.Audience.PUBLIC:
        return True
    if not user.is_authenticated:
        return False
    judges = contest.judges.filter(pk=user.pk)
    return plays_in(user, contest) or is_organizer(user, contest) or judges.exists()


def has_started(contest: Contest, now: datetime) -> bool:
    """The first round has opened, and the data are available."""
    return any(round.has_opened(now) for round in contest.rounds.all())


def may_download_original(user: Person, contest: Contest, now: datetime) -> bool:
    """Organizers always; members of a team from the opening of the first round."""
    if not user.is_authenticated:
        return False
    if is_organizer(user, contest):
        return True
    return contest.is_published and has_started(contest, now) and plays_in(user, contest)


def may_have_common(user: Person, contest: Contest) -> bool:
    """All teams get the organizer's table, unless each gets its own part of it, or nobody gets it."""
    return contest.format.gives_table or is_organizer(user, contest)


def has_accepted(user: Person, contest: Contest) -> bool:
    """Only the terms can keep this user from the data: there are none, or the current ones are accepted."""
    if not has_terms(contest) or is_organizer(user, contest):
        return True
    if not user.is_authenticated:
        return False
    return contest.acceptances.filter(user=user, digest=digest_of(contest)).exists()


def is_involved(user: Person, contest: Contest) -> bool:
    """The user plays in the contest, judges or organizes it."""
    if not user.is_authenticated:
        return False
    return is_organizer(user, contest) or is_judge(user, contest) or plays_in(user, contest)


def may_have_material(user: Person, material: Material) -> bool:
    """Everybody, or those who are involved; of these, players accept the terms first."""
    is_open = material.audience == material.Audience.EVERYBODY
    return is_open or is_involved(user, material.contest)


def may_accept_terms(user: Person, contest: Contest) -> bool:
    """Terms are accepted by players only."""
    return user.is_authenticated and plays_in(user, contest)


def has_submissions(contest: Contest) -> bool:
    """There is a submission or disclosure: the table and its columns can no longer change."""
    disclosed = Q(answers__isnull=False) | Q(batch_release__isnull=False)
    return contest.rounds.filter(Q(submissions__isnull=False) | disclosed).exists()


def has_begun(round: Round) -> bool:
    """The round has consequences: submissions, published tables, or answered queries."""
    handed_in = round.submissions.exists() or round.releases.exists()
    return handed_in or round.answers.exists() or hasattr(round, "batch_release")


def may_start(contest: Contest) -> bool:
    """All rounds can be moved so that the first one opens now: none has consequences yet."""
    ready = contest.is_published and contest.paused_at is None
    return ready and not any(map(has_begun, contest.rounds.all()))


def why_final(round: Round) -> str | None:
    """The reason (a code of `services.rounds.FINAL`) why a closed round may not be reopened, or None."""
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
    """The results of a frozen board were shown after the round, immediately or in a ceremony that has started."""
    shown = Event.objects.filter(contest_id=round.contest_id, kind="contest.board_revealed")
    ceremonies = round.contest.ceremonies.filter(step__gt=0, started_at__gte=round.closes_at)
    return shown.filter(at__gte=round.closes_at).exists() or ceremonies.exists()


def may_replace_table(user: Person, contest: Contest) -> bool:
    """Until there is a submission, or a table was drawn for a team."""
    fixed = has_submissions(contest) or has_draws(contest)
    return is_organizer(user, contest) and not fixed


def may_unpublish(user: Person, contest: Contest) -> bool:
    """A contest that teams have joined stays published."""
    return is_organizer(user, contest) and contest.is_published and not has_joined(contest)


def has_joined(contest: Contest) -> bool:
    """There is a team of users, or a baseline team that has its table or has submitted something."""
    active = Q(datasets__isnull=False) | Q(submissions__isnull=False)
    return contest.teams.filter(Q(is_house=False) | active).exists()


def is_settled(contest: Contest, now: datetime) -> bool:
    """Every round is over, and every upload that began in time has arrived."""
    rounds = contest.rounds.all()
    return bool(rounds) and all(round.is_settled(now) for round in rounds)


def are_results_complete(contest: Contest, now: datetime) -> bool:
    """It is settled, and everything that arrived is scored."""
    unscored = contest.rounds.filter(submissions__state__in=Job.UNFINISHED)
    return is_settled(contest, now) and not unscored.exists()


def may_reveal(user: Person, contest: Contest, now: datetime) -> bool:
    """The secret of the random draws is published once, when no further draw is possible."""
    return is_organizer(user, contest) and contest.revealed_at is None and is_settled(contest, now)
