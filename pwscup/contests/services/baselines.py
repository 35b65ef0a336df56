# SPDX-License-Identifier: Apache-2.0
"""Baseline teams: organizers choose which teams the platform plays in their contest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from pwscup.accounts import services as accounts
from pwscup.accounts.policies import is_over
from pwscup.contests import policies
from pwscup.contests.services.common import ContestRefused, lock
from pwscup.contests.teams import tables
from scoring.rulesets.kinds import BASELINE_TEAMS

if TYPE_CHECKING:
    from pwscup.accounts.models import Team, User
    from pwscup.contests.models import Contest


@transaction.atomic
def add_baseline_team(
    *, actor: User, contest: Contest, version: int | None = None, name: str
) -> Team:
    """A team of `BASELINE_TEAMS` that the platform plays from now on."""
    held = lock(contest, version)
    _refuse_when_fixed(held)
    if name not in BASELINE_TEAMS:
        raise ContestRefused(_("There is no such baseline team."))
    if tables.n_teams_left(held) == 0:
        raise ContestRefused(
            _(
                "Each team gets tables of its own people, and none are left for another team. Use larger tables, or a "
                "smaller number of people in the rules."
            )
        )
    return accounts.add_baseline_team(actor=actor, contest=held, name=name)


@transaction.atomic
def remove_baseline_team(
    *, actor: User, contest: Contest, version: int | None = None, name: str
) -> None:
    """Remove a baseline team that has not played."""
    held = lock(contest, version)
    _refuse_when_fixed(held)
    # Not passed to the database, which accepts no NUL.
    team = next((one for one in held.teams.filter(is_house=True) if one.name == name), None)
    if team is None:
        raise ContestRefused(_("There is no such baseline team."))
    accounts.remove_baseline_team(actor=actor, team=team)


def may_change_baseline_teams(contest: Contest) -> bool:
    """Until the first round has closed, and then until something is submitted: a team that comes later has no table to
    attack, and would change the ranks of those that play.
    """
    now = timezone.now()
    first = contest.rounds.first()
    is_late = first is None or first.has_closed(now)
    return not is_over(contest, now) and not (is_late and policies.has_submissions(contest))


def _refuse_when_fixed(contest: Contest) -> None:
    if not may_change_baseline_teams(contest):
        raise ContestRefused(
            _(
                "The first round has closed or the contest is over, so the baseline teams no longer change."
            )
        )
