# SPDX-License-Identifier: Apache-2.0
"""Several boards of one contest, each by a formula of its own; some are made of the others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from scoring.catalogs import Registry
from scoring.errors import gettext_noop as _
from scoring.formulas.base import PARTS, TIE_BREAKS, Formula, Line, Scores
from scoring.formulas.catalog import FORMULAS
from scoring.formulas.parts import part
from scoring.formulas.ranking import K, competition_ranks
from scoring.formulas.standings import FINAL, attack_places, board_of, combined, means

if TYPE_CHECKING:
    from scoring.rulesets.base import BoardSpec

BOARD_RANKS, BOARD_TOTALS = "board-ranks", "board-totals"
SEASONS = ("totals", "ranks", "boards")
"""Terms of a season's total: the totals of its stages, the ranks in them, or the seasons of the boards below."""

Lines = Mapping[K, Line]


def board_ranks(boards: Sequence[Lines[K]], weights: Sequence[float]) -> dict[K, float | None]:
    """Weighted sum of a team's ranks on other boards; lower wins.

    Parameters
    ----------
    boards : sequence of mapping of team to Line
        With the same teams.
    weights : sequence of float
        One for each board, 0 or more.

    Returns
    -------
    dict
        None for a team that has no total on any of the boards.

    Examples
    --------
    >>> first, second = {"a": Line(1, 90.0), "b": Line(2, 80.0)}, {"a": Line(2, 3.0), "b": Line(1, 7.0)}
    >>> board_ranks([first, second], [1, 1])
    {'a': 3.0, 'b': 3.0}
    """
    return _added(boards, weights, lambda lines, team: lines[team].rank)


def board_totals(boards: Sequence[Lines[K]], weights: Sequence[float]) -> dict[K, float | None]:
    """Weighted sum of a team's totals on other boards; the direction is that of these boards.

    Parameters
    ----------
    boards, weights
        As in `board_ranks`.

    Returns
    -------
    dict
        A missing total counts 0. None for a team that has no total on any of the boards.

    Examples
    --------
    >>> board_totals([{"a": Line(1, 90.0)}, {"a": Line(1, 30.0)}], [0.1, 0.9])
    {'a': 36.0}
    """
    return _added(boards, weights, lambda lines, team: lines[team].total or 0.0)


def _added(
    boards: Sequence[Lines[K]], weights: Sequence[float], value: Callable[[Lines[K], K], float]
) -> dict[K, float | None]:
    pairs = [(Fraction(str(float(w))), of) for w, of in zip(weights, boards, strict=True)]
    return {
        team: float(sum((w * Fraction(value(of, team)) for w, of in pairs), Fraction(0)))
        if any(of[team].total is not None for of in boards)
        else None
        for team in boards[0]
    }


OVER_BOARDS = Registry(
    "formula",
    (
        Formula(BOARD_RANKS, _("Sum of the ranks on other boards"), "lower", (), (), board_ranks),
        Formula(
            BOARD_TOTALS, _("Sum of the totals on other boards"), "higher", (), (), board_totals
        ),
    ),
)
"""The formulas over other boards. `board-totals` has the direction of its boards."""
OF_LISTED = FORMULAS | OVER_BOARDS
"""The formulas that a board of a list may have."""


def in_order(specs: Sequence[BoardSpec]) -> list[BoardSpec]:
    """The boards, each after those that it is made of.

    Raises
    ------
    ValueError
        A board is made of itself, or of one that does not exist.
    """
    left, ordered = {spec.key: spec for spec in specs}, list[Any]()
    while left:
        ready = [spec for spec in left.values() if not left.keys() & set(spec.refers_to)]
        if not ready:
            raise ValueError(f"boards made of themselves: {', '.join(left)}")
        for spec in ready:
            del left[spec.key]
        ordered += ready
    known = {spec.key for spec in specs}
    if missing := {key for spec in specs for key in spec.refers_to} - known:
        raise ValueError(f"no such boards: {', '.join(sorted(missing))}")
    return ordered


