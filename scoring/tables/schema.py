# SPDX-License-Identifier: Apache-2.0
"""The columns of a table: names, roles, kinds and domains, read from and written as TOML."""

from __future__ import annotations

import dataclasses
import math
import tomllib
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from html import escape
from typing import TYPE_CHECKING, Any

import tomli_w

from scoring.addresses import function_at
from scoring.errors import Collector, ProblemsFound, shorten
from scoring.reporting import document
from scoring.tables import toml_text

if TYPE_CHECKING:
    import pandas as pd

SOURCE_ROW = "source_row"
"""The column that holds the declared row numbers where table and rows come in one file."""


DECIMALS, MOST_DECIMALS = 4, 9
"""The decimals that a number may have where its column does not say how many, and the most that it may say."""
N_CROSS = 3
"""Columns that span the cells of U2 and U3 where nobody chooses them: the first quasi-identifiers."""


class Role(StrEnum):
    """The role of a column for an attacker."""

    QUASI_IDENTIFIER = "quasi_identifier"
    SENSITIVE = "sensitive"
    IDENTIFIER = "identifier"
    OTHER = "other"


class Kind(StrEnum):
    """The kind of a column's cells."""

    CATEGORY = "category"
    INTEGER = "integer"
    NUMBER = "number"


@dataclass(frozen=True, slots=True)
class Column:
    """One column: `cross` columns span the cells of U2 and U3; `min`, `max`, `values` bound it.

    `decimals` is the most that a number may have, 0 to 9. Integers have none in an original; anonymized ones may
    have `decimals`, as averages do, so that with 0 integers stay integers.
    """

    name: str
    role: Role
    kind: Kind
    cross: bool = False
    min: float | int | None = None
    max: float | int | None = None
    values: tuple[str, ...] | None = None
    decimals: int | None = None

    @property
    def is_numeric(self) -> bool:
        return self.kind is not Kind.CATEGORY

    def most_decimals(self, *, original: bool) -> int:
        """The most decimals of a number in an original, or in an anonymized table."""
        if original and self.kind is Kind.INTEGER:
            return 0
        return DECIMALS if self.decimals is None else self.decimals

    def to_dict(self) -> dict[str, Any]:
        """The column as it stands in a schema file, defaults left out."""
        data: dict[str, Any] = {"name": self.name, "role": str(self.role), "kind": str(self.kind)}
        if self.cross:
            data["cross"] = True
        for key in _NUMERIC_KEYS:
            if getattr(self, key) is not None:
                data[key] = getattr(self, key)
        if self.values is not None:
            data["values"] = list(self.values)
        return data


