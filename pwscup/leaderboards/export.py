# SPDX-License-Identifier: Apache-2.0
"""The boards as CSV: stable English headers and full precision, for spreadsheets and scripts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.http import HttpResponse

from pwscup.core.files.exports import csv_response
from pwscup.leaderboards.boards.tables import table_of


def board_csv(name: str, section: dict[str, Any], board: str) -> HttpResponse:
    """One board as a download; a missing value is an empty cell."""
    header, *lines = lines_of(board, section)
    rows = [["" if value is None else value for value in line] for line in lines]
    return csv_response(name, header, rows)


def lines_of(board: str, section: dict[str, Any]) -> Iterator[list[Any]]:
    """The headers, then the rows, all of the same length."""
    table = table_of(board, section)
    names = [name for column in table.columns for name in column.exports]
    yield [*table.exports, *names, *table.last_exports]
    for row in table.rows:
        values = [value for cell in row.cells for value in cell.exports]
        yield [*row.exports, *(values or [None] * len(names)), *row.last_exports]
