# SPDX-License-Identifier: Apache-2.0
"""Own tables of teams: aligned with the original, published with candidates among decoys."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from pwscup.formats.attacks.archives import archive
from pwscup.formats.common.evaluation import (
    Choices,
    Original,
    Submitted,
    Tables,
    has_original_values,
    original_of,
    sealed,
)
from pwscup.formats.evaluation import Published
from scoring.evaluate import Prepared, prepared_parts, score_parts
from scoring.formats.lecture import joined, read_parts, release
from scoring.proof.commitments import shuffled
from scoring.tables.aligned import read_aligned, write_aligned
from scoring.tables.writing import write_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from pwscup.formats.evaluation import Case, Drawn, Opened, Values
    from scoring.rulesets.base import PartSpec
    from scoring.tables.records import Records


class AlignedTables(Tables):
    """Tables whose lines correspond to the records of the original."""

    def evaluate(self, case: Case, seed: int) -> Values | Drawn:
        """Every measure of the ruleset; of several tables that are submitted together, one value for each measure."""
        rules = case.ruleset
        if not rules.data.parts:
            return super().evaluate(case, seed)
        originals = case.read(originals_of, rules.data.parts)
        tables, source = self.parts(case)
        found = {key: shuffled(records, source, seed) for key, records in tables.items()}
        rows = next(iter(found.values()))[1]

        def measured(measures: Sequence[str], seed: int) -> Values:
            return score_parts(
                originals,
                {key: records for key, (records, _rows) in found.items()},
                rows,
                combine=rules.data.combine,
                options=replace(rules.options, seed=seed),
                measures=[rules.measure(id_) for id_ in measures],
                references=case.references(),
            )

        return case.measured(measured)

    def parts(self, case: Case) -> tuple[dict[str, Records], np.ndarray]:
        """The tables that were submitted together, and the rows of the original that their records were made from.

        Raises
        ------
        scoring.errors.ProblemsFound
            All problems of all tables.
        """
        original = case.read(original_of)
        columns = case.ruleset.data.columns_of_parts(original.schema)
        return read_parts(
            {key: case.file(key) for key in columns if case.has(key)},
            columns,
            original=original.prepared.original,
            schema=original.schema,
            original_values_only=has_original_values(case),
            blank_records=case.ruleset.validity.blank_records,
        )

    def read(self, case: Case, original: Original) -> Submitted:
        """The records, and the rows of the original at their positions; several tables as one."""
        if case.ruleset.data.parts:
            tables, source = self.parts(case)
            return joined(tables, original.schema), source
        return read_aligned(
            case.file("anonymized"),
            original=original.prepared.original,
            schema=original.schema,
            original_values_only=has_original_values(case),
            blank_records=case.ruleset.validity.blank_records,
        )

    def release(self, case: Case, original: Original, found: Submitted, seed: int) -> Published:
        """All lines, and the candidates: the team's records and its decoys, shuffled."""
        submission = case.submission
        rows = case.drawn_rows(f"publishing {submission.public_id}")
        if rows is None:
            raise LookupError(f"nothing was drawn for team {submission.team_id}")
        records, source = found
        lines = release(rows["own"], source, rows["candidates"], rng=np.random.default_rng(seed))
        published = write_aligned(records, lines.positions, original.schema)
        if case.ruleset.data.parts:
            tables, _source = self.parts(case)
            published = archive(
                {
                    f"{key}.csv": write_aligned(
                        table, lines.positions, original.schema.only(table.names)
                    )
                    for key, table in tables.items()
                }
            )
        whole = case.organizers_table
        candidates = whole.records("publishing a table of candidates")
        return Published(
            published,
            sealed(seed, lines.key),
            len(lines.key),
            write_table(candidates.taken(rows["candidates"]), whole.schema.public()),
        )

    def choices(self, case: Case) -> Choices | None:
        """The team's records among its decoys; None if nothing was drawn."""
        reason = f"debriefing of {case.submission.public_id}"
        rows = case.drawn_rows(reason)
        if rows is None:
            return None
        record = {int(row): at for at, row in enumerate(rows["own"])}
        own = np.array([record.get(int(row), -1) for row in rows["candidates"]], dtype=np.int64)
        place = np.empty(len(record), dtype=np.int64)
        place[own[own >= 0]] = np.flatnonzero(own >= 0)
        table = case.organizers_table.records(reason).taken(rows["candidates"]).to_frame()
        return Choices(table, place, own)

    def control(self, case: Case) -> pd.DataFrame | None:
        """The team's decoys; None if none were drawn."""
        reason = f"audit of {case.submission.public_id}"
        rows = case.drawn_rows(reason)
        if rows is None or not len(rows["decoys"]):
            return None
        return case.organizers_table.records(reason).taken(rows["decoys"]).to_frame()


def originals_of(table: Opened, parts: tuple[PartSpec, ...]) -> dict[str, Prepared]:
    """The original of each of several tables, indexed once."""
    schema = table.schema.public()
    columns = {part.key: part.columns or schema.names for part in parts}
    return prepared_parts(table.records("scoring: the original is prepared"), columns, schema)


TABLES = AlignedTables()