def ranked_boards(
    specs: Sequence[BoardSpec],
    scores: Scores[K],
    *,
    players: Sequence[K] | None = None,
    arrived: Mapping[K, Any] | None = None,
    changed: Mapping[str, Any] | None = None,
) -> dict[str, dict[K, Line]]:
    """All boards of a contest or of one stage of it, by their keys.

    Parameters
    ----------
    specs
        The boards of a ruleset.
    scores
    players
        Those that are ranked against each other, such as the teams of a division; all teams where none are named.
        The attacks of the others count all the same, and so do their tables.
    arrived
        When each team's counted submission arrived, for the tie-break "earlier".
    changed
        Settings that every formula which has them takes in place of its own.

    Returns
    -------
    dict
        In the order of the ruleset.

    Examples
    --------
    >>> from scoring.rulesets.base import BoardSpec
    >>> safe = BoardSpec("safe", {}, "weighted-sum", {"utility": 0, "protection": 1, "attack": 0})
    >>> strong = BoardSpec("strong", {}, "top-k-attack", {"k": 1, "own": "zero"})
    >>> both = BoardSpec("both", {}, "board-ranks", boards=("safe", "strong"), weights=(1.0, 1.0), direction="lower")
    >>> scores = Scores(("a", "b"), {"a": {"b": 40.0}, "b": {"a": 10.0}})
    >>> boards = ranked_boards([both, safe, strong], scores)
    >>> {key: [(line.rank, line.total) for line in lines.values()] for key, lines in boards.items()}
    {'both': [(1, 3.0), (1, 3.0)], 'safe': [(1, 90.0), (2, 60.0)], 'strong': [(2, 0.0), (1, 10.0)]}
    """
    teams = scores.teams if players is None else tuple(players)
    own = {name: part(scores, name) for name in PARTS}
    everybody: dict[str, dict[K, Line]] = {}
    among: dict[str, dict[K, Line]] = {}
    for spec in in_order(specs):
        for known, ranked_teams in ((everybody, scores.teams), (among, teams)):
            totals = _totals(spec, scores, known, everybody, changed or {})
            known[spec.key] = board_of(
                {team: totals[team] for team in ranked_teams},
                own,
                spec.direction,
                spec.tie_breaks,
                arrived or {},
                _places(spec.tie_breaks, known) | attack_places(scores),
            )
            if teams is scores.teams:
                among[spec.key] = known[spec.key]
                break
    return {spec.key: among[spec.key] for spec in specs}


def _totals(
    spec: BoardSpec,
    scores: Scores[K],
    known: Mapping[str, Lines[K]],
    everybody: Mapping[str, Lines[K]],
    changed: Mapping[str, Any],
) -> Mapping[K, float | None]:
    if spec.formula in OVER_BOARDS:
        boards = [known[key] for key in spec.boards]
        added: dict[K, float | None] = OVER_BOARDS[spec.formula].function(boards, spec.weights)
        return added
    formula = FORMULAS[spec.formula]
    settings = formula.with_defaults(spec.settings)
    settings |= {name: value for name, value in changed.items() if name in settings}
    if spec.boards:
        lines = everybody[spec.boards[0]]
        places = {team: line.rank for team, line in lines.items() if line.total is not None}
        scores = replace(scores, places=places)
    totals: dict[K, float | None] = formula.function(scores, settings)
    return totals


def _places(tie_breaks: Sequence[str], known: Mapping[str, Lines[K]]) -> dict[str, dict[K, int]]:
    return {
        key: {team: line.rank for team, line in known[key].items()}
        for key in tie_breaks
        if key in known and key not in TIE_BREAKS
    }


def season_boards(
    specs: Sequence[BoardSpec],
    stages: Sequence[tuple[float, Mapping[str, Lines[K]]]],
    arrived: Mapping[K, Any] | None = None,
) -> dict[str, dict[K, Line]]:
    """All boards of a season, by their keys.

    Parameters
    ----------
    specs
        The boards of a ruleset; `season` says of each what is added up.
    stages
        The weight, 0 or more, and the boards of each stage.
    arrived
        As in `ranked_boards`.

    Returns
    -------
    dict
        In the order of the ruleset; see `scoring.formulas.combined` for missing totals.

    Examples
    --------
    >>> from scoring.rulesets.base import BoardSpec
    >>> spec = BoardSpec("safe", {}, "minimum", season="ranks")
    >>> first, second = {"a": Line(1, 90.0), "b": Line(2, 10.0)}, {"a": Line(2, 50.0), "b": Line(1, 51.0)}
    >>> lines = season_boards([spec], [(1, {"safe": first}), (9, {"safe": second})])["safe"]
    >>> {team: (line.rank, line.total) for team, line in lines.items()}
    {'a': (2, 1.9), 'b': (1, 1.1)}
    """
    made: dict[str, dict[K, Line]] = {}
    for spec in in_order(specs):
        own = [(weight, boards[spec.key]) for weight, boards in stages if boards.get(spec.key)]
        tie_breaks = spec.tie_breaks if spec.season_tie_breaks is None else spec.season_tie_breaks
        places = _places(tie_breaks, made) | _final(own)
        if spec.season == "boards":
            boards = [made[key] for key in spec.boards]
            totals = OVER_BOARDS[spec.formula].function(boards, spec.weights)
            parts = means(own, tuple(totals))
            made[spec.key] = board_of(
                totals, parts, spec.direction, tie_breaks, arrived or {}, places
            )
        else:
            made[spec.key] = combined(
                own, spec.direction, tie_breaks, arrived, of=spec.season, places=places
            )
    return {spec.key: made[spec.key] for spec in specs}


def _final(stages: Sequence[tuple[float, Lines[K]]]) -> dict[str, dict[K, int]]:
    """The ranks in the last stage that has totals."""
    ended = [of for _, of in stages if any(line.total is not None for line in of.values())]
    return {FINAL: {team: line.rank for team, line in ended[-1].items()}} if ended else {}


def published(totals: Mapping[K, float | None], direction: str) -> dict[K, Line]:
    """The board of totals that were computed elsewhere, such as those of a preliminary.

    Examples
    --------
    >>> published({"a": 20.0, "b": 30.0}, "higher")["b"].rank
    1
    """
    ranks = competition_ranks(totals, direction=direction)
    return {team: Line(ranks[team], total) for team, total in totals.items()}
