# SPDX-License-Identifier: Apache-2.0
"""The formula that adds the ranks in the parts of a score."""

from __future__ import annotations

from scoring.formulas.base import Scores, Settings
from scoring.formulas.parts import parts
from scoring.formulas.ranking import K, competition_ranks

USES = ("utility", "protection", "attack")


def part_ranks(scores: Scores[K], settings: Settings) -> dict[K, float | None]:
    """Sum of a team's ranks in utility, protection and attack; lower wins.

    Parameters
    ----------
    scores
        Equal values share the best rank (1 1 3); a missing one ranks as the number of teams.

    Returns
    -------
    dict
        From the number of parts that the contest has (first in each) to that many times the number
        of teams; a part that no team has a value for is left out. None where there is no part.

    Examples
    --------
    >>> scores = Scores(("a", "b"), {"a": {"b": 40.0}, "b": {"a": 10.0}}, {"a": 80.0, "b": 90.0})
    >>> part_ranks(scores, {})
    {'a': 4.0, 'b': 5.0}
    """
    ranks = [competition_ranks(v, direction="higher") for v in parts(scores, USES).values()]
    if not ranks:
        return dict.fromkeys(scores.teams)
    return {team: float(sum(of_part[team] for of_part in ranks)) for team in scores.teams}
