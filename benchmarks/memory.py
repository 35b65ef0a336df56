# SPDX-License-Identifier: Apache-2.0
"""`python -m benchmarks.memory`: what scoring takes at its peak, libraries and the original's reading included.

In one fresh process, with two threads, as a worker does it: the original is read and prepared, then a submission
is read and scored. The peak is the kernel's own figure (`ru_maxrss`), step by step.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from scoring.datasets.households import HOUSEHOLDS_SCHEMA
from scoring.evaluate import Prepared, score
from scoring.tables.reading import read_records
from scoring.tables.schema import Schema
from scoring.tables.validation import read_submitted_records
from scoring.warm import warm_up

THREADS = 2
_DRAW = """
import sys
from pathlib import Path
from benchmarks.cases import case
case(sys.argv[1], int(sys.argv[2]), Path(sys.argv[3]))
"""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.memory", description=__doc__)
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument(
        "--case", default="none", choices=("13", "none"), help="none matches (none)"
    )
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="pwscup-bench-") as folder:
        draw = ("-c", _DRAW, arguments.case, str(arguments.records), folder)
        subprocess.run([sys.executable, *draw], check=True)  # whose memory is not counted
        print(json.dumps(peaks(Path(folder)), indent=1))  # noqa: T201


def peaks(folder: Path) -> dict[str, int]:
    """MiB at the peak after each step."""
    schema, found = HOUSEHOLDS_SCHEMA.public(), {}
    warm_up()
    found["libraries"] = _peak()
    prepared = _prepared(folder, schema)
    found["original prepared"] = _peak()
    records, source = read_submitted_records(
        (folder / "anonymized.csv").read_bytes(),
        (folder / "rows.csv").read_bytes(),
        n_original=prepared.n_records,
        schema=schema,
    )
    found["submission read"] = _peak()
    score(prepared, records, source, schema, threads=THREADS)
    found["scored"] = _peak()
    return found


def _prepared(folder: Path, schema: Schema) -> Prepared:
    data = (folder / "original.csv").read_bytes()
    records = read_records(data, schema, file="original", original=True)
    del data
    return Prepared.of(records, schema)


def _peak() -> int:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(peak / (2**20 if sys.platform == "darwin" else 2**10))


if __name__ == "__main__":
    main()
