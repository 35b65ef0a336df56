# SPDX-License-Identifier: Apache-2.0
"""Synthetic tables: scored and published in canonical order, as no record was made from a certain one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from pwscup.formats.common.evaluation import has_original_values
from pwscup.formats.evaluation import Published
from scoring.evaluate import Prepared, program_files, score
from scoring.rulesets.kinds import NO_CANDIDATES
from scoring.scores.alignment import frame_of
from scoring.tables.reading import write_table
from scoring.tables.record_bounds import record_bounds
from scoring.tables.synthetic import read_synthetic

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from pwscup.formats.evaluation import Attacked, Case, Drawn, Opened, Values
    from scoring.audits.audit import Progress
    from scoring.audits.synthetic import SyntheticAudit
    from scoring.tables.records import Records
    from scoring.tables.schema import Schema

FILE = "synthetic"
Original = tuple["Schema", Prepared]


def original_of(table: Opened) -> Original:
    """A team's records without their identifiers, indexed once."""
    schema = table.schema.public()
    return schema, Prepared.of(table.records("scoring: the original is prepared"), schema)


class SyntheticTables:
    """Tables of any number of records, without row numbers."""

    def evaluate(self, case: Case, _seed: int) -> Values | Drawn:
        """Every measure of the ruleset; the order of the records has no effect."""
        schema, original = case.read(original_of)
        table = self.read(case)
        if any(case.ruleset.measure(id_).needs_control for id_ in case.ruleset.measures):
            original = replace(original, control=self.control(case))
        given = case.programmed(lambda: program_files(original, table, None))

        def found(measures: Sequence[str], seed: int) -> Values:
            return score(
                original,
                table,
                None,
                schema,
                options=replace(case.ruleset.options, seed=seed),
                measures=list(map(case.ruleset.measure, measures)),
                files=case.read_by_measures(),
                given=given,
                references=case.references(),
            )

        return case.measured(found)

    def read(self, case: Case) -> Records:
        """The submitted records, in canonical order.

        Raises
        ------
        scoring.errors.ProblemsFound
        """
        schema, original = case.read(original_of)
        limits = case.ruleset.limits
        least, most = record_bounds(
            original.n_records, limits.min_records_factor, limits.max_records_factor
        )
        return read_synthetic(
            case.file(FILE),
            schema,
            least=least,
            most=most,
            original=original.original if has_original_values(case) else None,
        )

    def published(self, case: Case, _purpose: str) -> Published:
        """The table in canonical order, and the candidates if attackers get any.

        Nothing is drawn, and the answer is empty: who was in the cohort is in the team's draw.
        """
        table = self.read(case)
        schema, _original = case.read(original_of)
        return Published(
            write_table(table, schema),
            {},
            len(table),
            self.candidates(case, schema),
        )

    def candidates(self, case: Case, schema: Schema) -> bytes | None:
        """The records that attackers choose from: the team's and its decoys, or all."""
        if case.ruleset.data.candidates == NO_CANDIDATES:
            return None
        submission = case.submission
        rows = case.drawn_rows(f"publishing {submission.public_id}")
        if rows is None:
            raise LookupError(f"nothing was drawn for team {submission.team_id}")
        whole = case.organizers_table.records("publishing a table of candidates")
        return write_table(whole.taken(rows["candidates"]), schema)

    def audited(self, case: Case, progress: Progress) -> SyntheticAudit:
        """All measures that need no rows, and what attackers learn compared with the team's decoys."""
        from scoring.audits.synthetic import (
            audit,
        )  # imports for attackers, which scoring does not need

        schema, original = case.read(original_of)
        return audit(
            frame_of(original.original),
            self.read(case).to_frame(),
            schema,
            control=self.control(case),
            options=replace(case.ruleset.options, seed=case.measures_seed()),
            progress=progress,
        )

    def control(self, case: Case) -> pd.DataFrame | None:
        """The team's decoys; None if none were drawn."""
        reason = f"audit of {case.submission.public_id}"
        rows = case.drawn_rows(reason)
        if rows is None or not len(rows["decoys"]):
            return None
        return case.organizers_table.records(reason).taken(rows["decoys"]).to_frame()

    def debriefed(self, case: Case, attacked: Attacked) -> dict[str, Any]:
        """The found records, and the distances of these and the others to the synthetic table."""
        from scoring.audits.synthetic import debrief

        schema, original = case.read(original_of)
        rows = case.drawn_rows(f"debriefing of {case.submission.public_id}")
        own = np.arange(original.n_records) if rows is None else rows["own"]
        record = {int(row): at for at, row in enumerate(own)}
        times = {record[int(unit)]: n for unit, n in attacked.times.items() if int(unit) in record}
        return debrief(
            frame_of(original.original),
            self.read(case).to_frame(),
            schema,
            times,
            n_attackers=attacked.n_attackers,
        )


TABLES = SyntheticTables()
