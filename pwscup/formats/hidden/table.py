# SPDX-License-Identifier: Apache-2.0
"""The organizer's CSV, which stays hidden."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from django.utils.formats import number_format
from django.utils.translation import gettext as _

from pwscup.formats.common.table import FILE, has_identifiers_alone
from pwscup.formats.kinds import ROUNDS
from scoring.formats.disclosure.attributes import attributes_of, codes_of, sizes_of_attributes
from scoring.formats.disclosure.curves import released
from scoring.tables.reading import read_table
from scoring.tables.records import Records

if TYPE_CHECKING:
    from scoring.rulesets import Ruleset
    from scoring.tables.schema import Schema


def unmeasured(schema: Schema, ruleset: Ruleset) -> tuple[str, ...]:
    """None: the measures are those of an estimate, not of a table."""
    return ruleset.measures if has_identifiers_alone(schema) else ()


def tick_notes(data: bytes, schema: Schema, ruleset: Ruleset) -> list[str]:
    """The error of the counts of each release. It depends on the table: for organizers only."""
    spec = ruleset.disclosure
    if spec is None:
        return []
    columns = attributes_of(schema, spec.columns)
    target = attributes_of(schema, spec.target)
    sizes = sizes_of_attributes(target)
    records = Records.of(read_table(data, schema, file=FILE, original=True), schema)
    counts = np.zeros(sizes, dtype=np.int64)
    np.add.at(counts, tuple(codes_of(records, target).T), 1)
    places = [columns.index(attribute) for attribute in target]
    even = float(np.sqrt(((counts - counts.mean()) ** 2).sum()))
    return [
        _(
            "Released once with ε = %(epsilon)s, the counts are off by an L2 distance of about %(distance)s records, "
            "and less after reconstruction. Equal counts in all cells, which need no data, are %(even)s off."
        )
        % {
            "epsilon": round.epsilon,
            "distance": number_format(
                released(counts, sizes_of_attributes(columns), places, round.epsilon),
                1,
                force_grouping=True,
            ),
            "even": number_format(even, 1, force_grouping=True),
        }
        for round in ruleset.rounds
        if round.epsilon is not None and ROUNDS[round.kind].is_release
    ]
