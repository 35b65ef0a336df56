# SPDX-License-Identifier: Apache-2.0
"""`python -m benchmarks.commands`: the processor time of the library's commands on a small table, start-up included.

Each command runs as a process of its own. The figure is the user and system time of that process as the kernel counts
it (`getrusage` of children), the least of several runs, and next to it the heavy libraries in memory at its end.
Bytecode is kept in a folder of the benchmark's own and there before the first run that counts, as in an installation;
`--without-bytecode` measures what a command takes where none is kept.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HEAVY = ("numba", "pandas", "scipy", "sklearn", "matplotlib")

_TABLES = "--schema S.toml --original X.csv"
_SUBMISSION = f"{_TABLES} --anonymized Y.csv --rows R.csv"
_SERIES = "--schema H/S.toml --tables H/T1.csv H/T2.csv"
_ATTACK = f"{_TABLES} --anonymized Y.csv --out G.csv"
_COLUMNS = "--schema S.toml --columns dwelling,tenure"
_SEED = "--seed 256820367303318514175212924289526361589"

COMMANDS = (
    "generate households --records {records} --seed 1 --out X.csv --schema-out S.toml",
    f"anonymize mondrian {_TABLES} --set k=5 --out M.csv --rows MR.csv {_SEED}",
    f"anonymize sa-noise {_TABLES} --out Y.csv --rows R.csv {_SEED}",
    f"validate {_SUBMISSION}",
    f"score {_SUBMISSION}",
    f"attack E1 {_ATTACK}",
    f"attack EUC2 {_ATTACK}",
    f"attack gower {_ATTACK}",
    " ".join(["mark", "--rows R.csv --guess G.csv"]),
    "rank --formula harmonic --matrix A.csv --utility U.csv",
    "sequential generate --records {people} --releases 2 --seed 1 --out H",
    f"sequential publish --m 2 {_SERIES} --out P",
    f"sequential check --m 2 {_SERIES} --releases P/R1.csv P/R2.csv",
    f"sequential risk {_SERIES} --releases P/R1.csv P/R2.csv",
    "dp response",
    "dp convert --epsilon 1 --domain 2,3 --records 100",
    f"dp ask --table X.csv {_COLUMNS} --epsilon 1",
    f"dp release --table X.csv {_COLUMNS} --epsilon 1 --out Z.csv",
    f"dp estimate {_COLUMNS} --release Z.csv --epsilon 1 --out E.csv",
    "demonstrate taxi",
    "demonstrate register",
    "demonstrate differencing",
    "demonstrate histories",
    "demonstrate known-rest",
    "demonstrate averaging",
    "demonstrate chi-squared",
    f"audit {_SUBMISSION}",
    "dp experiment --trials 1 --queries 1 --epsilon 1 --out B",
)
"""In this order: each reads what those before it wrote."""
MATRIX, UTILITY = "attacker,1,2\n1,,20\n2,30,\n", "team,utility\n1,80\n2,70\n"

_PROGRAM = f"""
import json, os, runpy, sys
try:
    runpy.run_module("scoring", run_name="__main__")
finally:
    loaded = [name for name in {HEAVY!r} if name in sys.modules]
    os.write(int(os.environ["LOADED"]), json.dumps(loaded).encode())
"""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.commands", description=__doc__)
    parser.add_argument("--records", type=int, default=60, help="households in the table (60)")
    parser.add_argument("--people", type=int, default=10, help="people of the hospital (10)")
    parser.add_argument("--runs", type=int, default=3, help="runs of each command (3)")
    parser.add_argument("--only", default="", help="commands that begin so, with commas")
    parser.add_argument(
        "--without-bytecode", action="store_true", help="compile all source in each run"
    )
    arguments = parser.parse_args()
    only = tuple(arguments.only.split(","))
    bytecode = not arguments.without_bytecode
    _say("| command | s | libraries |\n|---|---:|---|")
    with tempfile.TemporaryDirectory(prefix="pwscup-bench-commands-") as folder:
        at = Path(folder)
        (at / "A.csv").write_text(MATRIX)
        (at / "U.csv").write_text(UTILITY)
        for line in COMMANDS:
            words = line.format(records=arguments.records, people=arguments.people).split()
            runs = arguments.runs if line.startswith(only) else 0
            seconds, loaded = measured(words, at, runs, bytecode=bytecode)
            if line.startswith(only):
                _say(f"| `{_short(words)}` | {seconds:.2f} | {', '.join(loaded)} |")


def measured(
    words: list[str], folder: Path, runs: int, *, bytecode: bool = True
) -> tuple[float, list[str]]:
    """The least processor time of several runs after a first one, on the same files, and what is loaded at the end.

    Raises
    ------
    RuntimeError
        Where the command fails.
    """
    taken = [_run(words, folder, i, bytecode=bytecode) for i in range(runs + 1)]
    return min(taken[1:] or taken)


def _run(words: list[str], folder: Path, run: int, *, bytecode: bool) -> tuple[float, list[str]]:
    """Processor seconds of one run; a folder to be written is a new one after the first."""
    words = [
        f"{word}{run}" if run and _is_new_folder(words, i) else word for i, word in enumerate(words)
    ]
    reader, writer = os.pipe()
    kept = {"PYTHONPYCACHEPREFIX": str(folder / "bytecode")} if bytecode else {}
    kept["PYTHONDONTWRITEBYTECODE"] = "" if bytecode else "1"
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, *words],
        cwd=folder,
        env=os.environ | kept | {"PYTHONPATH": str(ROOT), "LOADED": str(writer)},
        pass_fds=[writer],
        capture_output=True,
        text=True,
        check=False,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        loaded = json.loads(pipe.read() or "[]")
    if done.returncode:
        raise RuntimeError(f"{' '.join(words)}: {done.stderr}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, loaded


def _is_new_folder(words: list[str], i: int) -> bool:
    return i > 0 and words[i - 1] == "--out" and "." not in words[i]


def _short(words: list[str]) -> str:
    """The command without its files."""
    options = [i for i, word in enumerate(words) if word.startswith("--")]
    return " ".join(words[: options[0]] if options else words)


def _say(text: str) -> None:
    print(text, flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
