# SPDX-License-Identifier: Apache-2.0
"""The tables of all teams, for a teacher without a server, and the key that links them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from scoring.errors import Collector
from scoring.formats.lecture.draw import candidate_table, draw
from scoring.formats.lecture.release import candidate_lines
from scoring.tables.equivalence import IntArray
from scoring.tables.schema import Column, Kind, Role, Schema

if TYPE_CHECKING:
    import pandas as pd

MAX_TEAMS = 1_000
KEY_SCHEMA = Schema(
    (
        Column("team", Role.OTHER, Kind.CATEGORY),
        *(
            Column(name, Role.OTHER, Kind.INTEGER, min=1)
            for name in ("record", "candidate", "table_row")
        ),
    )
)
"""The key's columns: a record of a team's original is which line of its candidate table, and which
row of the organizer's table; all from 1."""


@dataclass(frozen=True, slots=True)
class TeamDraw:
    """The draw of one team.

    Attributes
    ----------
    team : str
    own : int64 array, shape (sample,)
        The 0-based rows of the organizer's table that the team's original is made of.
    candidates : int64 array, shape (sample + decoys,)
        The row that each line of its candidate table is.
    """

    team: str
    own: IntArray
    candidates: IntArray


def split(n_total: int, n_teams: int, sample: int, decoys: int, *, seed: int) -> list[TeamDraw]:
    """Draw every team's original and its candidate table.

    Teams draw independently of each other: one more team changes nothing for the others, and two
    teams may hold the same person.

    Parameters
    ----------
    n_total : int
        How many records the organizer's table has.
    n_teams : int
        1 to `MAX_TEAMS`; they are called team1, team2 …
    sample, decoys : int
        How many records each team gets, and how many further ones its candidate table.
    seed : int
        0 or more.

    Raises
    ------
    ValueError
        Where a number cannot be used or the table has too few records.

    Examples
    --------
    >>> teams = split(10, 2, 3, 2, seed=1)
    >>> [(team.team, len(team.own), len(team.candidates)) for team in teams]
    [('team1', 3, 5), ('team2', 3, 5)]
    """
    if not 1 <= n_teams <= MAX_TEAMS:
        raise ValueError(f"teams: expected 1 to {MAX_TEAMS}, got {n_teams}")
    found = []
    for number, rng in enumerate(np.random.default_rng(seed).spawn(n_teams), start=1):
        own, others = draw(n_total, sample, decoys, rng=rng)
        found.append(TeamDraw(f"team{number}", own, candidate_table(own, others, rng=rng)))
    return found


def key_of(teams: Sequence[TeamDraw]) -> pd.DataFrame:
    """The key of several teams, with the columns of `KEY_SCHEMA`.

    Examples
    --------
    >>> team = TeamDraw("team1", np.array([7, 2]), np.array([5, 2, 7]))
    >>> key_of([team]).to_numpy().tolist()
    [['team1', 1, 3, 8], ['team1', 2, 2, 3]]
    """
    import pandas as pd

    parts = [
        pd.DataFrame(
            {
                "team": pd.array([team.team] * len(team.own), dtype="str"),
                "record": np.arange(1, len(team.own) + 1),
                "candidate": candidate_lines(team.own, team.candidates) + 1,
                "table_row": team.own + 1,
            }
        )
        for team in teams
    ]
    return pd.concat(parts, ignore_index=True)


def lines_of_team(key: pd.DataFrame, team: str, n_original: int) -> IntArray:
    """The 0-based candidate line of each record of a team's original, by a key.

    Raises
    ------
    ProblemsFound
        Where the key does not have every record of the team once, each with its own candidate.

    Examples
    --------
    >>> lines_of_team(key_of(split(10, 2, 3, 2, seed=1)), "team2", 3).shape
    (3,)
    """
    own = key[key["team"] == team].sort_values("record")
    problems = Collector()
    if not len(own):
        known = ", ".join(dict.fromkeys(key["team"].tolist()))
        problems.add("lecture_key.unknown_team", file="key", expected=known[:200], got=team)
    elif own["record"].tolist() != list(range(1, n_original + 1)):
        problems.add("lecture_key.records", file="key", expected=n_original, got=len(own))
    elif own["candidate"].duplicated().any():
        problems.add("lecture_key.repeated_candidate", file="key", got=team)
    problems.raise_if_any()
    lines: IntArray = own["candidate"].to_numpy(dtype=np.int64) - 1
    return lines
