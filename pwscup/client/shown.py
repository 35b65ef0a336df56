# SPDX-License-Identifier: Apache-2.0
"""Results that print well: short as text, tables in notebooks and terminals."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from datetime import datetime
from html import escape
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    import pandas as pd

T = TypeVar("T")
Table = tuple[list[str], list[list[Any]]]
NOTHING = "–"


class Shown:
    """A result with a title of one line and a table."""

    @property
    def title(self) -> str:
        """The result in one line."""
        raise NotImplementedError

    def cells(self) -> Table:
        """The heads of the columns, and the rows."""
        raise NotImplementedError

    def to_frame(self) -> pd.DataFrame:
        """The table as a frame."""
        import pandas as pd

        columns, rows = self.cells()
        return pd.DataFrame(rows, columns=columns)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.title}>"

    def _repr_html_(self) -> str:
        columns, rows = self.cells()
        head = "".join(f"<th>{escape(name)}</th>" for name in columns)
        body = "".join(
            f"<tr>{''.join(f'<td>{escape(cell(one))}</td>' for one in row)}</tr>" for row in rows
        )
        return f"<p>{escape(self.title)}</p><table><tr>{head}</tr>{body}</table>"


class Listing(Shown, Sequence[T], Generic[T]):
    """Several results as a sequence.

    Parameters
    ----------
    name : str
        Of one and of several, such as `contest`.
    entries : sequence
    columns : sequence of str
        Attributes of the entries.
    """

    def __init__(self, name: str, entries: Sequence[T], columns: Sequence[str]) -> None:
        self._name, self._entries, self._columns = name, list(entries), list(columns)

    @property
    def title(self) -> str:
        """Their number."""
        n = len(self)
        return f"{n} {self._name}{'' if n == 1 else 's'}"

    def cells(self) -> Table:
        """A row for each entry."""
        rows = [[getattr(one, name) for name in self._columns] for one in self]
        return list(self._columns), rows

    def __len__(self) -> int:
        return len(self._entries)

    def __getitem__(self, index: Any) -> Any:
        return self._entries[index]

    def __iter__(self) -> Iterator[T]:
        return iter(self._entries)


def cell(value: Any) -> str:
    """A value as tables show it; times are those of this machine.

    Examples
    --------
    >>> cell(None), cell(True), cell(0.125), cell("a")
    ('–', 'yes', '0.125', 'a')
    """
    if value is None or value == "":
        return NOTHING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, datetime):
        return value.astimezone().strftime("%Y-%m-%d %H:%M")
    if isinstance(value, float):
        return f"{value:,.6f}".rstrip("0").rstrip(".")
    return str(value)


def printed(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """A table for a terminal; wide characters take two places.

    Examples
    --------
    >>> print(printed(["team", "total"], [["青", 1.5], ["Red", 12]]))
    team  total
    青      1.5
    Red      12
    """
    cells = [list(columns), *([cell(one) for one in row] for row in rows)]
    numbers = [
        all(isinstance(row[i], int | float) or row[i] is None for row in rows) and bool(rows)
        for i in range(len(columns))
    ]
    widths = [max(map(_width, column)) for column in zip(*cells, strict=True)]
    lines = []
    for row in cells:
        padded = [
            " " * (width - _width(one)) + one if is_number else one + " " * (width - _width(one))
            for one, width, is_number in zip(row, widths, numbers, strict=True)
        ]
        lines.append("  ".join(padded).rstrip())
    return "\n".join(lines)


def _width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)
