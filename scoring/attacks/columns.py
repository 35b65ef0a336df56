# SPDX-License-Identifier: Apache-2.0
"""The columns that an attacker looks at: all that the schema scores, or some of them."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from scoring.tables.schema import Role, Schema


def narrowed(
    schema: Schema, quasi_identifiers: Sequence[str] | None, sensitive: Sequence[str] | None
) -> Schema:
    """The schema of an attacker who looks at some of the columns only.

    Where `sensitive` names one column, E2 and E4 look at that one.

    Raises
    ------
    ValueError
        Where a name is none of the schema's quasi-identifiers or numeric sensitive columns.
    """
    used = {
        Role.QUASI_IDENTIFIER: _chosen(schema.quasi_identifiers, quasi_identifiers),
        Role.SENSITIVE: _chosen(schema.sensitive_numeric, sensitive),
    }
    columns = tuple(
        column
        if column.name in used.get(column.role, (column.name,))
        else dataclasses.replace(column, role=Role.OTHER, cross=False)
        for column in schema.columns
    )
    e2, e4 = (
        _looked_at(name, used[Role.SENSITIVE], sensitive)
        for name in (schema.e2_column, schema.e4_column)
    )
    return Schema(columns, e2, e4)


def _chosen(known: tuple[str, ...], wanted: Sequence[str] | None) -> tuple[str, ...]:
    if wanted is None:
        return known
    if unknown := [name for name in wanted if name not in known]:
        raise ValueError(f"unsuitable columns {', '.join(unknown)}: expected {', '.join(known)}")
    return tuple(wanted)


def _looked_at(name: str | None, used: tuple[str, ...], wanted: Sequence[str] | None) -> str | None:
    if wanted is not None and len(used) == 1:
        return used[0]
    return name if name in used else None
