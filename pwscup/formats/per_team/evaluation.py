"""Own tables of teams: aligned with the original, published with candidates among decoys."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pwscup.formats.common.evaluation import (
    Choices,
    Original,
    Submitted,
    Tables,
    has_original_values,
    sealed,
)
from pwscup.formats.evaluation import Published
from scoring.formats.lecture import release
from scoring.tables.aligned import read_aligned, write_aligned
from scoring.tables.writing import write_table

if TYPE_CHECKING:
    import pandas as pd

    from pwscup.formats.evaluation import Case


class AlignedTables(Tables):
    """Tables whose lines correspond to the records of the original."""

    def read(self, case: Case, original: Original) -> Submitted:
        """The records, and the rows of the original at their positions."""
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
        whole = case.organizers_table
        candidates = whole.records("publishing a table of candidates")
        return Published(
            write_aligned(records, lines.positions, original.schema),
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


TABLES = AlignedTables()
