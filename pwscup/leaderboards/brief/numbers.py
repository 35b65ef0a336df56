# SPDX-License-Identifier: Apache-2.0
"""Counts for the front page: contests that everybody sees, their teams, and what these submitted."""

from __future__ import annotations

import time
from dataclasses import dataclass

from django.db.models import F, QuerySet

from pwscup.accounts.models import Team
from pwscup.contests.models import Contest
from pwscup.core.db.recent import Recent
from pwscup.submissions.models import Submission

OLD_SECONDS = 20
"""The age up to which counts are shown: the front page must not count every submission for each visitor.

Each process counts for itself."""


@dataclass(frozen=True, slots=True)
class Numbers:
    """Public contests, teams in them, and uploads of tables, attacks and estimates."""

    contests: int
    teams: int
    submissions: int


_KEPT: Recent[tuple[float, Numbers]] = Recent(1)


def recent() -> Numbers:
    """The counts of now, or of a few seconds ago."""
    kept, now = _KEPT.get(None), time.monotonic()
    if kept is None or now - kept[0] > OLD_SECONDS:
        kept = now, of_site()
        _KEPT.put(None, kept)
    return kept[1]


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
