# SPDX-License-Identifier: Apache-2.0
"""Kernels that run as plain Python where little is asked of them: the same results, and when they are compiled."""

from __future__ import annotations

import importlib
import importlib.util
import itertools
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from scoring.cli.main import main
from scoring.kernels.deferred import MOST_WORK, Deferred, sizes

ROOT = Path(__file__).parents[2]
MODULES = ("amounts", "boxes", "graphs", "layout", "matching", "pairs", "permanents", "search")
MODULES += ("values", "vectors")


def plain(name):
    """A module of kernels once more, of which nothing is compiled."""
    path = ROOT / "scoring" / "kernels" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"plain_{name}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def compiled(name):
    import numba  # noqa: F401 — with it nothing is deferred any more

    return importlib.import_module(f"scoring.kernels.{name}")


def both(name, function, arguments, *, written):
    """The result of a function and the arrays that it writes to, plain and compiled."""
    found = []
    for module in (plain(name), compiled(name)):
        own = [each.copy() if isinstance(each, np.ndarray) else each for each in arguments]
        call = getattr(module, function)
        call = call.function if module.__name__.startswith("plain_") else call
        result = call(*own)
        found.append((result, [own[i].tolist() for i in written]))
    return found


@pytest.mark.parametrize("seed", range(30))
def test_regions_of_points(seed):
    rng = np.random.default_rng(seed)
    n_boxes, n_points, width = 6, 9, 4
    corners = np.sort(rng.integers(0, width, (n_boxes, 2, 2)), axis=1)
    first, last = (np.ascontiguousarray(corners[:, i]) for i in (0, 1))
    counted = both(
        "boxes", "count_cells", (first, last, width, np.zeros(width * width, np.int64)), written=[3]
    )
    assert counted[0] == counted[1]
    starts = np.concatenate([[0], np.cumsum(counted[0][1][0])]).astype(np.int64)
    filled = both(
        "boxes",
        "fill_cells",
        (first, last, width, starts[:-1].copy(), np.zeros(starts[-1], np.int64)),
        written=[3, 4],
    )
    assert filled[0] == filled[1]
    boxes = np.array(filled[0][1][1], np.int64)
    low = rng.integers(0, 4, (n_boxes, 2)).astype(float)
    high = low + rng.integers(0, 4, (n_boxes, 2))
    points = rng.integers(0, 6, (n_points, 2)).astype(float)
    grid = (rng.integers(0, width * width, n_points), starts, boxes, points, low, high)
    sized = both("boxes", "count_boxes", (*grid, np.zeros(n_points, np.int64)), written=[6])
    assert sized[0] == sized[1]
    listed = both(
        "boxes", "list_boxes", (*grid, np.zeros(sum(sized[0][1][0]), np.int64)), written=[6]
    )
    assert listed[0] == listed[1]
    row_starts, values = np.arange(0, 3 * n_boxes + 1, 3), rng.integers(0, 4, 3 * n_boxes)
    counts = both(
        "boxes",
        "count_values",
        (*grid, row_starts, values, np.zeros((n_points, 4), np.int64)),
        written=[8],
    )
    assert counts[0] == counts[1]


@pytest.mark.parametrize("seed", range(30))
def test_components_and_matchings(seed):
    rng = np.random.default_rng(seed)
    joined = both(
        "graphs",
        "join",
        (rng.integers(0, 12, 8), rng.integers(0, 12, 8), np.arange(12)),
        written=[2],
    )
    assert joined[0] == joined[1]
    sizes_of = rng.integers(0, 4, 7)
    starts = np.concatenate([[0], np.cumsum(sizes_of)])
    rows = rng.integers(0, 6, starts[-1])
    matched = both(
        "matching",
        "match",
        (starts, rows, np.zeros(7, np.int64), np.zeros(6, np.int64)),
        written=[2, 3],
    )
    assert matched[0] == matched[1]
    lasting = both(
        "matching",
        "keep_lasting",
        (
            *(np.array([0, 3, 7]), rng.permutation(7), starts, rows, rng.integers(0, 3, 6)),
            *(np.zeros(3, np.int64), np.zeros(starts[-1], np.bool_)),
        ),
        written=[6],
    )
    assert lasting[0] == lasting[1]


@pytest.mark.parametrize("seed", range(30))
def test_numbers_of_possible_worlds(seed):
    rng = np.random.default_rng(seed)
    n = 4
    edges = sorted(
        (kind, time, 10 * time + 3 * kind + row, bit)
        for kind, time, row, bit in itertools.product(range(2), range(2), range(3), range(n))
        if rng.random() < 0.6
    )
    kind, time, row, bit = (np.array(column, np.int64) for column in zip(*edges, strict=True))
    truth = rng.integers(0, 2, len(edges))
    arguments = (kind, bit, time, row, truth, n, 10_000, np.zeros(n))
    found = both("permanents", "count_worlds", arguments, written=[7])
    assert found[0] == found[1]
    cut_short = both("permanents", "count_worlds", (*arguments[:6], 1, np.zeros(n)), written=[7])
    assert cut_short[0][0] == cut_short[1][0]


