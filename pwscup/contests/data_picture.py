# SPDX-License-Identifier: Apache-2.0
"""A contest's table in brief: its size, and its columns by role. Columns that participants do not get are left out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy as _

from pwscup.contests.selectors import original_of, shown_schema
from scoring.tables.schema import Role

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

    from pwscup.contests.models import Contest

MOST_NAMES = 12
ROLES = (
    (Role.QUASI_IDENTIFIER, "attack", _("Others may know")),
    (Role.SENSITIVE, "safety", _("To be protected")),
    (Role.OTHER, "utility", _("Other columns")),
)
"""Roles with the colour of their columns and their titles."""


@dataclass(frozen=True, slots=True)
class Group:
    """The columns of a role: the first names, and the number of the others."""

    role: str
    title: _StrPromise
    names: tuple[str, ...]
    n_more: int


@dataclass(frozen=True, slots=True)
class Picture:
    """Records are not counted where they are hidden, or drawn for each team."""

    n_records: int | None
    n_columns: int
    groups: tuple[Group, ...]


def picture_of(contest: Contest) -> Picture | None:
    """The table as everybody may know it; None before there is one, and after its data were deleted."""
    dataset = original_of(contest)
    if dataset is None or dataset.public is None or contest.erased_at:
        return None
    columns = shown_schema(dataset).columns
    groups = []
    for role, colour, title in ROLES:
        names = [column.name for column in columns if column.role is role]
        if names:
            shown, n_more = tuple(names[:MOST_NAMES]), max(0, len(names) - MOST_NAMES)
            groups.append(Group(colour, title, shown, n_more))
    is_shared = contest.format.gives_table and not contest.format.own_tables
    return Picture(dataset.n_records if is_shared else None, len(columns), tuple(groups))
