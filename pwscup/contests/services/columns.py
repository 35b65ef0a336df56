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

GUESS = "guess"
SHAPE = ("kind", "min", "max", "decimals", "values")


def columns_of(
    described: Described, former: TableDraft | Dataset | None
) -> tuple[Schema, list[dict[str, Any]]]:
    """The schema of a new draft, and its columns as `TableDraft.columns` holds them.

    If most columns of a former draft, or of the contest's table, occur again, columns of the same name keep their
    roles, whether they are cross columns, and their ticks. Kind, bounds and values are kept where an organizer changed
    them; where they were the first guess, the new file gives another.
    """
    guessed = described.schema
    abouts = [
        about | {GUESS: column.to_dict()}
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
    return _with_attacks(columns, former.schema), abouts


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
        return _with_attacks(tuple(columns), schema)
    except ProblemsFound:
        return None


def _is_similar(guessed: Schema, former: Schema) -> bool:
    """At least half of the former columns occur again."""
    return 2 * len(set(former.names) & set(guessed.names)) >= len(former.names)


def _kept(guessed: Column, former: Column | None, before: Mapping[str, Any]) -> Column:
    """The column as it was, except that a form that was guessed is guessed again."""
    if former is None:
        return guessed
    if GUESS not in before or _shape(former.to_dict()) != _shape(before[GUESS]):
        return former
    return dataclasses.replace(former, **{key: getattr(guessed, key) for key in SHAPE})


def _shape(column: Mapping[str, Any]) -> list[Any]:
    return [column.get(key) for key in SHAPE]


def _with_attacks(columns: tuple[Column, ...], former: Schema) -> Schema:
    """The schema with the attacks' columns as before, as far as they are still sensitive numbers."""
    usable = {c.name for c in columns if c.role is Role.SENSITIVE and c.is_numeric}
    e2, e4 = (name if name in usable else None for name in (former.e2_column, former.e4_column))
    return Schema(columns, e2, e4)
