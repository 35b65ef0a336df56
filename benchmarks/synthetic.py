# SPDX-License-Identifier: Apache-2.0
"""The utility of a table of PWS Cup 2025's size: 10,000 records of 18 columns, without the training of a model.

`python -m benchmarks.synthetic` prints seconds for each measure of `membership-2025`, and for a
whole evaluation from the two files to the scores, the fastest of five times after a first one.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np

from scoring.anonymizers.synthesizers import SYNTHESIZERS
from scoring.datasets.catalog import generated
from scoring.evaluate import score
from scoring.rulesets import load_ruleset
from scoring.rulesets.loader import load_schema
from scoring.sandbox.models import trained
from scoring.scores.prepared import Prepared
from scoring.tables.reading import read_records, write_table
from scoring.tables.synthetic import read_synthetic

N_RECORDS, TIMES = 10_000, 5
FORMAT, SCHEMA, TARGET = "membership-2025", "health", "stroke"


def main() -> None:
    """Time each measure by itself, reading, and everything together."""
    rules, schema = load_ruleset(FORMAT), load_schema(SCHEMA)
    table = generated(SCHEMA, N_RECORDS, seed=1)
    made = SYNTHESIZERS["copula"](table, schema, N_RECORDS, rng=np.random.default_rng(1))
    original, submitted = write_table(table, schema), write_table(made, schema)
    files = {"model": trained(made, schema, TARGET)}
    measures = [rules.measure(id_) for id_ in rules.measures]

    prepared = Prepared.of(read_records(original, schema, file="original", original=True), schema)
    records = read_synthetic(submitted, schema)

    def scored(wanted: list) -> Callable[[], object]:
        how = {"options": rules.options, "measures": wanted, "files": files}
        return lambda: score(prepared, records, None, schema, **how)

    def whole() -> None:
        read = read_synthetic(submitted, schema)
        score(prepared, read, None, schema, options=rules.options, measures=measures, files=files)

    rows = {f"`{measure.id}`": scored([measure]) for measure in measures if not measure.terms}
    rows |= {"reading": lambda: read_synthetic(submitted, schema), "a whole evaluation": whole}
    sys.stdout.write("| what | s |\n|---|---:|\n")
    for name, run in rows.items():
        run()
        sys.stdout.write(f"| {name} | {min(_timed(run) for _ in range(TIMES)):.2f} |\n")
        sys.stdout.flush()


def _timed(run: Callable[[], object]) -> float:
    began = time.perf_counter()
    run()
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