@dataclass(frozen=True, slots=True, repr=False)
class Schema:
    """The columns of an original table, in order, and the columns that E2 and E4 look at.

    Raises
    ------
    ProblemsFound
        Where names repeat, a domain is empty or an attack names an unsuitable column.
    """

    columns: tuple[Column, ...]
    e2_column: str | None = None
    e4_column: str | None = None
    sensitive_numeric: tuple[str, ...] = field(init=False, compare=False)
    """Names of the numeric sensitive columns, in order; most measures ask for them."""

    def __post_init__(self) -> None:
        amounts = (c.name for c in self.columns if c.role is Role.SENSITIVE and c.is_numeric)
        object.__setattr__(self, "sensitive_numeric", tuple(amounts))
        problems = Collector()
        _check_columns(self.columns, problems)
        by_name = {column.name: column for column in self.columns}
        for key in ("e2_column", "e4_column"):
            _check_attack_column(key, getattr(self, key), by_name, problems)
        problems.raise_if_any()

    @property
    def names(self) -> tuple[str, ...]:
        """All column names, in order."""
        return tuple(column.name for column in self.columns)

    @property
    def quasi_identifiers(self) -> tuple[str, ...]:
        """Names of the quasi-identifiers, in order."""
        return tuple(c.name for c in self.columns if c.role is Role.QUASI_IDENTIFIER)

    @property
    def cross(self) -> tuple[str, ...]:
        """Names of the columns that span the cells of U2 and U3, in order."""
        return tuple(column.name for column in self.columns if column.cross)

    @property
    def sensitive(self) -> tuple[str, ...]:
        """Names of all sensitive columns, categories among them, in order."""
        return tuple(c.name for c in self.columns if c.role is Role.SENSITIVE)

    @property
    def identifiers(self) -> tuple[str, ...]:
        """Names of the identifiers, in order."""
        return tuple(c.name for c in self.columns if c.role is Role.IDENTIFIER)

    def column(self, name: str) -> Column:
        """The column of that name.

        Raises
        ------
        KeyError
            Where the schema has no such column.
        """
        for column in self.columns:
            if column.name == name:
                return column
        raise KeyError(name)

    def public(self) -> Schema:
        """The schema of what participants see and submit: no identifier columns."""
        kept = tuple(c for c in self.columns if c.role is not Role.IDENTIFIER)
        return self if len(kept) == len(self.columns) else dataclasses.replace(self, columns=kept)

    def only(self, names: Collection[str]) -> Schema:
        """The schema of these columns, in its own order; an attack whose column is missing has none."""
        kept = tuple(column for column in self.columns if column.name in names)
        attacks = {key: getattr(self, key) for key in ("e2_column", "e4_column")}
        return Schema(
            kept, **{key: name if name in names else None for key, name in attacks.items()}
        )

    def replace_column(self, column: Column) -> Schema:
        """A schema whose column of the same name is this one.

        Raises
        ------
        KeyError
            Where the schema has no such column.
        """
        self.column(column.name)
        columns = tuple(column if old.name == column.name else old for old in self.columns)
        return dataclasses.replace(self, columns=columns)

    def confirm(
        self,
        *,
        quasi_identifiers: Collection[str] | None = None,
        sensitive: Collection[str] | None = None,
        identifiers: Collection[str] | None = None,
        other: Collection[str] | None = None,
    ) -> Schema:
        """The schema with these roles; what `from_frame` proposed is confirmed then.

        Parameters
        ----------
        quasi_identifiers, sensitive, identifiers, other : collections of str, optional
            The columns of a role. A role that is given has exactly these columns, and those that had it before become
            `other`; columns of a role that is left out keep it.

        Returns
        -------
        Schema
            Columns that are no quasi-identifiers any more do not span cells; where none is left that does, the first
            three quasi-identifiers do. An attack whose column is not numeric and sensitive looks at the first one that
            is.

        Raises
        ------
        ProblemsFound
            Where there is no such column, or one is named for two roles.

        Examples
        --------
        >>> from scoring.examples import SCHEMA
        >>> changed = SCHEMA.confirm(quasi_identifiers=["QI1"], sensitive=["SA2"])
        >>> changed.quasi_identifiers, changed.sensitive, changed.e2_column
        (('QI1',), ('SA2',), 'SA2')
        """
        given = {
            role: tuple(names)
            for role, names in zip(
                Role, (quasi_identifiers, sensitive, identifiers, other), strict=True
            )
            if names is not None
        }
        self._check_roles(given)
        chosen = {name: role for role, names in given.items() for name in names}
        columns = []
        for column in self.columns:
            role = chosen.get(column.name, Role.OTHER if column.role in given else column.role)
            cross = column.cross and role is Role.QUASI_IDENTIFIER
            columns.append(dataclasses.replace(column, role=role, cross=cross))
        if not any(column.cross for column in columns):
            quasi = [i for i, c in enumerate(columns) if c.role is Role.QUASI_IDENTIFIER]
            for i in quasi[:N_CROSS]:
                columns[i] = dataclasses.replace(columns[i], cross=True)
        amounts = [c.name for c in columns if c.role is Role.SENSITIVE and c.is_numeric]
        first = amounts[0] if amounts else None
        e2, e4 = (name if name in amounts else first for name in (self.e2_column, self.e4_column))
        return Schema(tuple(columns), e2, e4)

    def _check_roles(self, given: Mapping[Role, Sequence[str]]) -> None:
        problems = Collector()
        for role, names in given.items():
            for name in names:
                if name not in self.names:
                    problems.add(
                        "schema.unknown_column", file="schema", key=role, got=shorten(name)
                    )
        for name, count in Counter(name for names in given.values() for name in names).items():
            if count > 1:
                problems.add("schema.repeated_name", file="schema", column=name, got=shorten(name))
        problems.raise_if_any()

    @classmethod
    def from_frame(
        cls,
        table: pd.DataFrame,
        *,
        quasi_identifiers: Collection[str] | None = None,
        sensitive: Collection[str] | None = None,
        identifiers: Collection[str] | None = None,
        other: Collection[str] | None = None,
    ) -> Schema:
        """The schema of a frame: kinds and domains from its cells, roles as given or proposed.

        Parameters
        ----------
        table : DataFrame
            Columns of numbers stay numbers; all others are categories.
        quasi_identifiers, sensitive, identifiers, other : collections of str, optional
            As in `confirm`. Without any of them the roles are only proposed, from names and cells: functions that get
            such a schema warn, until `confirm` is called on it.

        Raises
        ------
        ProblemsFound
            Where the frame has no record or column, or a role names a column that is not there.

        Examples
        --------
        >>> import pandas as pd
        >>> table = pd.DataFrame({"age": [31, 45], "city": ["A", "B"], "income": [100.5, 90]})
        >>> schema = Schema.from_frame(table)
        >>> schema
        <ProposedSchema: quasi-identifiers age; sensitive income; identifiers city — confirm() accepts or changes this>
        >>> schema.confirm(quasi_identifiers=["age", "city"]).identifiers
        ()
        """
        proposed: Schema = function_at("scoring.tables.suggestion:proposed_schema")(table)
        roles = {
            "quasi_identifiers": quasi_identifiers,
            "sensitive": sensitive,
            "identifiers": identifiers,
            "other": other,
        }
        is_chosen = any(names is not None for names in roles.values())
        return proposed.confirm(**roles) if is_chosen else proposed

    @property
    def roles(self) -> str:
        """The columns of each role, in a line."""
        named = {
            "quasi-identifiers": self.quasi_identifiers,
            "sensitive": self.sensitive,
            "identifiers": self.identifiers,
        }
        found = [f"{role} {', '.join(names)}" for role, names in named.items() if names]
        return "; ".join(found) or "no column has a role"

    def __repr__(self) -> str:
        return f"<Schema: {len(self.columns)} columns; {self.roles}>"

    def _repr_html_(self) -> str:
        """A table of the columns, for notebooks."""
        rows = [[escape(str(cell)) for cell in _shown(column)] for column in self.columns]
        return document.table("", ["column", "role", "kind", "domain"], rows)

    def to_dict(self) -> dict[str, Any]:
        """The schema as the data of its TOML file."""
        data: dict[str, Any] = {"column": [column.to_dict() for column in self.columns]}
        attacks = {"e2_column": self.e2_column, "e4_column": self.e4_column}
        named = {key: name for key, name in attacks.items() if name is not None}
        return data | {"attacks": named} if named else data

    def to_toml(self) -> str:
        """The schema file."""
        return tomli_w.dumps(self.to_dict())

    @classmethod
    def from_toml(cls, text: str) -> Schema:
        """Read a schema file.

        Raises
        ------
        ProblemsFound
            Naming the key, what was expected and what was found.
        """
        try:
            data = toml_text.loads(text)
        except tomllib.TOMLDecodeError as error:
            problems = Collector()
            problems.add("toml.syntax", file="schema", got=shorten(error, 200))
            raise ProblemsFound(problems.problems) from error
        return cls.from_dict(data)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Schema:
        """Read a schema from the data of its TOML file.

        Raises
        ------
        ProblemsFound
            Naming the key, what was expected and what was found.
        """
        problems = Collector()
        _check_keys(data, ("column", "attacks"), problems, prefix="")
        columns = _read_columns(data.get("column", []), problems)
        attacks = _read_attacks(data.get("attacks", {}), problems)
        if problems:
            _check_columns(columns, problems)
            problems.raise_if_any()
        return cls(columns, **attacks)


