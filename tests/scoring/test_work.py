# SPDX-License-Identifier: Apache-2.0
"""How much scoring computes, holds and loads: counted, not timed."""

from __future__ import annotations

import subprocess
import sys
import tracemalloc
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from scoring.datasets.households import HOUSEHOLDS_SCHEMA, households
from scoring.evaluate import score
from scoring.kernels import parts
from scoring.scores.comparison import Comparison, Prepared, numbers
from scoring.scores.nearest import PointIndex, ValueIndex
from scoring.tables.reading import read_records
from scoring.tables.records import Records
from scoring.tables.writing import write_table

N = 8_333
AMOUNTS = HOUSEHOLDS_SCHEMA.sensitive_numeric


@pytest.fixture(scope="module")
def original():
    return households(N, seed=1)


@pytest.fixture(scope="module")
def noisy(original):
    rng = np.random.default_rng(2)
    factors = 1 + 0.1 * rng.normal(size=(N, len(AMOUNTS)))
    changed = np.rint(numbers(original, AMOUNTS) * factors)
    return original.assign(**dict(zip(AMOUNTS, changed.T, strict=True)))


def work(index: PointIndex, rows: np.ndarray, source: np.ndarray) -> np.ndarray:
    """Points compared and regions asked for each record, counting and then searching."""
    everyone, one_group = np.arange(len(rows), dtype=np.int32), np.zeros(len(rows), dtype=np.int32)
    ties, guess = np.empty(len(rows), dtype=np.int32), np.empty(len(rows), dtype=np.int64)
    rows = np.ascontiguousarray(rows)
    counted = index.count_as_near(rows, one_group, everyone, index.place[source], ties)
    searched = index.nearest(rows, one_group, everyone, guess)
    return np.array([counted, searched]) / len(rows)


def test_a_record_of_no_class_is_compared_with_few_of_all_originals(original, noisy):
    index = PointIndex.of(numbers(original, AMOUNTS))
    counted, searched = work(index, numbers(noisy, AMOUNTS), np.arange(N))
    assert counted.sum() < 200
    assert searched.sum() < 500


@pytest.mark.parametrize("y", ["equal", "far", "one vector"])
def test_ties_are_not_counted_one_by_one(y, original):
    points = numbers(original, AMOUNTS)
    if y == "equal":
        points = np.tile(points[0], (N, 1))
    rows = {
        "equal": points,
        "far": np.full(points.shape, 1e18) + np.arange(N)[:, None],
        "one vector": np.tile(points.mean(axis=0), (N, 1)),
    }[y]
    counted, searched = work(PointIndex.of(points), rows, np.arange(N))
    assert counted.sum() < 300
    assert searched.sum() < 1_000


def test_a_nearest_value_takes_a_few_steps_where_all_are_equally_far():
    values = np.arange(5_000.0)
    index = ValueIndex.of(values)
    low, high = index.nearest(np.array([1e25]), np.zeros(1, dtype=np.int64))
    assert (low.tolist(), high.tolist()) == ([0], [5_000])
    ties, first = np.zeros(1, dtype=np.int32), np.zeros(1, dtype=np.int32)
    index.count_as_near(np.array([1e25]), first, first, index.place[2_500:2_501], ties)
    assert ties.tolist() == [5_000]


def test_scoring_records_makes_no_table_and_few_arrays(original, noisy, monkeypatch):
    prepared = Prepared.of(Records.of(original, HOUSEHOLDS_SCHEMA), HOUSEHOLDS_SCHEMA)
    records = Records.of(noisy, HOUSEHOLDS_SCHEMA)
    monkeypatch.setattr(Records, "to_frame", None)
    tracemalloc.start()
    try:
        values = score(prepared, records, np.arange(N), HOUSEHOLDS_SCHEMA)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    monkeypatch.undo()
    assert values["n_anonymized"] == N
    # The amounts once more, 12 of 8 bytes, and about ten whole numbers and floats for each record.
    assert peak / N < 12 * 8 + 200
    table = Comparison.of(prepared, records, np.arange(N), HOUSEHOLDS_SCHEMA).anonymized
    assert table["income"].tolist() == noisy["income"].tolist()
    assert list(prepared.table.columns) == list(HOUSEHOLDS_SCHEMA.public().names)


