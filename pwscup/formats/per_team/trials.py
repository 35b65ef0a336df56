# SPDX-License-Identifier: Apache-2.0
"""Trials on teams' own tables: mapped back to values of the original, attacked among decoys that imitate the real ones.

The real decoys are in the answer key, which no trial opens.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from pwscup.contests.selectors import dataset_of
from pwscup.core.files import storage
from pwscup.formats.attacks.archives import records_of
from pwscup.formats.common.bots import guess_file
from pwscup.formats.common.cheats import public_table
from pwscup.formats.common.trials import (
    applied,
    carried_out,
    guessed,
    has_original_values,
    judged,
    linked,
)
from pwscup.formats.trying import Tried
from scoring.attacks.neighbours import isolated_records
from scoring.formats.lecture import imitated_decoys, positions_of
from scoring.tables.aligned import read_aligned, write_aligned
from scoring.tables.number_lists import write_candidate_guess
from scoring.tables.reading import read_table

if TYPE_CHECKING:
    from pwscup.formats.common.trials import Made
    from pwscup.formats.trying import Attempt, Step
    from scoring.tables.hierarchy_files import Source
    from scoring.tables.schema import Schema


def of_table(attempt: Attempt) -> Tried:
    """A line for each record of the team's table, by the methods of the attempt."""
    dataset, ruleset = attempt.anonymized, attempt.round.contest.ruleset
    schema, original = dataset.schema.public(), public_table(dataset)
    table, source = carried_out(attempt, original, schema, changed)
    data = write_aligned(table, positions_of(source, len(original)), schema)
    # As it is read when it is submitted: rounded, and refused for the same reasons.
    records, rows = read_aligned(
        data,
        original=original,
        schema=schema,
        original_values_only=has_original_values(attempt),
        blank_records=ruleset.validity.blank_records,
    )
    rng = np.random.default_rng(attempt.steps[-1].seed)
    decoys = imitated_decoys(original, ruleset.data.decoys or 0, rng=rng)
    known = pd.concat([original, decoys], ignore_index=True)
    return Tried(
        {"anonymized": ("anonymized.csv", data)},
        *judged(attempt, original, schema, (records.to_frame(), rows), known),
    )


def changed(made: Made, schema: Schema, step: Step, content: Source) -> Made:
    """The result of one method of this format."""
    if step.method == "exposed":
        return without_exposed(made, schema, int(step.values["n"]))
    return applied(made, schema, step, content)


def without_exposed(made: Made, schema: Schema, n: int) -> Made:
    """Without the records that stand out most; two are left at least."""
    table, source = made
    if len(table) <= 2:
        return made
    gone = isolated_records(table, schema, min(n, len(table) - 2))
    kept = np.setdiff1d(np.arange(len(table), dtype=np.int64), gone)
    return table.iloc[kept].reset_index(drop=True), source[kept]


def of_candidates(attempt: Attempt) -> Tried:
    """A guess at the candidate for every line of a release that holds a record."""
    release = attempt.attacked
    if release.candidates is None:
        raise LookupError(f"release {release.pk} has no candidates")
    schema = dataset_of(attempt.round.contest).schema.public()
    data = storage.read(release.candidates)
    known = read_table(data, schema, file="candidates", original=True)
    records, lines, n_lines = records_of(release, schema)
    seen = records.to_frame()
    guess = np.full(n_lines, -1, dtype=np.int64)
    guess[lines] = found = guessed(known, seen, schema, attempt.steps[-1])
    files = guess_file(release, write_candidate_guess(guess))
    return Tried(files, facts=linked(seen, known, found, lines, schema))
