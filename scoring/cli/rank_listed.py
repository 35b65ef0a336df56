# SPDX-License-Identifier: Apache-2.0
"""The command `rank` by a ruleset of scores: every board of a contest, from its downloads or from matrices."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from scoring.cli import rank_intervals
from scoring.cli.output import Output, UsageError, aligned, read_file
from scoring.formulas import (
    PARTS,
    Line,
    Scores,
    published,
    ranked_boards,
    season_boards,
)
from scoring.formulas.base import EARLIER
from scoring.formulas.downloads import read_rates, read_tables
from scoring.formulas.files import read_counts, read_part, read_totals
from scoring.rulesets import Ruleset, localized
from scoring.rulesets.base import BoardSpec

if TYPE_CHECKING:
    from scoring.formulas.uncertainty import Place

Boards = dict[str, dict[str, Line]]


@dataclass(frozen=True, slots=True)
class Stage:
    """The scores of a stage, the teams that are ranked, and whether attacks are known."""

    scores: Scores[str]
    players: tuple[str, ...]
    has_attacks: bool = True


def rank_listed(
    arguments: Namespace,
    rules: Ruleset,
    stages: Sequence[Stage],
    weights: Sequence[float],
    output: Output,
) -> None:
    """Rank the teams by every board of the ruleset and print the boards, or those of a season."""
    specs = rules.score_boards
    if any(EARLIER in spec.tie_breaks for spec in specs):
        output.note("times of arrival are not in the files: such totals stay equal")
    if rules.ranking.penalty == "repeats" and not arguments.repeats:
        output.note("no --repeats: read as a contest in which nobody found what another team found")
    made = [_totals(path, specs) for path in arguments.totals or ()]
    made += [
        ranked_boards(
            specs,
            stage.scores,
            players=stage.players,
            changed={} if stage.has_attacks else {"attack": 0},
        )
        for stage in stages
    ]
    whole = made[0]
    if len(made) > 1:
        whole = season_boards(specs, list(zip(weights, made, strict=True)))
    places: dict[str, dict[str, Place]] = {}
    tables = stages[0].scores.defenders if stages else ()
    if known := rank_intervals.found(arguments, tables, len(made)):
        from scoring.formulas.places import board_places

        places = board_places(specs, stages[0].scores, known, whole)
    values = {
        "ruleset": rules.id,
        "boards": [
            _board(spec, whole[spec.key], made, weights, places.get(spec.key, {})) for spec in specs
        ],
    }
    texts = [_text(spec, whole, made, places.get(spec.key, {})) for spec in specs]
    output.result(values, "\n\n".join(texts))


def stages_of(arguments: Namespace, rules: Ruleset) -> list[Stage]:
    """The stages of `--board` and `--rates`, as they are downloaded."""
    return [_stage(arguments, rules, position) for position in range(len(arguments.board))]


def _stage(arguments: Namespace, rules: Ruleset, position: int) -> Stage:
    ranking = rules.ranking
    path = arguments.board[position]
    tables = read_tables(read_file(path), rules.measures, file=path)
    given: dict[str, Any] = {}
    for option in ("presentation", "repeats"):
        if paths := getattr(arguments, option):
            file, high = paths[position], 100.0 if option == "presentation" else float("inf")
            given[option] = read_part(
                read_file(file), option, teams=tables.teams, file=file, high=high
            )
    if arguments.guesses:
        file = arguments.guesses[position]
        given["n_guessed"] = read_counts(read_file(file), file=file)
    utility = {team: ranking.utility_in(values) for team, values in tables.measured.items()}
    loss = {team: of.get(ranking.loss_measure or "") for team, of in tables.measured.items()}
    given |= {"utility": utility, "loss": loss, "lost": frozenset(arguments.lost or ())}
    if not arguments.rates:
        scores = Scores(tables.teams, {}, defenders=frozenset(), **given)
        return Stage(scores, tables.teams, has_attacks=False)
    path = arguments.rates[position]
    rates = read_rates(read_file(path), file=path)
    matrix: dict[str, dict[str, float | None]] = {}
    for (attacker, defender), rate in rates.rates.items():
        matrix.setdefault(attacker, {})[defender] = 100 * rate
    baselines = set(arguments.baseline or ())
    if "built-in" in ranking.baselines:
        for attack, of in rates.built_in.items():
            matrix[f"{attack} (built-in)"] = {team: 100 * rate for team, rate in of.items()}
            baselines.add(f"{attack} (built-in)")
    everybody = dict.fromkeys([*tables.teams, *rates.defenders, *matrix])
    scores = Scores(
        tuple(team for team in everybody if team not in baselines),
        matrix,
        defenders=frozenset(rates.defenders),
        attackers=ranking.attackers,
        baselines=tuple(sorted(baselines)),
        **given,
    )
    return Stage(scores, tuple(team for team in tables.teams if team not in baselines))


def _totals(path: str, specs: Sequence[BoardSpec]) -> Boards:
    """The boards of totals that were published; a board without a column has none."""
    totals = read_totals(read_file(path), [spec.key for spec in specs], file=path)
    return {
        spec.key: published(totals[spec.key], spec.direction)
        for spec in specs
        if spec.key in totals
    }


# What is printed


def _board(
    spec: BoardSpec,
    lines: Mapping[str, Line],
    made: Sequence[Boards],
    weights: Sequence[float],
    places: Mapping[str, Place],
) -> dict[str, Any]:
    found: dict[str, Any] = {
        "key": spec.key,
        "title": dict(spec.title),
        "formula": spec.formula,
        "direction": spec.season_direction if len(made) > 1 else spec.direction,
        "teams": rank_intervals.with_places(_lines(lines), places),
    }
    if len(made) > 1:
        found["seasons"] = [
            {"weight": weight, "teams": _lines(boards.get(spec.key, {}))}
            for weight, boards in zip(weights, made, strict=True)
        ]
    return found


def _lines(lines: Mapping[str, Line]) -> list[dict[str, Any]]:
    ordered = sorted(lines.items(), key=lambda item: item[1].rank)
    return [{"team": team, **asdict(line)} for team, line in ordered]


def _text(
    spec: BoardSpec, whole: Boards, made: Sequence[Boards], intervals: Mapping[str, Place]
) -> str:
    board = whole[spec.key]
    seasons = [boards.get(spec.key, {}) for boards in made] if len(made) > 1 else []
    below = [] if seasons else [(key, whole[key]) for key in spec.boards]
    parts = [
        part for part in PARTS if any(getattr(line, part) is not None for line in board.values())
    ]
    head = ["rank", "team", "total", *(f"season {n}" for n in range(1, len(seasons) + 1))]
    rows = [[*head, *parts, *(key for key, _ in below)]]
    for line in _lines(board):
        team = line["team"]
        numbers = [line["total"], *(of[team].total if team in of else None for of in seasons)]
        numbers += [line[part] for part in parts]
        places = [str(of[team].rank) for _, of in below]
        rows.append([str(line["rank"]), team, *map(_number, numbers), *places])
    direction = spec.season_direction if seasons else spec.direction
    title = localized(spec.title, "en") if spec.title else spec.formula
    rows = rank_intervals.with_columns(rows, _lines(board), intervals)
    table = aligned(rows, right=[0, *range(2, len(rows[0]))])
    return f"{title}, {direction} is better\n\n{table}"


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:,.4f}"


def check(arguments: Namespace, rules: Ruleset) -> None:
    """Options that the ruleset answers, or that do not go together."""
    for name in ("set", "attackers", "tie_break", "formula"):
        if getattr(arguments, name):
            raise UsageError(f"--{name.replace('_', '-')}: the ruleset {rules.id} says it")
    if arguments.board and arguments.matrix:
        raise UsageError("--board or --matrix, not both")
    if not (arguments.board or arguments.matrix):
        raise UsageError("--board is needed, the measures of the tables; or --matrix")
