# SPDX-License-Identifier: Apache-2.0
"""The boards of `rank`: a contest's from a file of rates, a season's from several, or those of a ruleset."""

from __future__ import annotations

import math
import re
from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from scoring import plugins
from scoring.catalogs import Registry
from scoring.cli import rank_intervals
from scoring.cli.output import Output, UsageError, aligned, read_file
from scoring.errors import Collector, ProblemsFound
from scoring.formulas import (
    FORMER_NAMES,
    FORMULAS,
    MEASURE_RANKS,
    OFFICIAL,
    PARTS,
    Formula,
    Line,
    Scores,
    combined,
    ranked,
)
from scoring.formulas.base import LOWEST_RATES
from scoring.formulas.files import read_counts, read_matrix, read_part
from scoring.formulas.ranking import AVERAGES
from scoring.options import unknown_option, wrong_value

if TYPE_CHECKING:
    from scoring.formulas.uncertainty import Place

GIVEN = {"utility": 100.0, "presentation": 100.0, "loss": math.inf, "repeats": math.inf}
"""The values of teams in files of their own, and the largest value of each; the other parts are in the matrix."""
FILES = ("matrix", "guesses", *GIVEN)
"""The options of which there is one file a season."""

Board = Mapping[str, Line]


def known() -> Registry[Formula]:
    """The formulas that the command takes, those of plugins among them."""
    plugins.load()
    return Registry("formula", (OFFICIAL[MEASURE_RANKS], *FORMULAS.values()))


def listed() -> str:
    """Every formula with its settings and their defaults."""
    lines = ["formulas and settings:"]
    for formula in known().values():
        lines.append(f"  {formula.id:<20}{formula.title}; {formula.direction} is better")
        for setting in formula.settings:
            name = f"{setting.name}={written(setting.default)}"
            lines.append(f"      {name:<16}{setting.description}")
    return "\n".join([*lines, ""])


def written(value: float | str) -> str:
    """A value of a setting, a number without trailing zeros."""
    return value if isinstance(value, str) else f"{value:g}"


def rank(arguments: Namespace, output: Output) -> None:
    """Read the files, rank the teams by the formula and print the board."""
    if arguments.formula is None and arguments.ruleset is None:
        raise UsageError("--formula is needed, or --ruleset for its official boards")
    if arguments.ruleset is not None and _rank_listed(arguments, output):
        return
    if arguments.ruleset is not None or arguments.formula == MEASURE_RANKS:
        _rank_measures(arguments, output)
        return
    formula = _formula(arguments.formula, output)
    for option in ("board", "rates", "totals"):
        if getattr(arguments, option):
            raise UsageError(
                f"--{option} is for --ruleset: the formula {formula.id} ranks a matrix"
            )
    if not arguments.matrix:
        raise UsageError(f"--matrix is needed: the formula {formula.id} uses it")
    attackers = arguments.attackers or AVERAGES[0]
    settings = _settings(formula, arguments.set)
    weights = _weights(arguments, "matrix")
    _check_files(formula, arguments)
    _check_tie_breaks(arguments)
    output.step("reading the matrix and the scores")
    seasons = _read_seasons(arguments, attackers)
    _check_defenders(formula, settings, seasons)
    tie_breaks = arguments.tie_break
    boards = [ranked(formula.id, scores, settings, tie_breaks) for scores in seasons]
    values: dict[str, Any] = {
        "formula": formula.id,
        "settings": formula.with_defaults(settings),
        "direction": formula.direction,
        "tie_breaks": tie_breaks,
        "attackers": attackers,
    }
    known = rank_intervals.found(arguments, seasons[0].defenders, len(seasons))
    if len(boards) == 1:
        places: Mapping[str, Place] = {}
        if known:
            from scoring.formulas.places import board_places  # numpy
            from scoring.rulesets.base import ONLY_BOARD, BoardSpec

            spec = BoardSpec(ONLY_BOARD, {}, formula.id, settings, direction=formula.direction)
            places = board_places([spec], seasons[0], known, {spec.key: boards[0]})[spec.key]
        values["teams"] = rank_intervals.with_places(_lines(boards[0]), places)
        output.result(values, _text(formula, boards[0], boards, arguments, places))
        return
    whole = combined(list(zip(weights, boards, strict=True)), formula.direction, tie_breaks)
    values["teams"] = _lines(whole)
    values["seasons"] = [
        {"matrix": path, "weight": weight, "teams": _lines(board)}
        for path, weight, board in zip(arguments.matrix, weights, boards, strict=True)
    ]
    output.result(values, _text(formula, whole, boards, arguments))


