"""What is filled in to ask for counts: kept as it came, for the library says what is wrong with it."""

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
"""Characters that are kept; no ε is that long."""


@dataclass(frozen=True, slots=True)
class ColumnField:
    """A column with its boxes: to count by it, and the values that pass."""

    name: str
    field: str
    is_asked: bool
    values: tuple[tuple[str, bool], ...]

    @property
    def is_filtered(self) -> bool:
        return any(ticked for _value, ticked in self.values)


@dataclass(frozen=True, slots=True)
class Question:
    """A question as it was filled in, right or wrong."""

    columns: tuple[str, ...] = ()
    where: Mapping[str, Sequence[str]] = field(default_factory=dict)
    epsilon: str = ""

    @classmethod
    def of(cls, data: QueryDict) -> Question:
        """From a sent form, or from an address that fills the form in."""
        where = {
            key.removeprefix(WHERE): data.getlist(key) for key in data if key.startswith(WHERE)
        }
        epsilon = data.get(EPSILON, "").strip()
        if len(epsilon) > MAX_EPSILON:  # what is left of it must not be another number
            epsilon = f"{epsilon[:MAX_EPSILON]}…"
        return cls(tuple(data.getlist(COLUMNS)), where, epsilon)

    @classmethod
    def again(cls, query: Mapping[str, Any]) -> Question:
        """A query that was asked before, as one would fill it in."""
        return cls(tuple(query["columns"]), query["where"])

    @property
    def query(self) -> dict[str, Any]:
        """As `scoring.formats.disclosure.queries.parse_query` reads it; a column without a tick is not filtered."""
        return {"columns": list(self.columns), "where": {c: list(v) for c, v in self.where.items()}}

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """Names and values of the form's fields."""
        filters = [(f"{WHERE}{c}", value) for c, values in self.where.items() for value in values]
        return [*((COLUMNS, name) for name in self.columns), *filters, (EPSILON, self.epsilon)]

    @property
    def address(self) -> str:
        """What an address ends with that fills the form in."""
        return f"?{urlencode([pair for pair in self.pairs if pair[1]])}"

    def fields(self, attributes: Sequence[Attribute]) -> list[ColumnField]:
        """The boxes of the form, ticked as they were."""
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
