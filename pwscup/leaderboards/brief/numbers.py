# SPDX-License-Identifier: Apache-2.0
"""Counts for the front page: contests that everybody sees, their teams, and what these submitted."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import F, QuerySet

from pwscup.accounts.models import Team
from pwscup.contests.models import Contest
from pwscup.submissions.models import Submission


@dataclass(frozen=True, slots=True)
class Numbers:
    """Public contests, teams in them, and uploads of tables, attacks and estimates."""

    contests: int
    teams: int
    submissions: int


def of_site() -> Numbers:
    """The counts of now."""
    public = Contest.objects.filter(Contest.PUBLIC, rehearsal_of=None).order_by()
    keys = public.values("pk")
    return Numbers(
        public.count(),
        Team.objects.filter(contest__in=keys).count(),
        _unfrozen().filter(round__contest__in=keys).count(),
    )


def _unfrozen() -> QuerySet[Submission]:
    """Without what arrived after the freeze of a board: it is hidden until the end."""
    frozen_at = F("round__contest__frozen_at")
    return Submission.objects.exclude(
        round__contest__frozen_at__isnull=False, arrived_at__gte=frozen_at
    )