def same(name, function, arguments, *, written):
    """The arrays that both write, where they and the results are the same."""
    plainly, with_machine_code = both(name, function, arguments, written=written)
    assert plainly == with_machine_code, function
    return plainly


@pytest.mark.parametrize("seed", range(10))
def test_sums_of_amounts(seed):
    rng = np.random.default_rng(seed)
    n, n_columns, lanes = 40, 5, 8
    rows = rng.integers(-9, 9, (n, n_columns)) / 7 * 10.0 ** rng.integers(0, 8, n_columns)
    declared = rng.integers(0, 60, n) if seed % 2 else rng.permutation(60)[:n]
    slots = [np.zeros(n, np.int32) for _ in range(3)]
    places = np.arange(60, dtype=np.int32)
    same("amounts", "arrange", (declared, places, *slots), written=[2, 3, 4])
    slot, values = rng.permutation(n).astype(np.int32), rows[:, 0].copy()
    values[0] = np.inf if seed % 3 == 0 else values[0]
    same("amounts", "scatter", (values, slot, 0, n, np.zeros((n, 2)), 1), written=[4])
    same("amounts", "add_rows", (rows, np.zeros(n), 3, n), written=[1])
    numbers = rng.integers(0, 4, n).astype(np.int32)
    high, low = np.zeros((4, n_columns)), np.zeros((4, n_columns))
    same("amounts", "add_classes", (rows, numbers, high, low, 1, n_columns), written=[2, 3])
    points = np.ascontiguousarray(rows.reshape(-1, lanes, n_columns).transpose(0, 2, 1))
    high, low, changed = (np.zeros((1, n_columns), dtype) for dtype in (float, float, np.int64))
    arguments = (points, rows, slot, 0, 1, high, low, changed)
    same("amounts", "add_differences", arguments, written=[5, 6, 7])
    means = np.stack([rows.mean(axis=0), np.full(n_columns, 1e-9)])
    products = np.zeros((1, n_columns, n_columns))
    same("amounts", "add_products", (rows, means, 0, 1, products, changed), written=[4, 5])
    same("amounts", "add_all", (np.concatenate([values[1:], [0.0, 1.0, 1.0]]),), written=[])
    same("amounts", "add_shares", (rng.integers(0, 300, n).astype(np.int32),), written=[])


@pytest.mark.parametrize("seed", range(10))
def test_nearest_values_and_vectors(seed):
    rng = np.random.default_rng(seed)
    runs, n = rng.integers(1, 4, 60), 50
    values = np.concatenate([np.sort(rng.permutation(90)[:20]) / 3 for _ in range(3)])
    run_starts = np.concatenate([[0], np.cumsum(runs)]).astype(np.int32)
    starts, group = np.array([0, 20, 40, 60]), rng.integers(0, 3, n).astype(np.int32)
    column = rng.integers(0, 90, n) / 3
    places = (20 * group + rng.integers(0, 20, n)).astype(np.int32)
    order, ties = rng.permutation(n).astype(np.int32), np.zeros(n, np.int32)
    arguments = (values, run_starts, starts, column, group, order, places, 5, n, ties)
    same("values", "count_as_near_values", arguments, written=[9])
    ends = [np.zeros(n, np.int64) for _ in range(2)]
    arguments = (values, starts, column, group.astype(np.int64), *ends)
    same("values", "find_nearest_values", arguments, written=[4, 5])
    few = rng.integers(0, 6, n).astype(float)
    low = rng.integers(0, n, n).astype(np.int32)
    high = low + rng.integers(1, 9, n).astype(np.int32)
    arguments = (np.sort(few), few, low, high, 0, n, np.zeros(n))
    same("values", "meet_by_rank", arguments, written=[6])

    keys, codes = rng.integers(-1, 9, n), rng.integers(0, 4, n).astype(np.int32)
    appended = (keys, codes, np.array([2, -1, 0, 1]), 3, 0, n)
    same("vectors", "append_code", appended, written=[0])
    keys = rng.choice(rng.integers(-(2**62), 2**62, 20), n)
    numbers = np.where(rng.random(n) < 0.1, 7, -1).astype(np.int32)
    table = (np.zeros(64, np.int64), np.full(64, -1, np.int32))
    _n, (table_keys, table_numbers, numbers) = same(
        "vectors", "number", (keys, *table, numbers, 8), written=[1, 2, 3]
    )
    known = np.zeros(64, np.int64)
    known[numbers] = keys
    table = (np.array(table_keys), np.array(table_numbers, np.int32))
    asked = np.where(rng.random(n) < 0.5, keys, rng.integers(-5, 2**62, n))
    arguments = (asked, *table, known, codes, np.zeros(n, np.int32), 0, n)
    same("vectors", "locate", arguments, written=[5])


