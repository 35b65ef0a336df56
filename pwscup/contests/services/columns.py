# SPDX-License-Identifier: Apache-2.0
"""The columns of an uploaded table: the first guess, and the choices of organizers, which another upload keeps."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from scoring.errors import ProblemsFound
from scoring.tables.schema import Role, Schema

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pwscup.contests.models import Dataset, TableDraft
    from pwscup.formats.spec import Described
    from scoring.tables.schema import Column

GUESS, GUESSED_ATTACKS = "guess", "guessed_attacks"
ATTACKS = ("e2_column", "e4_column")
SHAPE = ("kind", "min", "max", "decimals", "values")


def columns_of(
    described: Described, former: TableDraft | Dataset | None
) -> tuple[Schema, list[dict[str, Any]]]:
    """The schema of a new draft, and its columns as `TableDraft.columns` holds them.

    If most columns of a former draft, or of the contest's table, occur again, columns of the same name keep their
    roles, whether they are cross columns, and their ticks. Kind, bounds and values are kept where an organizer changed
    them; where they were the first guess, the new file gives another, and with another kind also another role, if that
    was the guess, too.
    """
    guessed = described.schema
    abouts = [
        about | {GUESS: column.to_dict(), GUESSED_ATTACKS: _attacks_on(column, guessed)}
        for about, column in zip(described.columns, guessed.columns, strict=True)
    ]
    if former is None or not _is_similar(guessed, former.schema):
        return guessed, abouts
    known = {column.name: column for column in former.schema.columns}
    abouts_before = getattr(former, "columns", [{}] * len(known))  # a dataset has no statistics
    before = dict(zip(known, abouts_before, strict=True))
    if any("ticks" in about for about in before.values()):
        for name, about in zip(guessed.names, abouts, strict=True):
            about["ticks"] = before.get(name, {}).get("ticks", [])
    columns = tuple(
        _kept(column, known.get(column.name), before.get(column.name, {}))
        for column in guessed.columns
    )
    return _with_attacks(columns, former.schema, guessed), abouts


def is_as_guessed(draft: TableDraft) -> bool:
    """True if no organizer has chosen anything about the columns."""
    schema = draft.schema
    return all(
        about.get(GUESS) == column.to_dict()
        and about.get(GUESSED_ATTACKS) == _attacks_on(column, schema)
        and not about.get("ticks")
        for column, about in zip(schema.columns, draft.columns, strict=True)
    )


def identifying(draft: TableDraft, schema: Schema) -> list[str]:
    """The columns that were guessed to be identifiers, and have another role in this schema."""
    return [
        column.name
        for column, about in zip(schema.columns, draft.columns, strict=True)
        if about.get(GUESS, {}).get("role") == Role.IDENTIFIER
        and column.role is not Role.IDENTIFIER
    ]


def with_roles(schema: Schema, roles: Mapping[str, Role]) -> Schema | None:
    """The schema with other roles for some columns; None where the columns do not fit together so."""
    columns = []
    for column in schema.columns:
        role = roles.get(column.name, column.role)
        cross = column.cross and role is Role.QUASI_IDENTIFIER
        columns.append(dataclasses.replace(column, role=role, cross=cross))
    try:
        return _with_attacks(tuple(columns), schema, schema)
    except ProblemsFound:
        return None


def _attacks_on(column: Column, schema: Schema) -> list[str]:
    """The keys of the attacks whose column this is."""
    return [key for key in ATTACKS if getattr(schema, key) == column.name]


def _is_similar(guessed: Schema, former: Schema) -> bool:
    """At least half of the former columns occur again."""
    return 2 * len(set(former.names) & set(guessed.names)) >= len(former.names)


def _kept(guessed: Column, former: Column | None, before: Mapping[str, Any]) -> Column:
    """The column as it was, except that a form that was guessed is guessed again."""
    if former is None:
        return guessed
    if GUESS not in before or _shape(former.to_dict()) != _shape(before[GUESS]):
        return former
    if guessed.kind is not former.kind and former.to_dict() == before[GUESS]:
        return guessed
    return dataclasses.replace(former, **{key: getattr(guessed, key) for key in SHAPE})


def _shape(column: Mapping[str, Any]) -> list[Any]:
    return [column.get(key) for key in SHAPE]


def _with_attacks(columns: tuple[Column, ...], former: Schema, guessed: Schema) -> Schema:
    """The schema with the attacks' columns as before, as far as they are still sensitive numbers.

    Where there were too few of them, that of the guess, else the first one.
    """
    usable = [c.name for c in columns if c.role is Role.SENSITIVE and c.is_numeric]

    def column_of(key: str) -> str | None:
        name = getattr(former, key)
        if name is None and len(former.sensitive_numeric) < len(ATTACKS) and usable:
            name = getattr(guessed, key) or usable[0]
        return name if name in usable else None

    return Schema(columns, *map(column_of, ATTACKS))