_MOST_SHOWN = 6
_NUMERIC_KEYS = ("min", "max", "decimals")
_COLUMN_KEYS = ("name", "role", "kind", "cross", *_NUMERIC_KEYS, "values")
_ATTACK_KEYS = ("e2_column", "e4_column")


def _shown(column: Column) -> tuple[str, str, str, str]:
    """A column as notebooks show it: its name, role, kind and domain."""
    low, high = ("" if end is None else f"{end:g}" for end in (column.min, column.max))
    values = column.values or ()
    listed = ", ".join(values[:_MOST_SHOWN]) + (" …" if len(values) > _MOST_SHOWN else "")
    domain = listed if values else f"{low} – {high}" if low or high else ""
    return column.name, column.role.replace("_", "-"), str(column.kind), domain


def _check_keys(
    data: Mapping[str, Any], known: Sequence[str], problems: Collector, *, prefix: str
) -> None:
    for key in data:
        if key not in known:
            name = shorten(f"{prefix}{key}")
            problems.add("toml.unknown_key", file="schema", key=name, expected=", ".join(known))


def _wrong_type(problems: Collector, key: str, expected: str, value: object) -> None:
    got = {bool: "true or false", dict: "a table", list: "an array", str: "a string"}.get(
        type(value), type(value).__name__
    )
    problems.add("toml.wrong_type", file="schema", key=key, expected=expected, got=got)


def _read_columns(data: object, problems: Collector) -> tuple[Column, ...]:
    if not isinstance(data, list):
        _wrong_type(problems, "column", "an array of tables, [[column]]", data)
        return ()
    columns = []
    for position, entry in enumerate(data, start=1):
        key = f"column[{position}]"
        if not isinstance(entry, Mapping):
            _wrong_type(problems, key, "a table", entry)
        elif (column := _read_column(entry, key, problems)) is not None:
            columns.append(column)
    if not data:
        problems.add("schema.no_columns", file="schema")
    return tuple(columns)


