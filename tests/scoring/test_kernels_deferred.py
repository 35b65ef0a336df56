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
MODULES = ("boxes", "graphs", "matching", "permanents")


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
        "assert not isinstance(graphs._first, Deferred) and join.machine_code is graphs.join\n"
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
