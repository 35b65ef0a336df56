# SPDX-License-Identifier: Apache-2.0
"""Times and memory of a run, each measured in a process of its own.

Processor time, because other work on the machine lengthens the time on the clock; of two threads that is what
counts all the same. The least of several runs, because whatever disturbs a run only lengthens it.
"""

from __future__ import annotations

import json
import multiprocessing
import resource
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.cases import Case
from benchmarks.contenders import Contender

PYCANON = Path(__file__).resolve().parent.parent / ".venv-pycanon" / "bin" / "python"
ENOUGH_SECONDS = 2.0
MOST_RUNS = 30


@dataclass(frozen=True)
class Timing:
    """The least of several runs in a warm process, and what it needed at its peak."""

    seconds: float
    n_runs: int
    peak_bytes: int
    values: dict[str, Any]


def timed(contender: Contender, case: Case) -> Timing | None:
    """Measure a contender on a case; None where it is beyond it or not installed."""
    if case.n_records > contender.largest:
        return None
    if contender.prepare is None:
        return elsewhere(case)
    context = multiprocessing.get_context("spawn")  # nothing of this process is counted with it
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_measure, args=(contender, case, sender))
    process.start()
    sender.close()
    try:
        answer = receiver.recv()
    except EOFError as error:
        raise RuntimeError(f"{contender.name} on {case.n_records} records ended early") from error
    finally:
        process.join()
    return Timing(*answer)


def elsewhere(case: Case) -> Timing | None:
    """pyCANON, whose libraries are older than ours, in its own environment; None without one."""
    if not PYCANON.exists():
        return None
    script = Path(__file__).with_name("elsewhere.py")
    table = case.folder / "anonymized.csv"
    command = [str(PYCANON), str(script), str(table), *case.schema.quasi_identifiers]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return Timing(**json.loads(done.stdout))


def _measure(contender: Contender, case: Case, sender: Any) -> None:
    assert contender.prepare is not None
    run = contender.prepare(case)
    clock = time.process_time if contender.threads == 1 else time.perf_counter
    values = run()  # what is compiled or loaded at first use is not counted
    seconds: list[float] = []
    while sum(seconds) < ENOUGH_SECONDS and len(seconds) < MOST_RUNS:
        started = clock()
        run()
        seconds.append(clock() - started)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    sender.send((min(seconds), len(seconds), peak, values))
