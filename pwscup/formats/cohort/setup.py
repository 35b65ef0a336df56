# SPDX-License-Identifier: Apache-2.0
"""The organizer's page of the table that cohorts are drawn from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

from pwscup.contests import selectors
from pwscup.core.texts.parts import listed
from pwscup.formats.common.setup import of_table, seen_in

if TYPE_CHECKING:
    from pwscup.contests.models import Contest, Dataset, TableDraft
    from scoring.tables.schema import Schema


def warnings(
    contest: Contest, schema: Schema, draft: TableDraft | None, dataset: Dataset | None
) -> list[str]:
    """Warnings about these columns for organizers."""
    described = seen_in(draft)
    found = of_table(
        schema,
        unmeasured=selectors.unmeasured_under(contest, schema),
        n_records=draft.n_records if draft else 0,
        n_distinct={name: column["n_distinct"] for name, column in described.items()},
        attacks=(),
    )
    free = [
        column.name
        for column in schema.public().columns
        if not column.is_numeric and column.values is None
    ]
    if free:
        found.append(
            _(
                "Synthetic tables may hold any text in these columns, because they have no list of values: "
                "%(columns)s."
            )
            % {"columns": listed(free)}
        )
    return found