def test_a_prepared_original_keeps_the_amounts_in_its_indexes_only(original):
    data = write_table(original, HOUSEHOLDS_SCHEMA)
    options: dict[str, Any] = {"file": "original", "original": True}
    expected = read_records(data, HOUSEHOLDS_SCHEMA, **options)
    Prepared.of(expected, HOUSEHOLDS_SCHEMA)
    tracemalloc.start()
    try:
        records = read_records(data, HOUSEHOLDS_SCHEMA, **options)
        prepared = Prepared.of(records, HOUSEHOLDS_SCHEMA)
        peak = tracemalloc.get_traced_memory()[1]
        del records
        kept = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    # Two indexes with the 12 amounts and regions around eights of eights of them, and some forty whole
    # numbers; while they are built, what was read and two matrices of the amounts as well.
    assert kept / N < 2 * 12 * 8 * (1 + 2 / 7) + 220
    assert peak / N < kept / N + 13 * 4 + 3 * 12 * 8
    restored = prepared.original
    assert isinstance(restored, Records)
    assert (restored.names, restored.levels) == (expected.names, expected.levels)
    for part in ("numbers", "codes"):
        was, now = getattr(expected, part), getattr(restored, part)
        assert list(was) == list(now)
        for name, column in was.items():
            assert (column.dtype, column.tobytes()) == (now[name].dtype, now[name].tobytes())
    assert (prepared.sensitive == numbers(expected, AMOUNTS)).all()


def test_threads_change_no_bit(original, noisy, monkeypatch):
    prepared = Prepared.of(original, HOUSEHOLDS_SCHEMA)
    unmatched = noisy.assign(**{HOUSEHOLDS_SCHEMA.quasi_identifiers[0]: "none of them"})
    source = np.random.default_rng(3).permutation(N)
    # Records, which nobody checks: their values lie outside of the schema's.
    tables = [Records.of(table, HOUSEHOLDS_SCHEMA) for table in (noisy, unmatched)]
    alone = [score(prepared, table, source, HOUSEHOLDS_SCHEMA) for table in tables]
    monkeypatch.setattr(parts, "PASSES", 500)  # as if the table were large
    together = [score(prepared, table, source, HOUSEHOLDS_SCHEMA, threads=3) for table in tables]
    assert together == alone


def test_scoring_takes_a_thread(original):
    with pytest.raises(ValueError, match="threads: expected 1 or more, got 0"):
        score(original, original, np.arange(N), HOUSEHOLDS_SCHEMA, threads=0)


def test_parts_are_worth_a_thread_and_cover_everything():
    for n, threads, n_parts in ((99_999, 2, 1), (400_000, 2, 4), (10**7, 2, 8), (10**7, 1, 1)):
        found = []
        parts.in_parts(n, threads, lambda begin, end, found=found: found.append((begin, end)))
        found.sort()
        assert len(found) == n_parts
        assert [found[0][0], found[-1][1]] == [0, n]
        assert all(end == begin for (_, end), (begin, _) in pairwise(found))


PROGRAM = """
import sys
import scoring.rulesets
from scoring.warm import warm_up
warm_up()
before = set(sys.modules)
import numpy as np
from scoring.datasets.households import HOUSEHOLDS_SCHEMA, households
from scoring.evaluate import Prepared, score
from scoring.tables.reading import read_records, write_table
from scoring.tables.validation import read_submitted_records
data = write_table(households(3000, seed=1), HOUSEHOLDS_SCHEMA)
original = read_records(data, HOUSEHOLDS_SCHEMA, file="original", original=True)
rows = "".join(f"{row}\\n" for row in range(1, 3001)).encode()
records, source = read_submitted_records(data, rows, n_original=3000, schema=HOUSEHOLDS_SCHEMA)
score(Prepared.of(original, HOUSEHOLDS_SCHEMA), records, source, HOUSEHOLDS_SCHEMA)
loaded = sorted(set(sys.modules) - before)
print([name for name in loaded if name.startswith(("scoring.kernels", "scoring.measures"))])
print(sorted({"sklearn", "scipy.optimize", "matplotlib"} & set(sys.modules)))
"""


def test_a_warm_worker_loads_nothing_more_and_nothing_unused():
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True
    )
    assert done.stdout.split("\n")[:2] == ["[]", "[]"]
