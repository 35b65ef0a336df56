"""The boards of `rank`: a contest's from a file of rates, a season's from several, or those of a ruleset."""

from __future__ import annotations

import math
import re
from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from typing import Any

from scoring.catalogs import Registry
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
from scoring.formulas.files import read_matrix, read_part
from scoring.formulas.ranking import AVERAGES
from scoring.options import unknown_option, wrong_value

GIVEN = ("utility", "presentation")
"""The parts that files give; the others are in the matrix."""

KNOWN = Registry("formula", (OFFICIAL[MEASURE_RANKS], *FORMULAS.values()))
Board = Mapping[str, Line]


def listed() -> str:
    """Every formula with its settings and their defaults."""
    lines = ["formulas and settings:"]
    for formula in KNOWN.values():
        lines.append(f"  {formula.id:<20}{formula.title}; {formula.direction} is better")
        for setting in formula.settings:
            name = f"{setting.name}={setting.default:g}"
            lines.append(f"      {name:<16}{setting.description}")
    return "\n".join([*lines, ""])


def rank(arguments: Namespace, output: Output) -> None:
    """Read the files, rank the teams by the formula and print the board."""
    if arguments.formula is None and arguments.ruleset is None:
        raise UsageError("--formula is needed, or --ruleset for its official boards")
    if arguments.ruleset is not None or arguments.formula == MEASURE_RANKS:
        _rank_measures(arguments, output)
        return
    formula = _formula(arguments.formula, output)
    for option in ("board", "rates"):
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
    if len(boards) == 1:
        values["teams"] = _lines(boards[0])
        output.result(values, _text(formula, boards[0], boards, arguments))
        return
    whole = combined(list(zip(weights, boards, strict=True)), formula.direction, tie_breaks)
    values["teams"] = _lines(whole)
    values["seasons"] = [
        {"matrix": path, "weight": weight, "teams": _lines(board)}
        for path, weight, board in zip(arguments.matrix, weights, boards, strict=True)
    ]
    output.result(values, _text(formula, whole, boards, arguments))


def _rank_measures(arguments: Namespace, output: Output) -> None:
    from scoring.cli.rank_measures import (
        rank_measures,  # numpy, which the formulas of scores do without
    )

    if not arguments.board:
        raise UsageError(f"--board is needed: {MEASURE_RANKS} ranks its measures")
    n = len(arguments.board)
    for option in ("rates", "presentation"):
        paths = getattr(arguments, option)
        if paths and len(paths) != n:
            raise UsageError(f"--{option}: expected one file a board, {n} in all, got {len(paths)}")
    rank_measures(arguments, _weights(arguments, "board"), output)


def _formula(name: str, output: Output) -> Formula:
    if name in FORMER_NAMES:
        new = FORMER_NAMES[name]
        output.note(
            f"deprecated: the formula {name} is now called {new}; the official boards of a contest that ranks "
            f"measures are {MEASURE_RANKS}, see --ruleset"
        )
        name = new
    if problems := KNOWN.unknown([name]):
        raise UsageError("unknown formula", problems)
    return FORMULAS[name]


def _settings(formula: Formula, texts: Sequence[str]) -> dict[str, float | int]:
    """The values of `--set`; UsageError with all problems where one cannot be used."""
    values: dict[str, float | int] = {}
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
        if isinstance(value, int | float) and setting.option.accepts(value):
            values[name] = value
        else:
            problems.append(wrong_value(formula.id, name, setting.option.expected, written))
    if problems:
        raise UsageError("settings", problems)
    return values


def _weights(arguments: Namespace, of: str) -> list[float]:
    """The weight of each season: one for each matrix, or for each board."""
    n = len(getattr(arguments, of))
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
    for part in GIVEN:
        paths = getattr(arguments, part)
        if paths is None and part in formula.needs:
            raise UsageError(f"--{part} is needed: the formula {formula.id} uses it")
        if paths is not None and len(paths) != n:
            raise UsageError(f"--{part}: expected one file a matrix, {n} in all, got {len(paths)}")


def _check_tie_breaks(arguments: Namespace) -> None:
    for part in arguments.tie_break:
        if part not in PARTS:
            raise UsageError(f"--tie-break: expected some of {', '.join(PARTS)}, got {part}")
        if part in GIVEN and getattr(arguments, part) is None:
            raise UsageError(f"--{part} is needed: --tie-break {part} uses it")


def _read_seasons(arguments: Namespace, attackers: str) -> list[Scores[str]]:
    """The matrices with their scores; ProblemsFound with the problems of all files."""
    problems = Collector()
    files = [_season_files(arguments, i) for i in range(len(arguments.matrix))]
    seasons = [_read_season(paths, attackers, problems) for paths in files]
    problems.raise_if_any()
    return [scores for scores in seasons if scores is not None]


def _season_files(arguments: Namespace, position: int) -> dict[str, tuple[str, bytes]]:
    """Path and content of a season's files, by their options."""
    given = {name: getattr(arguments, name) for name in ("matrix", *GIVEN)}
    paths = {name: of[position] for name, of in given.items() if of is not None}
    return {name: (path, read_file(path)) for name, path in paths.items()}


def _read_season(
    files: Mapping[str, tuple[str, bytes]], attackers: str, problems: Collector
) -> Scores[str] | None:
    scores: Scores[str] | None = None
    path, data = files["matrix"]
    with _noting(problems):
        scores = read_matrix(data, file=path)
    teams = None if scores is None else scores.teams
    values: dict[str, dict[str, float]] = {part: {} for part in GIVEN}
    for part in GIVEN:
        if part in files:
            path, data = files[part]
            with _noting(problems):
                values[part] = read_part(data, part, teams=teams, file=path)
    if scores is None:
        return None
    return replace(
        scores,
        utility=values["utility"],
        presentation=values["presentation"],
        attackers=attackers,
    )


@contextmanager
def _noting(problems: Collector) -> Iterator[None]:
    """Note what is wrong with a file and go on with the next."""
    try:
        yield
    except ProblemsFound as error:
        problems.extend(error.problems, error.n_total)


def _check_defenders(
    formula: Formula, settings: Mapping[str, float | int], seasons: Sequence[Scores[str]]
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


def _text(formula: Formula, board: Board, boards: Sequence[Board], arguments: Namespace) -> str:
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
    return f"{text}\n\n{aligned([head, *rows], right=right)}"


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:,.4f}"
