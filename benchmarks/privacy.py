# SPDX-License-Identifier: Apache-2.0
"""`python -m benchmarks.privacy`: what the largest tables cost under Pk-anonymization and reconstruction."""

from __future__ import annotations

import argparse
import json
import math
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from io import StringIO

import numpy as np
from numpy.typing import NDArray

from scoring.cli import main as cli
from scoring.privacy.post_randomization import randomize, rho_of
from scoring.privacy.reconstruction import iterative_bayes
from scoring.privacy.tables import contingency

DOMAINS = {"10^6": (10,) * 6, "1000 x 1000": (1000, 1000), "2^20": (2,) * 20}
EPSILON, ITERATIONS = 8.0, 100


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.privacy", description=__doc__)
    parser.add_argument("--records", type=int, default=10**7, help="records of each table (10^7)")
    n_records = parser.parse_args().records
    rows = [_experiment(), *(_row(name, sizes, n_records) for name, sizes in DOMAINS.items())]
    print(json.dumps(rows, indent=1))  # noqa: T201


def _experiment() -> dict[str, object]:
    """The paper's whole experiment, with its tables and figures."""
    taken: dict[str, float] = {}
    with (
        tempfile.TemporaryDirectory() as folder,
        redirect_stdout(StringIO()),
        _timed("whole", taken),
    ):
        cli.main(["dp", "experiment", "--out", f"{folder}/out"])
    return {"case": "experiment"} | taken


def _row(name: str, sizes: tuple[int, ...], n_records: int) -> dict[str, object]:
    """Randomize, count, and reconstruct; the peak of memory holds the records as well."""
    codes = _records(sizes, n_records)
    rho = rho_of(EPSILON, sizes)
    taken: dict[str, float] = {}
    with _timed("randomize", taken):
        released = randomize(codes, sizes, rho, np.random.default_rng(2))
    del codes
    with _timed("count", taken):
        observed = contingency(released, sizes)
    del released
    with _timed("reconstruct", taken):
        found = iterative_bayes(observed, sizes, rho, tolerance=0, max_iterations=ITERATIONS)
    assert found.iterations == ITERATIONS
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    gigabytes = peak / (1e9 if sys.platform == "darwin" else 1e6)
    facts = {"case": name, "cells": math.prod(sizes), "n_records": n_records}
    return facts | taken | {"peak_gigabytes_so_far": round(gigabytes, 2)}


def _records(sizes: tuple[int, ...], n_records: int) -> NDArray[np.integer]:
    rng = np.random.default_rng(1)
    codes = np.empty((n_records, len(sizes)), np.uint8 if max(sizes) <= 256 else np.uint16)
    for w, size in enumerate(sizes):
        codes[:, w] = np.minimum(rng.geometric(0.3, n_records) - 1, size - 1)
    return codes


@contextmanager
def _timed(name: str, taken: dict[str, float]) -> Iterator[None]:
    """Seconds on the clock, and of the processor: a busy machine lengthens the first only."""
    clock, processor = time.perf_counter(), time.process_time()
    yield
    taken[f"{name}_seconds"] = round(time.perf_counter() - clock, 2)
    taken[f"{name}_processor_seconds"] = round(time.process_time() - processor, 2)


if __name__ == "__main__":
    main()
