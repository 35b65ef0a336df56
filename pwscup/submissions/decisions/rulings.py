# SPDX-License-Identifier: Apache-2.0
"""Decisions of organizers about teams and submissions, always with a reason that is shown to the team."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from pwscup.accounts.models import Team
from pwscup.accounts.policies import is_organizer
from pwscup.core import audit_log
from pwscup.core.db.columns import longest
from pwscup.core.texts.moments import shown_moment
from pwscup.core.texts.refusals import RefusedByCode
from pwscup.submissions import selectors
from pwscup.submissions.models import LateAllowance, Ruling, Submission
from pwscup.submissions.states import State

if TYPE_CHECKING:
    from pwscup.accounts.models import User
    from pwscup.contests.models import Contest, Round

Kind = Ruling.Kind
LONGEST_DELAY = timedelta(days=30)
REFUSALS = {
    "not_allowed": _("Only organizers of the contest may decide this."),
    "reason.missing": _("Give a reason: it is shown to the team."),
    "submission.not_scored": _(
        "Only a scored submission can be withdrawn, or one whose scoring failed."
    ),
    "already": _("Nothing to change: another organizer may have decided it already."),
    "late.not_closed": _(
        "“%(round)s” is still open until %(expected)s: the team can submit without this. "
        "Choose a later time."
    ),
    "late.past": _("That time is past. Choose a later one."),
    "late.too_long": _("At most %(expected)s days after now are possible."),
    "late.other_contest": _("The team and the round belong to different contests."),
    "late.revealed": _(
        "The secret of the random draws is published: a late team could compute the answers."
    ),
    "late.erased": _("The data of the contest are deleted: nothing can be scored any more."),
    "late.marks": _(
        "The errors of all estimates are shown from %(expected)s on, so “%(round)s” accepts none after that. "
        "Extend the round for everybody instead."
    ),
    "late.presentation": _(
        "In a presentation round nothing is scored, so there are no late submissions."
    ),
}


class RulingRefused(RefusedByCode):
    """A refused decision."""

    TEXTS = REFUSALS


# About submissions and teams


def withdraw(*, actor: User, submission: Submission, reason: str) -> Ruling:
    """Withdraw a submission; the team's next best one counts instead.

    A failed one no longer delays publication.
    """
    if submission.state not in (State.SCORED, State.FAILED):
        raise RulingRefused("submission.not_scored")
    return _rule(actor, submission.team, submission, Kind.WITHDRAWN, reason)


def reinstate_submission(*, actor: User, submission: Submission, reason: str) -> Ruling:
    """Reinstate a withdrawn submission."""
    return _rule(actor, submission.team, submission, Kind.REINSTATED, reason)


def disqualify(*, actor: User, team: Team, reason: str) -> Ruling:
    """Remove a team from all boards."""
    return _rule(actor, team, None, Kind.DISQUALIFIED, reason)


def reinstate_team(*, actor: User, team: Team, reason: str) -> Ruling:
    """Return a disqualified team to the boards."""
    return _rule(actor, team, None, Kind.REINSTATED, reason)


@transaction.atomic
def _rule(actor: User, team: Team, submission: Submission | None, kind: str, reason: str) -> Ruling:
    reason = _checked(actor, team, reason)
    Team.objects.select_for_update(no_key=True).get(pk=team.pk)
    before = selectors.newest_ruling(team, submission)
    holds = before.kind if before else Kind.REINSTATED
    if holds == kind:
        raise RulingRefused("already")
    ruling = Ruling.objects.create(
        team=team, submission=submission, kind=kind, reason=reason, decided_by=actor
    )
    audit_log.record(
        f"ruling.{kind}",
        actor=actor,
        contest_id=team.contest_id,
        subject=str(submission.public_id) if submission else f"team {team.slug}",
        team=team.slug,
        reason=reason,
    )
    return ruling


def _checked(actor: User, team: Team, reason: str) -> str:
    if not is_organizer(actor, team.contest):
        raise RulingRefused("not_allowed")
    reason = reason.strip()
    if not reason:
        raise RulingRefused("reason.missing")
    return reason[: longest(Ruling, "reason")]


# Late files


@transaction.atomic
def allow_late(
    *,
    actor: User,
    team: Team,
    round: Round,
    until: datetime,
    reason: str,
    now: datetime | None = None,
) -> LateAllowance:
    """Allow one team to submit after the round has closed for the others."""
    now = now or timezone.now()
    reason = _checked(actor, team, reason)
    if round.contest_id != team.contest_id:
        raise RulingRefused("late.other_contest")
    if round.format.is_judged:
        raise RulingRefused("late.presentation")
    _refuse_after_the_end(team)
    if round.format.tells_of_table and until > round.results_at:
        shown = shown_moment(round.results_at, round.contest.tz)
        raise RulingRefused("late.marks", round=round.local_title, expected=shown)
    if until <= now:
        raise RulingRefused("late.past")
    if until > now + LONGEST_DELAY:
        raise RulingRefused("late.too_long", expected=LONGEST_DELAY.days)
    if until <= round.closes_at:
        closes = shown_moment(round.closes_at, round.contest.tz)
        raise RulingRefused("late.not_closed", round=round.local_title, expected=closes)
    allowance = LateAllowance.objects.create(
        team=team, round=round, until=until, reason=reason, granted_by=actor
    )
    audit_log.record(
        "ruling.late_allowed",
        actor=actor,
        contest_id=team.contest_id,
        subject=f"team {team.slug}",
        team=team.slug,
        round=round.key,
        until=until.isoformat(),
        reason=reason,
    )
    return allowance


def _refuse_after_the_end(team: Team) -> None:
    """Publishing the secret and deleting the data also take this lock."""
    contest = type(team.contest).objects.select_for_update(no_key=True).get(pk=team.contest_id)
    if contest.revealed_at is not None:
        raise RulingRefused("late.revealed")
    if contest.erased_at is not None:
        raise RulingRefused("late.erased")


# For pages


@dataclass(frozen=True, slots=True)
class Standing:
    """A team on the organizers' page of decisions."""

    team: Team
    is_disqualified: bool
    rulings: tuple[Ruling, ...]
    allowances: tuple[LateAllowance, ...]


def standings_of(contest: Contest) -> list[Standing]:
    """Every team with all decisions about it, in three queries."""
    rulings, allowances = selectors.decisions_in(contest)
    out = selectors.disqualified(contest)
    return [
        Standing(
            team,
            team.pk in out,
            _of(team, rulings),
            _of(team, allowances),
        )
        for team in contest.teams.order_by("name", "pk")
    ]


def _of(team: Team, rows: Iterable) -> tuple:
    return tuple(row for row in rows if row.team_id == team.pk)
