# SPDX-License-Identifier: Apache-2.0
"""The largest number of attackers who found the same record of a published table."""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime
from typing import TYPE_CHECKING

from pwscup.contests import truth
from pwscup.core.db.recent import Recent
from pwscup.submissions import selectors
from pwscup.submissions.models import Submission

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from pwscup.contests.models import Round

_MOST: Recent[int] = Recent(2_000)
"""By release and the evaluations of its counting guesses."""


def most_found(
    attack: Round, before: datetime | None = None, *, attackers: Collection[int] | None = None
) -> Mapping[int, int]:
    """L of each attacked team, by its key: the largest number of attackers whose counting guess found the same record.

    Teams without any counting guess are left out, and so are guesses of other teams than `attackers`. With `before`,
    the state at that time. Bitmaps are read only of releases with another guess than before.
    """
    scored = selectors.standing(Submission.objects.filter(round=attack), before)
    scored = scored.exclude(target=None).order_by(*selectors.OLDEST_FIRST)
    guesses = {
        (team, target): pk
        for team, target, pk in scored.values_list("team", "target", "pk")
        if attackers is None or team in attackers
    }
    newest = dict(
        selectors.holding(before)
        .filter(submission__in=list(guesses.values()))
        .order_by("pk")
        .values_list("submission", "pk")
    )
    by_target: dict[int, list[int]] = defaultdict(list)
    for (_team, target), pk in guesses.items():
        if pk in newest:
            by_target[target].append(newest[pk])
    teams = dict(attack.releases.values_list("pk", "team"))
    return {teams[target]: _most(target, tuple(sorted(made))) for target, made in by_target.items()}


def _most(target: int, evaluations: tuple[int, ...]) -> int:
    known = _MOST.get((target, evaluations))
    if known is None:
        made = selectors.holding().filter(pk__in=evaluations)
        known = truth.most_found(made.values_list("right", flat=True))
        _MOST.put((target, evaluations), known)
    return known
