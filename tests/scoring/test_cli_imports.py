# SPDX-License-Identifier: Apache-2.0
"""The command line loads what a command needs: the heavy libraries in memory when it ends, by command."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from scoring.cli.main import main

ROOT = Path(__file__).parents[2]
HEAVY = (
    "numpy",
    "pandas",
    "numba",
    "scipy.linalg",
    "scipy.optimize",
    "scipy.sparse",
    "scipy.special",
)
HEAVY += ("scipy.stats", "sklearn", "matplotlib")

PROGRAM = f"""
import json, runpy, sys
for line in json.loads(sys.argv[1]):
    sys.argv = ["scoring", *line.split()]
    try:
        runpy.run_module("scoring", run_name="__main__")
    except SystemExit as stop:
        assert not stop.code, (line, stop.code)
    print(json.dumps([name for name in {HEAVY!r} if name in sys.modules]))
"""
RELEASES = "--schema H/S.toml --tables H/T1.csv H/T2.csv --releases P/R1.csv P/R2.csv"
SEED = "--seed 123456789012345678901234567890"

SUBMISSION = "--schema S.toml --original X.csv --anonymized Y.csv --rows R.csv"
ATTACK = "--schema S.toml --original X.csv --anonymized Y.csv --out K.csv"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A submission with its guess file."""
    folder = tmp_path_factory.mktemp("submission")
    at = {name: str(folder / name) for name in ("X.csv", "S.toml", "Y.csv", "R.csv")}
    drawn = ["generate", "households", "--records", "50", "--seed", "3"]
    assert main([*drawn, "--out", at["X.csv"], "--schema-out", at["S.toml"]]) == 0
    files = ["--schema", at["S.toml"], "--original", at["X.csv"], "--out", at["Y.csv"]]
    seed = ["--seed", "123456789012345678901234567890"]
    assert main(["anonymize", "sa-noise", *files, "--rows", at["R.csv"], *seed]) == 0
    series = ["--out", str(folder / "H")]
    assert (
        main(
            ["sequential", "generate", "--records", "5", "--releases", "2", "--seed", "1", *series]
        )
        == 0
    )
    tables = ["--tables", str(folder / "H/T1.csv"), str(folder / "H/T2.csv")]
    files = ["--schema", str(folder / "H/S.toml"), *tables, "--out", str(folder / "P")]
    assert main(["sequential", "publish", "--m", "2", *files]) == 0
    return folder


def loaded(folder: Path, lines: list[str]) -> list[list[str]]:
    """What is in memory after each of these commands, which run one after the other in one process."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, json.dumps(lines)],
        cwd=folder,
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(text) for text in done.stdout.splitlines() if text.startswith("[")]


@pytest.mark.parametrize(
    ("libraries", "lines"),
    [
        ([], ["score --help", "sequential risk --help", "dp convert --help", "rank --help"]),
        (
            ["numpy"],
            [
                f"validate {SUBMISSION}",
                f"score {SUBMISSION}",
                "mark --rows R.csv --guess R.csv",
                f"sequential risk {RELEASES}",
                f"sequential risk {RELEASES} --definition worlds",
                f"sequential check --m 2 {RELEASES}",
                "dp response",
                "demonstrate averaging",
                "anonymize --help",
                "attack --help",
            ],
        ),
        (
            ["numpy", "pandas"],
            [
                "generate households --records 5 --seed 1 --out G.csv",
                "anonymize sa-noise --schema S.toml --original X.csv --out A.csv --rows B.csv "
                + SEED,
                f"attack EUC2 {ATTACK}",
                f"attack gower {ATTACK}",
            ],
        ),
    ],
    ids=str,
)
def test_a_command_loads_what_it_needs_and_no_more(libraries, lines, folder):
    """The first of them what it needs, and those after it nothing else."""
    assert dict(zip(lines, loaded(folder, lines), strict=True)) == dict.fromkeys(lines, libraries)


def test_a_process_that_is_not_the_commands_only_keeps_numba_whole():
    program = (
        "from scoring.kernels.deferred import load\n"
        "load('scoring.kernels.amounts')\n"
        "import numba, numpy as np\n"
        "print(numba.njit(lambda a, b: np.dot(a, b))(np.ones(2), np.ones(2)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "2.0\n"
