# SPDX-License-Identifier: Apache-2.0
"""Simulated contests of which the truth is known: every record is found with a chance that follows from it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scoring.formulas import Line, Scores, ranked_boards
from scoring.formulas.places import board_places
from scoring.formulas.uncertainty import Found, Place, found_of
from scoring.questions.bitmaps import packed
from scoring.rulesets.base import BoardSpec

Lines = dict[str, Line]


@dataclass(frozen=True)
class Contest:
    """Scores as observed and as they would be with infinitely many records, and the bitmaps of each table."""

    observed: Scores[str]
    truth: Scores[str]
    bitmaps: dict[str, dict[str, bytes]]

    @property
    def found(self) -> dict[str, Found[str]]:
        return {team: found_of(of) for team, of in self.bitmaps.items()}


def contest_of(seed: int, n_teams: int = 8, n: int = 200, *, equal: bool = False) -> Contest:
    """A contest in which skilled attackers find more, and records differ in how hard they are.

    With `equal` the first two teams are equal in all that counts: their tables, their utility and their attackers.
    """
    rng = np.random.default_rng(seed)
    teams = tuple(f"t{i}" for i in range(n_teams))
    skill, defence = rng.normal(-1.5, 0.8, n_teams), rng.normal(0, 0.5, n_teams)
    utility = rng.uniform(40, 90, n_teams)
    if equal:
        skill[1], defence[1], utility[1] = skill[0], defence[0], utility[0]
    hardness = rng.normal(0, 1, (n_teams, n))
    grid, weights = np.polynomial.hermite_e.hermegauss(40)
    truth: dict[str, dict[str, float | None]] = {team: {} for team in teams}
    observed: dict[str, dict[str, float | None]] = {team: {} for team in teams}
    bitmaps: dict[str, dict[str, bytes]] = {team: {} for team in teams}
    for d, defender in enumerate(teams):
        for a, attacker in enumerate(teams):
            if a != d:
                level = skill[a] - defence[d]
                truth[attacker][defender] = 100 * float(
                    _chance(level + grid) @ weights / weights.sum()
                )
                right = rng.random(n) < _chance(level + hardness[d])
                observed[attacker][defender] = 100 * float(right.mean())
                bitmaps[defender][attacker] = packed(right)
    known = dict(zip(teams, map(float, utility), strict=True))
    return Contest(Scores(teams, observed, known), Scores(teams, truth, known), bitmaps)


def _chance(level: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-level))


def judged(contest: Contest, *specs: BoardSpec) -> list[tuple[Lines, Lines, dict[str, Place]]]:
    """Each board as observed, the true one, and the intervals of what was observed."""
    boards = ranked_boards(specs, contest.observed)
    truth = ranked_boards(specs, contest.truth)
    places = board_places(specs, contest.observed, contest.found, boards)
    return [(boards[spec.key], truth[spec.key], places[spec.key]) for spec in specs]