def _rank_listed(arguments: Namespace, output: Output) -> bool:
    """Rank by the boards of scores of the ruleset; False if it ranks measures."""
    from scoring.cli import rank_listed  # numpy
    from scoring.cli.input import read_ruleset

    rules = read_ruleset(arguments.ruleset)
    if not rules.score_boards:
        return False
    rank_listed.check(arguments, rules)
    of = "board" if arguments.board else "matrix"
    weights = _weights(arguments, of, len(arguments.totals or ()))
    output.step("reading the files")
    if arguments.board:
        _check_number(arguments, "board", ("rates", "presentation", "repeats", "guesses"))
        stages = rank_listed.stages_of(arguments, rules)
    else:
        _check_number(arguments, "matrix", FILES[1:])
        seasons = _read_seasons(arguments, rules.ranking.attackers)
        stages = [rank_listed.Stage(scores, scores.teams) for scores in seasons]
    rank_listed.rank_listed(arguments, rules, stages, weights, output)
    return True


def _check_number(arguments: Namespace, of: str, options: Sequence[str]) -> None:
    """Every option has one file a season."""
    n = len(getattr(arguments, of))
    for option in options:
        paths = getattr(arguments, option)
        if paths and len(paths) != n:
            raise UsageError(f"--{option}: expected one file a {of}, {n} in all, got {len(paths)}")


def _rank_measures(arguments: Namespace, output: Output) -> None:
    from scoring.cli.rank_measures import (
        rank_measures,  # numpy, which the formulas of scores do without
    )

    if not arguments.board:
        raise UsageError(f"--board is needed: {MEASURE_RANKS} ranks its measures")
    _check_number(arguments, "board", ("rates", "presentation"))
    rank_measures(arguments, _weights(arguments, "board"), output)


def _formula(name: str, output: Output) -> Formula:
    if name in FORMER_NAMES:
        new = FORMER_NAMES[name]
        output.note(
            f"deprecated: the formula {name} is now called {new}; the official boards of a contest that ranks "
            f"measures are {MEASURE_RANKS}, see --ruleset"
        )
        name = new
    if problems := known().unknown([name]):
        raise UsageError("unknown formula", problems)
    return FORMULAS[name]


def _settings(formula: Formula, texts: Sequence[str]) -> dict[str, float | int | str]:
    """The values of `--set`; UsageError with all problems where one cannot be used."""
    values: dict[str, float | int | str] = {}
    problems = []
    for text in texts:
        name, equals, written = text.partition("=")
        name = name.strip()
        if not equals or not name:
            raise UsageError(f"--set {text}: expected NAME=VALUE")
        if (setting := formula.setting(name)) is None:
            known = [s.name for s in formula.settings]
            problems.append(unknown_option(name, known, formula.id))
            continue
        value = setting.option.parse(written)
        if isinstance(value, int | float | str) and setting.option.accepts(value):
            values[name] = value
        else:
            problems.append(wrong_value(formula.id, name, setting.option.expected, written))
    if problems:
        raise UsageError("settings", problems)
    return values


def _weights(arguments: Namespace, of: str, n_published: int = 0) -> list[float]:
    """The weight of each season: one for each file of totals, then one for each matrix or board."""
    n = n_published + len(getattr(arguments, of))
    if arguments.weights is None:
        if n > 1:
            raise UsageError(f"--weights is needed: one number a {of}, {n} in all, as in 1:9")
        return [1.0]
    try:
        weights = [float(text) for text in re.split("[:,]", arguments.weights)]
    except ValueError:
        weights = []
    usable = all(math.isfinite(weight) and weight >= 0 for weight in weights)
    if not usable or len(weights) != n or not sum(weights):
        expected = f"one number of 0 or more a {of}, {n} in all and not all of them 0, as in 1:9"
        raise UsageError(f"--weights: expected {expected}, got {arguments.weights}")
    return weights


def _check_files(formula: Formula, arguments: Namespace) -> None:
    n = len(arguments.matrix)
    for part in FILES[1:]:
        paths = getattr(arguments, part)
        if paths is None and part in formula.needs:
            raise UsageError(f"--{part} is needed: the formula {formula.id} uses it")
        if paths is not None and len(paths) != n:
            raise UsageError(f"--{part}: expected one file a matrix, {n} in all, got {len(paths)}")


