# SPDX-License-Identifier: Apache-2.0
"""Submissions per second of two workers, over PostgreSQL and Redis servers of the benchmark's own."""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path

from tests import services
from tests.distributed.site import Site

N_SUBMISSIONS = 120
TICKS = os.sysconf("SC_CLK_TCK")


def processor_seconds() -> float:
    """Processor time of all descendants of this process; it does not depend on other load."""
    used = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            pid, rest = stat.read_text().split(" (", 1)
        except OSError:  # it has ended meanwhile
            continue
        fields = rest.rsplit(") ", 1)[1].split()
        used[int(pid)] = (int(fields[1]), sum(map(int, fields[11:15])) / TICKS)
    ours, n_ours = {os.getpid()}, 0
    while len(ours) > n_ours:
        n_ours = len(ours)
        ours |= {pid for pid, (parent, _) in used.items() if parent in ours}
    return sum(used[pid][1] for pid in ours & used.keys() - {os.getpid()})


def measure() -> dict[str, float | int]:
    """Submit while no worker runs, start two with one process each, and wait until all are scored."""
    postgresql, redis = services.PostgreSQL(), services.Redis()
    folder = Path(tempfile.mkdtemp(prefix="pwscup-bench-"))
    servers = {"DATABASE_URL": postgresql.url, "REDIS_URL": redis.url}
    site = Site(folder, driver="benchmarks.driver", SCORING_TIME_LIMIT="60", **servers)
    try:
        n_records = site.do("set_up")["n_records"]
        keys = site.do("submit", n=N_SUBMISSIONS + 2)["keys"]
        workers = [site.worker(name, concurrency=1) for name in ("a", "b")]
        site.wait_for(keys, "scored", at_least=2)  # both are warm
        started, before = time.perf_counter(), site.states(keys).count("scored")
        used = processor_seconds()
        site.wait_for(keys, "scored")
        used = processor_seconds() - used
        seconds = time.perf_counter() - started
        n_scored = len(keys) - before
        return {
            "n_records": n_records,
            "n_workers": len(workers),
            "n_submissions": n_scored,
            "seconds": seconds,
            "per_second": n_scored / seconds,
            "processor_ms": 1_000 * used / n_scored,
        }
    finally:
        site.stop()
        redis.kill()
        postgresql.stop()
