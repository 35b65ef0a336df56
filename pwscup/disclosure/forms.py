# SPDX-License-Identifier: Apache-2.0
"""The form of a query for counts: stored as entered, because the library reports its errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

if TYPE_CHECKING:
    from django.http import QueryDict

    from scoring.formats.disclosure.attributes import Attribute

COLUMNS, EPSILON, WHERE = "columns", "epsilon", "where."
MAX_EPSILON = 40
"""The maximum number of stored characters; every valid ε is shorter."""


@dataclass(frozen=True, slots=True)
class ColumnField:
    """A column with its check boxes: whether to count by it, and the values of the filter."""

    name: str
    field: str
    is_asked: bool
    values: tuple[tuple[str, bool], ...]

    @property
    def is_filtered(self) -> bool:
        return any(ticked for _value, ticked in self.values)


@dataclass(frozen=True, slots=True)
class Question:
    """A question as entered, valid or not."""

    columns: tuple[str, ...] = ()
    where: Mapping[str, Sequence[str]] = field(default_factory=dict)
    epsilon: str = ""

    @classmethod
    def of(cls, data: QueryDict) -> Question:
        """From a sent form, or from a URL that prefills the form."""
        where = {
            key.removeprefix(WHERE): data.getlist(key) for key in data if key.startswith(WHERE)
        }
        epsilon = data.get(EPSILON, "").strip()
        if len(epsilon) > MAX_EPSILON:  # the truncated text must not be another number
            epsilon = f"{epsilon[:MAX_EPSILON]}…"
        return cls(tuple(data.getlist(COLUMNS)), where, epsilon)

    @classmethod
    def again(cls, query: Mapping[str, Any]) -> Question:
        """An earlier query as form input."""
        return cls(tuple(query["columns"]), query["where"])

    @property
    def query(self) -> dict[str, Any]:
        """In the format of `scoring.formats.disclosure.queries.parse_query`; a column without a tick is not
        filtered."""
        return {"columns": list(self.columns), "where": {c: list(v) for c, v in self.where.items()}}

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """Names and values of the form's fields."""
        filters = [(f"{WHERE}{c}", value) for c, values in self.where.items() for value in values]
        return [*((COLUMNS, name) for name in self.columns), *filters, (EPSILON, self.epsilon)]

    @property
    def address(self) -> str:
        """The query string of a URL that prefills the form."""
        return f"?{urlencode([pair for pair in self.pairs if pair[1]])}"

    def fields(self, attributes: Sequence[Attribute]) -> list[ColumnField]:
        """The check boxes of the form with their state."""
        ticked = {column: frozenset(values) for column, values in self.where.items()}
        return [
            ColumnField(
                name=attribute.name,
                field=f"{WHERE}{attribute.name}",
                is_asked=attribute.name in self.columns,
                values=tuple(
                    (value, value in ticked.get(attribute.name, ())) for value in attribute.values
                ),
            )
            for attribute in attributes
        ]