def _read_column(entry: Mapping[str, Any], key: str, problems: Collector) -> Column | None:
    before = problems.n_total
    _check_keys(entry, _COLUMN_KEYS, problems, prefix=f"{key}.")
    name = _read_string(entry, key, "name", problems)
    role = _read_choice(entry, key, "role", Role, problems)
    kind = _read_choice(entry, key, "kind", Kind, problems)
    cross = entry.get("cross", False)
    if not isinstance(cross, bool):
        _wrong_type(problems, f"{key}.cross", "true or false", cross)
    for bound in ("min", "max"):
        _check_bound(entry.get(bound), f"{key}.{bound}", problems)
    decimals, values = entry.get("decimals"), entry.get("values")
    if decimals is not None and (isinstance(decimals, bool) or not isinstance(decimals, int)):
        _wrong_type(problems, f"{key}.decimals", "a whole number", decimals)
    if values is not None and not (
        isinstance(values, list) and values and all(isinstance(value, str) for value in values)
    ):
        _wrong_type(problems, f"{key}.values", "a non-empty array of strings", values)
    if problems.n_total > before or name is None or role is None or kind is None:
        return None
    listed = None if values is None else tuple(values)
    bounds = entry.get("min"), entry.get("max")
    return Column(name, Role(role), Kind(kind), cross, *bounds, listed, decimals)


def _read_string(
    entry: Mapping[str, Any], prefix: str, key: str, problems: Collector
) -> str | None:
    value = entry.get(key)
    if isinstance(value, str):
        return value
    if value is None:
        problems.add("toml.missing_key", file="schema", key=f"{prefix}.{key}", expected="a string")
    else:
        _wrong_type(problems, f"{prefix}.{key}", "a string", value)
    return None


def _read_choice(
    entry: Mapping[str, Any], prefix: str, key: str, choices: type[StrEnum], problems: Collector
) -> str | None:
    value = _read_string(entry, prefix, key, problems)
    if value is not None and value not in list(choices):
        problems.add(
            "toml.wrong_value",
            file="schema",
            key=f"{prefix}.{key}",
            expected=", ".join(choices),
            got=shorten(value),
        )
        return None
    return value


def _check_bound(value: object, key: str, problems: Collector) -> None:
    if value is None:
        return
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not (is_number and math.isfinite(float(str(value)))):
        _wrong_type(problems, key, "a finite number", value)


def _read_attacks(data: object, problems: Collector) -> dict[str, str | None]:
    if not isinstance(data, Mapping):
        _wrong_type(problems, "attacks", "a table", data)
        return {}
    _check_keys(data, _ATTACK_KEYS, problems, prefix="attacks.")
    for key in _ATTACK_KEYS:
        if key in data and not isinstance(data[key], str):
            _wrong_type(problems, f"attacks.{key}", "a string", data[key])
    return {key: data.get(key) for key in _ATTACK_KEYS}


def _check_columns(columns: Iterable[Column], problems: Collector) -> None:
    columns = tuple(columns)
    if not columns:
        problems.add("schema.no_columns", file="schema")
    for name, count in Counter(column.name for column in columns).items():
        if count > 1:
            problems.add("schema.repeated_name", file="schema", column=name, got=shorten(name))
    for column in columns:
        _check_column(column, problems)


def _check_column(column: Column, problems: Collector) -> None:
    where: dict[str, Any] = {"file": "schema", "column": column.name}
    if column.name == SOURCE_ROW:
        problems.add("schema.reserved_name", got=SOURCE_ROW, **where)
    if not column.name or not column.name.isprintable():
        expected, got = "printable characters", shorten(ascii(column.name))
        problems.add("toml.wrong_value", key="name", expected=expected, got=got, **where)
    if column.cross and column.role is not Role.QUASI_IDENTIFIER:
        problems.add("schema.cross_not_quasi_identifier", got=str(column.role), **where)
    if column.is_numeric:
        if column.values is not None:
            problems.add("schema.values_on_number", **where)
        if column.min is not None and column.max is not None and column.min > column.max:
            problems.add("schema.min_above_max", min=column.min, max=column.max, **where)
        if column.decimals is not None and not 0 <= column.decimals <= MOST_DECIMALS:
            expected = f"a whole number from 0 to {MOST_DECIMALS}"
            got = str(column.decimals)
            problems.add("toml.wrong_value", key="decimals", expected=expected, got=got, **where)
        return
    for key in _NUMERIC_KEYS:
        if getattr(column, key) is not None:
            problems.add("schema.range_on_category", key=key, **where)
    for value, count in Counter(column.values or ()).items():
        if count > 1:
            problems.add("schema.repeated_value", got=shorten(value), **where)


def _check_attack_column(
    key: str, name: str | None, by_name: Mapping[str, Column], problems: Collector
) -> None:
    if name is None:
        return
    column = by_name.get(name)
    where: dict[str, Any] = {"file": "schema", "key": f"attacks.{key}", "got": shorten(name)}
    if column is None:
        problems.add("schema.unknown_column", **where)
    elif not (column.role is Role.SENSITIVE and column.is_numeric):
        problems.add("schema.not_numeric_sensitive", **where)
