# SPDX-License-Identifier: Apache-2.0
"""Queries about trials: only members of the team see them."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING
from uuid import UUID

from django.http import Http404

from pwscup.contests.selectors import visible_round
from pwscup.submissions import policies, selectors
from pwscup.submissions.models import Submission
from pwscup.trials.models import Trial

if TYPE_CHECKING:
    from django.db.models import QuerySet

    from pwscup.accounts.models import Team
    from pwscup.contests.models import Round
    from pwscup.submissions.models import Release
    from pwscup.submissions.policies import Person

MINUTE = timedelta(minutes=1)


def round_with_trials(user: Person, slug: str, key: str) -> Round:
    """A visible round in which teams may try methods; otherwise 404."""
    round = visible_round(user, slug, key)
    if not round.has_trials:
        raise Http404
    return round


def trials_of(team: Team, round: Round) -> QuerySet[Trial]:
    """The kept trials of a team in a round, the newest first."""
    found = Trial.objects.filter(team=team, round=round)
    return found.select_related("target__team", "submission").order_by("-number")


def own_trial(user: Person, public_id: UUID) -> Trial:
    """A trial of the user's team; otherwise 404."""
    trial = (
        Trial.objects.select_related(
            "team", "round__contest", "target__team", "target__round__contest", "submission"
        )
        .filter(public_id=public_id)
        .first()
    )
    if trial is None or not policies.is_member(user, trial.team):
        raise Http404
    return trial


def targets_of(team: Team, round: Round, now: datetime) -> list[Release]:
    """The releases of other teams that the team may attack now; none in a round without targets."""
    if not (round.format.has_targets and round.has_opened(now)):
        return []
    return [release for release in selectors.releases(round) if release.team_id != team.pk]


def next_target(team: Team, round: Round, now: datetime, *, but: Release | None) -> Release | None:
    """The first target that the team has submitted nothing about, other than `but`."""
    sent = Submission.objects.filter(team=team, round=round).exclude(target=None)
    known = {but.pk if but else None, *sent.values_list("target_id", flat=True)}
    targets = targets_of(team, round, now)
    return next((release for release in targets if release.pk not in known), None)


def n_within_a_minute(team: Team, now: datetime) -> int:
    """The number of trials that the team has begun within the last minute."""
    return Trial.objects.filter(team=team, requested_at__gt=now - MINUTE).count()
