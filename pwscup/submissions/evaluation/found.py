# SPDX-License-Identifier: Apache-2.0
"""The records of published tables that attackers found: how many of them each two found, and most of them one."""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime
from typing import TYPE_CHECKING, Any

from pwscup.contests import truth
from pwscup.core.db.recent import Recent
from pwscup.submissions import selectors
from pwscup.submissions.models import Submission

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from pwscup.contests.models import Round
    from scoring.formulas.uncertainty import Found

_MOST: Recent[int] = Recent(2_000)
"""By release and the evaluations of its counting guesses."""
_FOUND: Recent[Found[int]] = Recent(2_000, most_weight=2_000_000)
"""The same; the weight is the number of pairs of attackers, of 8 bytes each."""


def most_found(
    attack: Round, before: datetime | None = None, *, attackers: Collection[int] | None = None
) -> Mapping[int, int]:
    """L of each attacked team, by its key: the largest number of attackers whose counting guess found the same record.

    Teams without any counting guess are left out, and so are guesses of other teams than `attackers`. With `before`,
    the state at that time. Bitmaps are read only of releases with another guess than before.
    """
    return _of_teams(attack, before, attackers, _MOST, lambda of: truth.most_found(of.values()))


def found_records(
    attack: Round, before: datetime | None = None, *, attackers: Collection[int]
) -> Mapping[int, Found[int]]:
    """The same with the numbers of records that each two attackers found; teams without bitmaps are left out."""
    found = _of_teams(attack, before, attackers, _FOUND, truth.found_records)
    return {team: of for team, of in found.items() if of.n}


def _of_teams(
    attack: Round,
    before: datetime | None,
    attackers: Collection[int] | None,
    kept: Recent[Any],
    count: Callable[[Mapping[int, str]], Any],
) -> dict[int, Any]:
    """What `count` gives for the bitmaps of each attacked team; those that are not kept are read together."""
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
    by_target: dict[int, dict[int, int]] = defaultdict(dict)
    for (team, target), pk in guesses.items():
        if pk in newest:
            by_target[target][newest[pk]] = team
    names = {target: (target, tuple(sorted(of))) for target, of in by_target.items()}
    found = {target: kept.get(name) for target, name in names.items()}
    missing = [pk for target, of in found.items() if of is None for pk in by_target[target]]
    held = selectors.holding().filter(pk__in=missing).values_list("pk", "right")
    rights: dict[int, str] = dict(held) if missing else {}
    for target, of in found.items():
        if of is None:
            teams = by_target[target]
            found[target] = count({team: rights[pk] for pk, team in teams.items() if pk in rights})
            kept.put(names[target], found[target], weight=len(teams) ** 2)
    teams = dict(attack.releases.values_list("pk", "team"))
    return {teams[target]: of for target, of in found.items()}
