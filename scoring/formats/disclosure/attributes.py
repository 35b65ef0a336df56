# SPDX-License-Identifier: Apache-2.0
"""The columns of a hidden table that may be released or asked for, and records as codes of their values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from scoring.errors import Collector, shorten
from scoring.tables.schema import Column, Kind, Role, Schema

if TYPE_CHECKING:  # rules are read without numerical libraries
    import numpy as np
    from numpy.typing import NDArray

    from scoring.tables.records import Records

Codes: TypeAlias = "NDArray[np.unsignedinteger]"
"""Shape (n, W): the position of each record's value in each attribute."""

COUNT = "count"
"""The column of counts in answers and estimates, next to the attributes."""
MAX_CELLS = 1_000_000
"""Cells of a target, which is held as a table."""
MAX_ANSWER_CELLS = 10_000
"""Cells of one answer."""
_MANY = 10**15


@dataclass(frozen=True, slots=True)
class Attribute:
    """A column and its values, two or more, in the schema's order."""

    name: str
    values: tuple[str, ...]


def attributes_of(schema: Schema, names: Sequence[str]) -> tuple[Attribute, ...]:
    """The columns of these names, in this order.

    Raises
    ------
    ProblemsFound
        Every column that is unknown, named twice or called `count`, has no list of values (a
        number, or an open category) or only one value.

    Examples
    --------
    >>> from scoring.examples import SCHEMA
    >>> attributes_of(SCHEMA, ["QI2", "QI1"])
    (Attribute(name='QI2', values=('1', '2')), Attribute(name='QI1', values=('1', '2')))
    """
    problems = Collector()
    columns = {column.name: column for column in schema.columns}
    found: dict[str, Attribute] = {}
    for name in names:
        column = columns.get(name)
        if column is None:
            unknown_column(name, list(columns), problems)
        elif name in found:
            repeated_column(name, problems)
        else:
            _check_column(column, problems)
            found[name] = Attribute(name, column.values or ())
    problems.raise_if_any()
    return tuple(found.values())


def _check_column(column: Column, problems: Collector) -> None:
    name, values = column.name, column.values
    if name == COUNT:
        problems.add("attribute.reserved_name", column=name, got=name)
    if values is None:
        problems.add("attribute.no_values", column=name, got=str(column.kind))
    elif len(values) < 2:
        problems.add("counts.one_value", column=name, got=shorten(", ".join(values)))


def unknown_column(name: str, known: Sequence[str], problems: Collector) -> None:
    """Note a name that is none of the known columns."""
    expected, got = shorten(", ".join(known), 200), printable(name)
    problems.add("attribute.unknown_column", expected=expected, got=got)


def repeated_column(name: str, problems: Collector) -> None:
    """Note a column that was named before."""
    problems.add("attribute.repeated_column", column=name, got=printable(name))


def printable(value: object) -> str:
    """A found value for a message: shortened, and without characters that cannot be stored."""
    text = shorten(value)
    return text if text.isprintable() else shorten(ascii(text))


def check_cells(attributes: Sequence[Attribute], limit: int) -> None:
    """ProblemsFound where a table over the attributes has more cells than the limit.

    Examples
    --------
    >>> check_cells([Attribute("sex", ("F", "M"))] * 14, 10_000)
    Traceback (most recent call last):
    ...
    scoring.errors.ProblemsFound: too many combinations of values — expected at most 10000 — got 16384
    """
    problems = Collector()
    check_sizes([len(attribute.values) for attribute in attributes], limit, problems)
    problems.raise_if_any()


def check_sizes(sizes: Sequence[int], limit: int, problems: Collector) -> None:
    """Note a domain of more cells than the limit."""
    cells = math.prod(sizes)
    if cells > limit:
        got = str(cells) if cells < _MANY else f"about 10^{math.log10(cells):.0f}"
        problems.add("counts.too_many_cells", expected=limit, got=got)


def sizes_of_attributes(attributes: Sequence[Attribute]) -> tuple[int, ...]:
    """The number of values of each: the domain as `scoring.privacy` knows it."""
    return tuple(len(attribute.values) for attribute in attributes)


def positions_of(part: Sequence[Attribute], attributes: Sequence[Attribute]) -> tuple[int, ...]:
    """The positions of the attributes of a part among all; ValueError if one is missing.

    Examples
    --------
    >>> sex, age = Attribute("sex", ("F", "M")), Attribute("age", ("18", "65"))
    >>> positions_of([age], [sex, age])
    (1,)
    """
    return tuple(attributes.index(attribute) for attribute in part)


def schema_of(attributes: Sequence[Attribute]) -> Schema:
    """The schema of a table of these columns only."""
    return Schema(
        tuple(Column(a.name, Role.OTHER, Kind.CATEGORY, values=a.values) for a in attributes)
    )


def codes_of(records: Records, attributes: Sequence[Attribute]) -> Codes:
    """The records' values as positions in their attributes.

    Parameters
    ----------
    records
        A table that has a column of every attribute's name.
    attributes
        W columns.

    Returns
    -------
    uint8 or uint16 array of shape (n, W)
        In the order of the records; uint32 where a column has more than 65,536 values.

    Raises
    ------
    ValueError
        A record holds a value that its attribute does not have.

    Examples
    --------
    >>> from scoring.examples import SCHEMA, table
    >>> from scoring.tables.records import Records
    >>> records = Records.of(table("original"), SCHEMA)
    >>> codes_of(records, attributes_of(SCHEMA, ["QI1", "QI3"])).tolist()
    [[1, 0], [1, 0], [0, 1], [0, 1]]
    """
    import numpy as np

    largest = max((len(attribute.values) for attribute in attributes), default=1)
    codes = np.empty((len(records), len(attributes)), dtype=np.min_scalar_type(largest - 1))
    for w, attribute in enumerate(attributes):
        place = {value: code for code, value in enumerate(attribute.values)}
        levels = records.levels[attribute.name]
        of_level = np.array([place.get(level, -1) for level in levels], dtype=np.int64)
        column = of_level[records.codes[attribute.name]]
        if (column < 0).any():
            raise ValueError(f"{attribute.name}: expected the attribute's values, got another one")
        codes[:, w] = column
    return codes
