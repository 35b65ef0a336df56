# SPDX-License-Identifier: Apache-2.0
"""Trials on a team's cohort: a synthetic table by one method, and its measures."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from pwscup.formats.cohort.bots import files_of, synthetic_file
from pwscup.formats.common.cheats import public_table
from pwscup.formats.common.trials import has_original_values
from pwscup.formats.trying import Tried
from scoring.audits.synthetic import n_copies
from scoring.evaluate import score
from scoring.tables.synthetic import read_synthetic

if TYPE_CHECKING:
    from pwscup.formats.trying import Attempt

WHOLE_NUMBERS = ("leaf",)


def of_table(attempt: Attempt) -> Tried:
    """A synthetic table by the method of the attempt."""
    ruleset, dataset, step = attempt.round.contest.ruleset, attempt.anonymized, attempt.steps[-1]
    schema, original = dataset.schema.public(), public_table(dataset)
    option = {
        name: int(value) if name in WHOLE_NUMBERS else value for name, value in step.values.items()
    }
    rng = np.random.default_rng(step.seed)
    data = synthetic_file(original, schema, ruleset, (step.method, option), rng=rng)
    # As it is read when it is submitted: rounded, and refused for the same reasons.
    values_only = has_original_values(attempt)
    records = read_synthetic(data, schema, original=original if values_only else None)
    files = files_of(data, attempt.round.spec, schema, ruleset)
    models = {spec.kind: files[spec.key][1] for spec in attempt.round.spec.files}
    values = score(
        original,
        records,
        None,
        schema,
        options=replace(ruleset.options, seed=step.seed),
        measures=list(map(ruleset.measure, attempt.measures)),
        files=models,
    )
    copies = n_copies(original, records.to_frame())
    facts = {"n_records": len(records), "n_copies": copies, "n_deleted": 0, "attack": None}
    return Tried(files, values, facts)