@pytest.mark.parametrize("seed", range(10))
def test_nearest_points(seed):
    """On tables with ties and groups of different sizes, in blocks and without blocks."""
    rng = np.random.default_rng(seed)
    n, n_columns, lanes = 150 if seed < 4 else 40, 3, 8
    rows = rng.integers(0, 3 + 3 * seed, (n, n_columns)) / 7
    group = np.sort(rng.integers(0, 1 + seed % 3, n)).astype(np.int32)
    starts = np.searchsorted(group, np.arange(group[-1] + 2)).astype(np.int64)
    order = np.arange(n, dtype=np.int32)
    ordered = same("layout", "order_by_place", (rows, order, starts), written=[1])[1][0]
    order = np.array(ordered, np.int32)
    n_blocks = -(-n // lanes)
    points = np.zeros((n_blocks, n_columns, lanes))
    points = np.array(same("layout", "pack", (rows, order, points), written=[2])[1][0])
    levels = [-(-n_blocks // lanes)]
    while levels[-1] > 1:
        levels.append(-(-levels[-1] // lanes))
    offsets = np.concatenate([[0], np.cumsum(levels)])
    box = np.zeros((offsets[-1], n_columns, lanes))
    arguments = (points, order, offsets, box, box, np.zeros(offsets[-1] * lanes, np.int32))
    low, high, lowest = map(np.array, same("layout", "bound", arguments, written=[3, 4, 5])[1])
    arguments = (points, low, high, offsets, starts, np.zeros(n))
    clearances = np.array(same("search", "find_clearances", arguments, written=[5])[1][0])
    moved = rows + rng.integers(-1, 2, (n, n_columns)) / 7
    queries = rng.permutation(n).astype(np.int32)
    places = np.argsort(order).astype(np.int32)
    arguments = (points, low, high, offsets, clearances, moved, starts, group, queries, places)
    arguments += (2, n, np.zeros(n, np.int32), np.zeros(2, np.int64))
    same("search", "count_as_near", arguments, written=[12, 13])
    lowest = lowest.astype(np.int32)
    arguments = (points, low, high, offsets, order, lowest, moved, starts, group, queries)
    arguments += (0, n, np.zeros(n, np.int64), np.zeros(2, np.int64))
    same("search", "find_nearest", arguments, written=[12, 13])


@pytest.mark.parametrize("is_squared", [False, True])
def test_nearest_pairs(is_squared):
    for seed in range(5):
        rng = np.random.default_rng(seed)
        n, m, wanted = 30, 12, 4
        codes = [rng.integers(0, 3, (2, size)).astype(np.int32) for size in (n, m)]
        numbers = [rng.integers(0, 9, (3, size)) / 7 for size in (n, m)]
        tables = (codes[0], numbers[0], codes[1], numbers[1], rng.random(2), rng.random(3))
        starts, row_of = rng.integers(0, 20, m), rng.permutation(n)
        asked = (np.arange(m), starts, starts + rng.integers(0, 11, m), rng.random(n) < 0.8)
        found = (np.zeros((m, wanted), np.int64), np.zeros((m, wanted)))
        same("pairs", "nearest", (*tables, is_squared, row_of, *asked, *found), written=[12, 13])


def test_work_is_counted_for_the_process():
    """Within the bound nothing is compiled; the call beyond it compiles the whole module."""
    program = (
        "import sys, numpy as np\n"
        "from scoring.kernels import graphs\n"
        "from scoring.kernels.deferred import MOST_WORK, Deferred\n"
        "join, n = graphs.join, MOST_WORK // 4\n"
        "first = np.zeros(1, np.int64)\n"
        "join(first, first, np.arange(n))\n"
        "assert 'numba' not in sys.modules and isinstance(graphs.join, Deferred)\n"
        "join(first, first, np.arange(2 * n))\n"
        "assert 'numba' not in sys.modules\n"
        "label = np.arange(n)\n"
        "join(first, first + n - 1, label)\n"
        "assert 'numba' in sys.modules and not isinstance(graphs.join, Deferred)\n"
        "assert join.machine_code is graphs.join\n"
        "print(label[n - 1])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "0\n"


def test_every_kernel_that_others_call_says_how_much_it_has_to_do():
    for name in MODULES:
        for own, each in vars(plain(name)).items():
            if isinstance(each, Deferred):
                assert (each._work is None) == own.startswith("_"), (name, own)
    assert sizes(np.zeros((2, 3)), 5, np.zeros(4)) == 10
    assert MOST_WORK > 0


def test_a_command_says_the_same_without_machine_code(tmp_path, capsys):
    folder = tmp_path / "B"
    assert main(["sequential", "example", "--tables", "small", "--out", str(folder)]) == 0
    tables = [str(folder / "T1.csv"), str(folder / "T2.csv")]
    files = ["--schema", str(folder / "S.toml"), "--tables", *tables]
    out = str(tmp_path / "R")
    assert main(["sequential", "publish", "--m", "2", *files, "--out", out]) == 0
    capsys.readouterr()
    line = ["sequential", "risk", *files, "--releases", f"{out}/R1.csv", f"{out}/R2.csv"]
    line += ["--definition", "worlds", "--json"]
    compiled("permanents")
    assert main(line) == 0
    here = json.loads(capsys.readouterr().out)
    done = subprocess.run(
        [sys.executable, "-m", "scoring", *line],
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout) == here
    assert here["max"] == 0.6
