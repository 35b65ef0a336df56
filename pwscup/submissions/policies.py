# SPDX-License-Identifier: Apache-2.0
"""Predicates about the permissions on submissions."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from pwscup.accounts.models import Membership
from pwscup.accounts.policies import is_judge, is_organizer, plays_in
from pwscup.contests.policies import may_download_original
from pwscup.contests.rules.measures import hidden_measures
from pwscup.core.db.prepared import Prepared
from pwscup.submissions.models import LateAllowance, Submission
from pwscup.submissions.states import FINAL, State

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser
    from django.db.models import QuerySet

    from pwscup.accounts.models import Team, User
    from pwscup.contests.models import Round
    from pwscup.submissions.models import Release

    Person = User | AnonymousUser


def _memberships(user_id: int, team_id: int) -> QuerySet[Membership, Any]:
    return Membership.objects.filter(user=user_id, team=team_id).order_by().values_list("pk")


_MEMBERSHIP = Prepared(_memberships, int, int)


def is_member(user: Person, team: Team) -> bool:
    return user.is_authenticated and _MEMBERSHIP.first(user.pk, team.pk) is not None


def plays_for(user: Person | None, team: Team, round: Round) -> bool:
    """A member; or no user, as the platform plays for its own teams; or an organizer for one of these, in a round whose
    tables only they publish."""
    if user is None or not team.is_house:
        return team.is_house if user is None else is_member(user, team)
    return publishes_for_house(user, round)


def publishes_for_house(user: Person, round: Round) -> bool:
    """An organizer in a round whose tables only the platform's teams publish."""
    return round.spec.is_organizers and is_organizer(user, round.contest)


def may_be_late(team: Team, round: Round, now: datetime) -> bool:
    """An organizer allows this team to submit although the round has closed for the others.

    Not after the errors of estimates are shown: a team that submits or asks then would know them.
    """
    if round.format.tells_of_table and round.results_at <= now:
        return False
    newest = LateAllowance.objects.filter(team=team, round=round).order_by("-pk").first()
    return runs(round, now) and newest is not None and round.opens_at <= now < newest.until


def runs(round: Round, moment: datetime) -> bool:
    """The contest's clock was running at that time: an upload that began before a pause counts."""
    paused_at = round.contest.paused_at
    return paused_at is None or moment < paused_at


def takes_files(round: Round, moment: datetime) -> bool:
    """A file that arrived at that time is accepted: between the round's dates, and not during a pause."""
    return runs(round, moment) and round.opens_at <= moment < round.closes_at


def may_see_marks(user: Person, round: Round) -> bool:
    """Judges may see their own grades, organizers all of them."""
    judging = is_organizer(user, round.contest) or is_judge(user, round.contest)
    return round.format.is_judged and judging


def may_mark(user: Person, round: Round, now: datetime) -> bool:
    """Judges and organizers who do not play, while the presentation round is open."""
    return (
        may_see_marks(user, round)
        and round.contest.is_published
        and takes_files(round, now)
        and not (user.is_authenticated and plays_in(user, round.contest))
    )


def may_see_all_slides(user: Person, round: Round, now: datetime) -> bool:
    """Judges and organizers immediately; players after the round has closed. A team always sees its own."""
    if may_see_marks(user, round):
        return True
    return user.is_authenticated and round.is_settled(now) and plays_in(user, round.contest)


def may_rule(user: Person, submission: Submission) -> bool:
    """Organizers may withdraw and reinstate, also submissions of a dry run."""
    return is_organizer(user, submission.round.contest)


def may_appeal(user: Person, submission: Submission) -> bool:
    """The submitting team, and the organizers, who answer."""
    return submission.state in FINAL and may_see(user, submission)


def may_see(user: Person, submission: Submission) -> bool:
    """The submitting team, and the organizers."""
    return is_member(user, submission.team) or is_organizer(user, submission.round.contest)


def may_change(user: Person, submission: Submission) -> bool:
    """Notes and choices belong to the team; organizers may only read."""
    return is_member(user, submission.team)


def may_cancel(user: Person, submission: Submission) -> bool:
    return may_change(user, submission) and submission.state == State.WAITING


def may_choose(user: Person, submission: Submission, now: datetime) -> bool:
    """A team chooses among its scored submissions, until the round closes."""
    return (
        may_change(user, submission)
        and submission.state == State.SCORED
        and counts_by_choice(submission.round)
        and not submission.round.has_closed(now)
    )


def counts_by_choice(round: Round) -> bool:
    return round.contest.ruleset.round(round.key).counts == "chosen_or_latest"


def may_see_rate(user: Person, submission: Submission, now: datetime) -> bool:
    """The exact result is shown: a rate after each guess would be an oracle."""
    if submission.state not in FINAL:
        return False
    if is_organizer(user, submission.round.contest):
        return True
    round = submission.round
    # Whatever the round's setting: exact errors of estimates reveal the hidden table without cost.
    exact = round.feedback == round.Feedback.EXACT and not round.format.tells_of_table
    return is_member(user, submission.team) and (exact or round.is_settled(now))


def may_audit(user: Person, submission: Submission, now: datetime) -> bool:
    """Users who may see all exact rates of a scored table: an audit contains more of the same kind."""
    return (
        submission.round.format.is_attacked
        and not hidden_measures(submission.round.contest, user)
        and submission.state == State.SCORED
        and may_see_rate(user, submission, now)
    )


def may_have_table(user: Person, team: Team, now: datetime) -> bool:
    """A team's own table, for its members from the opening of the first round, and for organizers."""
    contest = team.contest
    if not contest.format.own_tables:
        return False
    may_download = may_download_original(user, contest, now)
    return may_download and (is_member(user, team) or is_organizer(user, contest))


def may_download_release(user: Person, release: Release, now: datetime) -> bool:
    return may_have_published(user, release.round, now)


def may_have_published(user: Person, round: Round, now: datetime) -> bool:
    """Published files of a round: for players of the contest from its opening; for organizers always."""
    contest = round.contest
    if is_organizer(user, contest):
        return True
    return (
        user.is_authenticated
        and contest.is_published
        and round.has_opened(now)
        and plays_in(user, contest)
    )