def _check_tie_breaks(arguments: Namespace) -> None:
    for part in arguments.tie_break:
        if part not in (known := (*PARTS, LOWEST_RATES)):
            raise UsageError(f"--tie-break: expected some of {', '.join(known)}, got {part}")
        if part in GIVEN and getattr(arguments, part) is None:
            raise UsageError(f"--{part} is needed: --tie-break {part} uses it")


def _read_seasons(arguments: Namespace, attackers: str) -> list[Scores[str]]:
    """The matrices with their scores; ProblemsFound with the problems of all files."""
    problems = Collector()
    files = [_season_files(arguments, i) for i in range(len(arguments.matrix))]
    seasons = [_read_season(paths, problems) for paths in files]
    problems.raise_if_any()
    baselines, lost = arguments.baseline or (), frozenset(arguments.lost or ())
    found = [scores for scores in seasons if scores is not None]
    known = {team for scores in found for team in scores.teams}
    for option, names in (("baseline", baselines), ("lost", lost)):
        if unknown := [name for name in names if name not in known]:
            raise UsageError(f"--{option}: no matrix names {', '.join(unknown)}")
    return [
        replace(
            scores,
            teams=tuple(team for team in scores.teams if team not in baselines),
            baselines=tuple(baselines),
            lost=lost,
            attackers=attackers,
        )
        for scores in found
    ]


def _season_files(arguments: Namespace, position: int) -> dict[str, tuple[str, bytes]]:
    """Path and content of a season's files, by their options."""
    given = {name: getattr(arguments, name) for name in FILES}
    paths = {name: of[position] for name, of in given.items() if of is not None}
    return {name: (path, read_file(path)) for name, path in paths.items()}


def _read_season(files: Mapping[str, tuple[str, bytes]], problems: Collector) -> Scores[str] | None:
    scores: Scores[str] | None = None
    path, data = files["matrix"]
    with _noting(problems):
        scores = read_matrix(data, file=path)
    teams = None if scores is None else scores.teams
    values: dict[str, Any] = {}
    for part, high in GIVEN.items():
        if part in files:
            path, data = files[part]
            with _noting(problems):
                values[part] = read_part(data, part, teams=teams, file=path, high=high)
    if "guesses" in files:
        path, data = files["guesses"]
        with _noting(problems):
            values["n_guessed"] = read_counts(data, file=path)
    return None if scores is None else replace(scores, **values)


@contextmanager
def _noting(problems: Collector) -> Iterator[None]:
    """Note what is wrong with a file and go on with the next."""
    try:
        yield
    except ProblemsFound as error:
        problems.extend(error.problems, error.n_total)


def _check_defenders(
    formula: Formula, settings: Mapping[str, Any], seasons: Sequence[Scores[str]]
) -> None:
    """A k that is larger than the number of defenders is taken for a mistake."""
    n = min(len(scores.defenders) for scores in seasons)
    if formula.id == "top-k-attack" and settings.get("k", 1) > n:
        expected = f"an integer from 1 to the {n} defenders of the matrix"
        raise UsageError("settings", [wrong_value(formula.id, "k", expected, settings["k"])])


def _lines(board: Board) -> list[dict[str, Any]]:
    """The lines of a board, best first; equals in the order of the file."""
    ordered = sorted(board.items(), key=lambda item: item[1].rank)
    return [{"team": team, **asdict(line)} for team, line in ordered]


def _text(
    formula: Formula,
    board: Board,
    boards: Sequence[Board],
    arguments: Namespace,
    places: Mapping[str, Place] | None = None,
) -> str:
    parts = [p for p in PARTS if p not in GIVEN or getattr(arguments, p) is not None]
    seasons = boards if len(boards) > 1 else []
    head = ["rank", "team", "total"]
    head += [f"season {i}" for i in range(1, len(seasons) + 1)]
    head += [*parts, *(["decided by"] if arguments.tie_break else [])]
    rows = []
    for line in _lines(board):
        totals = [found.total if (found := b.get(line["team"])) else None for b in seasons]
        numbers = [line["total"], *totals, *(line[part] for part in parts)]
        decided = [line["tie_broken_by"] or ""] if arguments.tie_break else []
        rows.append([str(line["rank"]), line["team"], *map(_number, numbers), *decided])
    right = [0, *range(2, 3 + len(seasons) + len(parts))]
    text = f"{formula.title}, {formula.direction} is better"
    table = rank_intervals.with_columns([head, *rows], _lines(board), places or {})
    return f"{text}\n\n{aligned(table, right=right)}"


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:,.4f}"
