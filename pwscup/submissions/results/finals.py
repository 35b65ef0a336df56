# SPDX-License-Identifier: Apache-2.0
"""Random measures have two values: one is the feedback during a round, the other the final score.

The final one is hidden as long as a team may submit in the round. Otherwise a team could fit its table to the
deciding random draws.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pwscup.contests.models import upload_grace
from pwscup.formats import format_of
from pwscup.submissions import selectors
from pwscup.submissions.models import LateAllowance

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from pwscup.contests.models import Contest, Round
    from pwscup.submissions.models import Evaluation
    from scoring.rulesets import Ruleset

    Values = Mapping[str, float | int | None]


def drawing_measures(ruleset: Ruleset) -> tuple[str, ...]:
    """The measures of the ruleset whose values depend on a seed."""
    return format_of(ruleset).rules.drawing(ruleset)


def are_final(round: Round, now: datetime, before: datetime | None = None) -> bool:
    """The final values of a round are effective: it is over, also for teams with permission to submit late.

    With `before`, the state at that time. Reads nothing if no measure is random.
    """
    if not round.format.is_attacked or not round.is_settled(now):
        return False
    if not drawing_measures(round.contest.ruleset):
        return True
    return not selectors.may_be_late([round], now, before)


def rounds_of(contest: Contest, now: datetime, before: datetime | None = None) -> list[int]:
    """The rounds of a contest whose final values are effective; none if no measure is random."""
    if not drawing_measures(contest.ruleset):
        return []
    return [round.pk for round in contest.rounds.all() if are_final(round, now, before)]


def moments(contest: Contest) -> list[datetime]:
    """The times when the end of a late team's extension makes values final."""
    if not drawing_measures(contest.ruleset):
        return []
    late = LateAllowance.objects.filter(round__contest=contest).order_by("pk")
    return [until + upload_grace() for until in late.values_list("until", flat=True)]


def combined(values: Values | None, final: Values | None, *, is_final: bool) -> Values | None:
    """The effective values."""
    return {**values, **final} if is_final and values is not None and final else values


def values_of(evaluation: Evaluation, *, is_final: bool) -> Values | None:
    """The effective values of an evaluation; None if it rejects the files."""
    return combined(evaluation.values, evaluation.final_values, is_final=is_final)
