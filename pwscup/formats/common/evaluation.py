# SPDX-License-Identifier: Apache-2.0
"""Tables of records: scored in a new secret order, published in another one."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from pwscup.formats.evaluation import Published
from scoring.evaluate import Prepared, program_files, score
from scoring.proof.commitments import shuffled
from scoring.scores.alignment import frame_of
from scoring.scores.comparison import Comparison
from scoring.scores.content import copies
from scoring.tables.original_values import check_original_values
from scoring.tables.reading import write_table
from scoring.tables.row_order import fits_rows, note_row_order
from scoring.tables.validation import read_submitted_records

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from pwscup.formats.evaluation import Attacked, Case, Drawn, Opened, Values
    from scoring.audits.audit import Audit, Progress
    from scoring.tables.records import Records
    from scoring.tables.schema import Schema

SEED_BITS = 128
Submitted = tuple["Records", np.ndarray]


@dataclass(frozen=True, slots=True)
class Original:
    """An original without its identifiers, and the indexes that scoring builds once."""

    schema: Schema
    prepared: Prepared

    @classmethod
    def of(cls, table: Opened) -> Original:
        records = table.records("scoring: the original is prepared")
        schema = table.schema.public()
        return cls(schema, Prepared.of(records, schema))


@dataclass(frozen=True, slots=True)
class Choices:
    """Candidates: `place` is the line of each record of the team, `own` the record of each line, -1 for a decoy."""

    table: pd.DataFrame
    place: np.ndarray
    own: np.ndarray


def original_of(table: Opened) -> Original:
    return Original.of(table)


class Tables:
    """A table with the rows of the original that its records were made from."""

    def evaluate(self, case: Case, seed: int) -> Values | Drawn:
        """Every measure of the ruleset; the order of the records has no effect."""
        original = case.read(original_of)
        records, rows = self.read(case, original)
        if not fits_rows(original.prepared.kept, records, rows):
            note_row_order(original.prepared.original, records, rows)
        table, source = shuffled(records, rows, seed)

        given = case.programmed(lambda: program_files(original.prepared, table, source))

        def found(measures: Sequence[str], seed: int) -> Values:
            return score(
                original.prepared,
                table,
                source,
                original.schema,
                options=replace(case.ruleset.options, seed=seed),
                measures=list(map(case.ruleset.measure, measures)),
                given=given,
                references=case.references(),
            )

        return case.measured(found)

    def read(self, case: Case, original: Original) -> Submitted:
        """The submitted records, and the rows of the original that they were made from.

        Raises
        ------
        scoring.errors.ProblemsFound
        """
        records, source = read_submitted_records(
            case.file("anonymized"),
            case.file("rows") if case.has("rows") else None,
            n_original=original.prepared.n_records,
            schema=original.schema,
        )
        if has_original_values(case):
            check_original_values(records, original.prepared.original, original.schema)
        return records, source

    def published(self, case: Case, purpose: str) -> Published:
        """The records in a secret order, as canonical CSV; see `scoring.proof.commitments`."""
        original = case.read(original_of)
        seed = case.seed(purpose)
        return self.release(case, original, self.read(case, original), seed)

    def release(self, case: Case, original: Original, found: Submitted, seed: int) -> Published:
        """The release of a submitted table."""
        table, source = shuffled(*found, seed)
        return Published(write_table(table, original.schema), sealed(seed, source), len(table))

    def audited(self, case: Case, progress: Progress) -> Audit:
        """All attackers and measures; with decoys, attacks are also run on those for comparison."""
        from scoring.audits.audit import audit  # imports for attackers, which scoring does not need

        original = case.read(original_of)
        table, source = self.read(case, original)
        control = self.control(case)
        return audit(
            original.prepared if control is None else frame_of(original.prepared.original),
            table.to_frame(),
            source,
            original.schema,
            rng=np.random.default_rng(secrets.randbits(SEED_BITS)),
            control=control,
            options=replace(case.ruleset.options, seed=case.measures_seed()),
            progress=progress,
        )

    def debriefed(self, case: Case, attacked: Attacked) -> dict[str, Any]:
        """The found records, by rows of the original, and the columns that find them among the candidates."""
        from scoring.audits.debrief import debrief

        original = case.read(original_of)
        table, source = self.read(case, original)
        choices = self.choices(case)
        times = attacked.times
        if choices is not None:
            times = {int(choices.own[line]): n for line, n in times.items()}
        found = debrief(
            Comparison.of(original.prepared, table, source, original.schema),
            times,
            n_attackers=attacked.n_attackers,
            candidates=None if choices is None else choices.table,
            place=None if choices is None else choices.place,
            options=case.ruleset.options,
        )
        as_they_were = copies(table, [original.prepared.original], original.schema)
        return {**found.to_dict(), "n_copies": int(as_they_were.sum())}

    def choices(self, _case: Case) -> Choices | None:
        """The published candidates; None if attackers choose from the original."""
        return None

    def control(self, _case: Case) -> pd.DataFrame | None:
        """Records that are not in the table, if there are any."""
        return None


def has_original_values(case: Case) -> bool:
    """A table may contain only values of the original."""
    return case.ruleset.validity.values == "original"


def sealed(seed: int, source: np.ndarray) -> dict[str, object]:
    """The answer about a release: its permutation, and the 0-based record of each line."""
    return {"seed": str(seed), "source": source.tolist()}


class Slides:
    """Slides are stored, not scored: judges grade them."""

    def evaluate(self, _case: Case, _seed: int) -> Values:
        return {}


TABLES, SLIDES = Tables(), Slides()
