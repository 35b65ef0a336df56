# SPDX-License-Identifier: Apache-2.0
"""The command `rank-estimates`: the boards of a contest about a hidden table, and their comparison."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from scoring.cli.arguments import Parser, add_ruleset
from scoring.cli.output import Output, UsageError, aligned, read_file

if TYPE_CHECKING:
    from scoring.formulas.ranking import EstimatesStanding


def add_arguments(command: Parser) -> None:
    """The file of errors of estimates, and the rules that name those to rank."""
    text = "round,team and the measures of each estimate, as boards are downloaded"
    command.add_argument("--board", required=True, metavar="B.csv", help=text)
    add_ruleset(command, "dp-disclosure")


def run(arguments: Namespace, output: Output) -> None:
    """Rank the teams in every round, and by the mean of their totals."""
    from scoring.cli.input import read_ruleset
    from scoring.formats.disclosure.boards import read_marks
    from scoring.formulas.ranking import compared_totals, competition_ranks, estimates_board

    rules = read_ruleset(arguments.ruleset)
    if rules.disclosure is None:
        raise UsageError(f"--ruleset: expected one that hides its table, got {rules.id}")
    ranking, weights = rules.ranking, rules.weights
    rounds = read_marks(read_file(arguments.board), ranking.utility, file=arguments.board)
    boards = {
        name: estimates_board(marks, ranking, weights=weights) for name, marks in rounds.items()
    }
    totals = compared_totals(rounds.values(), ranking, weights=weights)
    ranks = competition_ranks(totals, direction="lower")
    order = sorted(totals, key=lambda team: (totals[team] is None, ranks[team]))
    comparison = [
        {
            "team": team,
            "rank": None if totals[team] is None else ranks[team],
            "total": totals[team],
            "rounds": {
                name: _place(board[team]) if rounds[name][team] else None
                for name, board in boards.items()
            },
        }
        for team in order
    ]
    values = {"ruleset": rules.id, "measures": list(ranking.utility), "teams": comparison}
    output.result(values, _text(list(rounds), comparison))


def _place(standing: EstimatesStanding) -> dict[str, Any]:
    return {"rank": standing.rank, "total": standing.total, "ranks": standing.measure_ranks}


def _text(rounds: list[str], comparison: list[dict[str, Any]]) -> str:
    rows = [["rank", "team", "total", *rounds]]
    for line in comparison:
        rank = "–" if line["rank"] is None else str(line["rank"])
        places = (_shown(line["rounds"][name]) for name in rounds)
        rows.append([rank, line["team"], _number(line["total"]), *places])
    return aligned(rows, right=[0, *range(2, 3 + len(rounds))])


def _shown(place: Mapping[str, Any] | None) -> str:
    return "–" if place is None else f"{_number(place['total'])} ({place['rank']})"


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:,.4f}"
