# SPDX-License-Identifier: Apache-2.0
"""The command `rank` by a ruleset: the boards of measures and attacks, from what a contest offers to download."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from scoring.cli import rank_intervals
from scoring.cli.input import read_ruleset
from scoring.cli.output import Output, UsageError, aligned, read_file
from scoring.formulas import (
    ESTIMATE_RANKS,
    MEASURE_RANKS,
    Boards,
    Line,
    TableFacts,
    combined,
    direction_of,
    measure_ranks,
    season_lines,
)
from scoring.formulas.base import EARLIER
from scoring.formulas.downloads import RatesFile, TablesFile, read_rates, read_tables
from scoring.formulas.files import read_part
from scoring.formulas.places import measure_places
from scoring.formulas.uncertainty import Place
from scoring.rulesets import RankingSpec, Ruleset

Facts = TableFacts[str]
OF_SCORES = ("set", "matrix", "utility", "attackers", "tie_break")
"""Options that the ruleset answers, or its measures."""


def rank_measures(arguments: Namespace, weights: Sequence[float], output: Output) -> None:
    """Read the boards, rank the teams by the ruleset and print its board, or that of a season."""
    rules = _rules(arguments)
    output.step("reading the boards")
    stages = [_facts(arguments, rules, i, output) for i in range(len(arguments.board))]
    boards = [measure_ranks(facts, rules.ranking, rules.weights) for facts in stages]
    values: dict[str, Any] = {
        "formula": MEASURE_RANKS,
        "ruleset": rules.id,
        "direction": direction_of(MEASURE_RANKS),
        "tie_breaks": list(rules.ranking.tie_breaks),
        "attackers": rules.ranking.attackers,
    }
    found = [_lines(facts, of) for facts, of in zip(stages, boards, strict=True)]
    known = rank_intervals.found(arguments, stages[0].published, len(found))
    if len(found) == 1:
        of = (
            measure_places(stages[0], rules.ranking, known, boards[0], rules.weights)
            if known
            else {}
        )
        places = of.get("overall", {})
        teams = rank_intervals.with_places(found[0], places)
        output.result(values | {"teams": teams}, _text(found[0], places))
        return
    lines = [season_lines(facts, of.overall) for facts, of in zip(stages, boards, strict=True)]
    weighted = [(w, own) for w, own in zip(weights, lines, strict=True) if own]
    whole = combined(weighted, values["direction"], rules.ranking.tie_breaks)
    seasons = [
        {"board": path, "weight": weight, "teams": teams}
        for path, weight, teams in zip(arguments.board, weights, found, strict=True)
    ]
    teams = _season(whole)
    output.result(values | {"teams": teams, "seasons": seasons}, _season_text(teams))


# What is read


def _rules(arguments: Namespace) -> Ruleset:
    if arguments.ruleset is None:
        raise UsageError(f"--ruleset is needed: {MEASURE_RANKS} ranks the measures that it names")
    rules = read_ruleset(arguments.ruleset)
    formula = rules.ranking.formula
    if formula == ESTIMATE_RANKS:
        raise UsageError(f"--ruleset: {rules.id} ranks estimates, see rank-estimates")
    if formula != MEASURE_RANKS:
        wanted = f"--formula {formula} and --matrix in place of --ruleset"
        raise UsageError(f"--ruleset: {rules.id} ranks scores — expected {wanted}")
    if arguments.formula not in (None, formula):
        raise UsageError(f"--formula: {rules.id} ranks by {formula}, got {arguments.formula}")
    for name in OF_SCORES:
        if getattr(arguments, name):
            raise UsageError(
                f"--{name.replace('_', '-')} is for formulas of scores: the ruleset says it"
            )
    return rules


def _facts(arguments: Namespace, rules: Ruleset, position: int, output: Output) -> Facts:
    ranking = rules.ranking
    measures = list(dict.fromkeys([*_ranked(ranking), *ranking.linkage]))
    path = arguments.board[position]
    tables = read_tables(read_file(path), measures, file=path)
    for measure in _ranked(ranking):
        if measure not in tables.columns:
            output.note(f"{path} has no column {measure}: read as a measure that no team has")
    if EARLIER in ranking.tie_breaks:
        output.note("times of arrival are not in the files: such totals stay equal")
    presentation: dict[str, float] = {}
    if arguments.presentation:
        marks = arguments.presentation[position]
        presentation = read_part(read_file(marks), "presentation", teams=tables.teams, file=marks)
    if not arguments.rates:
        return TableFacts(
            tables.teams, tables.measured, worst=tables.worst, presentation=presentation
        )
    path = arguments.rates[position]
    rates = read_rates(read_file(path), file=path)
    return TableFacts(
        tables.teams,
        _with_attacks(tables, rates, ranking.linkage),
        rates.rates,
        frozenset(rates.defenders),
        presentation=presentation,
    )


def _ranked(ranking: RankingSpec) -> list[str]:
    """The measures that a board has as columns where a team has a value, and that of a tie-break."""
    extra = [ranking.utility_measure] if ranking.utility_measure else []
    return list(dict.fromkeys([*ranking.utility, *ranking.safety, *extra]))


def _with_attacks(
    tables: TablesFile, rates: RatesFile, linkage: Sequence[str]
) -> dict[str, dict[str, float | None]]:
    """The measures of each table with the rates of the built-in attacks, which the matrix has."""
    return {
        team: values | {a: of[team] for a in linkage if team in (of := rates.built_in.get(a, {}))}
        for team, values in tables.measured.items()
    }


# What is printed


def _lines(facts: Facts, boards: Boards[str]) -> list[dict[str, Any]]:
    """The lines of the overall board, best first; of the board of tables if there are no attacks yet."""
    found = []
    for team in facts.teams:
        table = boards.anonymization[team] if team in facts.measured else None
        line: Line | None = boards.overall.get(team)
        if line is not None:
            rank = line.rank if team in facts.taking_part else None
            place = {"rank": rank, "total": line.total, "tie_broken_by": line.tie_broken_by}
        else:
            ranked = (table.rank, table.total) if table else (None, None)
            place = {"rank": ranked[0], "total": ranked[1], "tie_broken_by": None}
        attack = boards.attack.get(team)
        found.append(
            {
                "team": team,
                **place,
                "anonymization": None if table is None else asdict(table),
                "attack": None if attack is None else asdict(attack),
            }
        )
    return _in_order(found)


def _season(board: Mapping[str, Line]) -> list[dict[str, Any]]:
    return _in_order(
        {
            "team": team,
            "rank": None if line.total is None else line.rank,
            "total": line.total,
            "tie_broken_by": line.tie_broken_by,
        }
        for team, line in board.items()
    )


def _in_order(lines: Any) -> list[dict[str, Any]]:
    return sorted(lines, key=lambda line: (line["rank"] is None, line["rank"]))


def _text(lines: Sequence[Mapping[str, Any]], places: Mapping[str, Place]) -> str:
    """A line for each team: its place, and its places on the boards of tables and of attacks."""
    head = ["rank", "team", "total", "table", "utility", "safety", "worst rate"]
    has_attacks = any(line["attack"] for line in lines)
    rows = [[*head, *(["attack", "mean rate"] if has_attacks else [])]]
    for line in lines:
        table, attack = line["anonymization"] or {}, line["attack"] or {}
        names = ("rank", "utility_rank", "safety_rank", "worst_rate")
        cells = [*_place(line), *(_number(table.get(name)) for name in names)]
        if has_attacks:
            cells += [_number(attack.get("rank")), _number(attack.get("mean_rate"))]
        rows.append(cells)
    rows = rank_intervals.with_columns(rows, lines, places)
    return aligned(rows, right=[0, *range(2, len(rows[0]))])


def _season_text(lines: Sequence[Mapping[str, Any]]) -> str:
    return aligned([["rank", "team", "total"], *map(_place, lines)], right=[0, 2])


def _place(line: Mapping[str, Any]) -> list[str]:
    return [_number(line["rank"]), line["team"], _number(line["total"])]


def _number(value: float | None) -> str:
    if value is None:
        return "–"
    return str(value) if isinstance(value, int) else f"{value:,.4f}"
