# SPDX-License-Identifier: Apache-2.0
"""Intervals of totals and ranks in the command `rank`, from rates and the number of answers behind each."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from scoring.cli.output import UsageError

if TYPE_CHECKING:
    from scoring.formulas.uncertainty import Found, Place

FIELDS = ("total_low", "total_high", "rank_low", "rank_high", "separable")


def found(arguments: Namespace, tables: Iterable[str], n_seasons: int) -> dict[str, Found[str]]:
    """The number of records of each table; none where no intervals are asked for."""
    if not arguments.intervals:
        if arguments.answers is not None:
            raise UsageError("--answers is for --intervals")
        return {}
    if arguments.answers is None or arguments.answers < 1:
        raise UsageError(
            "--intervals needs --answers N, at least 1: how many answers each rate has"
        )
    if n_seasons > 1:
        raise UsageError("--intervals are those of one contest, not of a season")
    from scoring.formulas.uncertainty import Found  # numpy

    return {team: Found(arguments.answers) for team in tables}


def with_places(
    lines: Iterable[dict[str, Any]], places: Mapping[str, Place]
) -> list[dict[str, Any]]:
    """Lines of teams, for JSON, with their intervals."""
    return [
        line
        | {name: value for name, value in asdict(places[line["team"]]).items() if name in FIELDS}
        if line["team"] in places
        else line
        for line in lines
    ]


def with_columns(
    rows: Sequence[list[str]], lines: Sequence[Mapping[str, Any]], places: Mapping[str, Place]
) -> list[list[str]]:
    """Rows of a text, the first their heads, with the intervals of these lines."""
    if not places:
        return list(rows)
    found = [places.get(line["team"]) for line in lines]
    cells = [
        [
            f"{p.total_low:,.4f} – {p.total_high:,.4f}",
            f"{p.rank_low}–{p.rank_high}",
            "yes" if p.separable else "no",
        ]
        if p
        else ["–"] * 3
        for p in found
    ]
    head = ["total from – to", "rank from – to", "separable"]
    return [[*row, *more] for row, more in zip(rows, [head, *cells], strict=True)]
