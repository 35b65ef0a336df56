"""Submissions per second of two workers, over PostgreSQL and Redis servers of the benchmark's own."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from tests import services
from tests.distributed.site import Site

N_SUBMISSIONS = 120
PATIENCE_SECONDS = 300


def measure() -> dict[str, float | int]:
    """Hand in while no worker runs, start two with one process each, and wait until all are scored."""
    postgresql, redis = services.PostgreSQL(), services.Redis()
    folder = Path(tempfile.mkdtemp(prefix="pwscup-bench-"))
    servers = {"DATABASE_URL": postgresql.url, "REDIS_URL": redis.url}
    site = Site(folder, driver="benchmarks.driver", SCORING_TIME_LIMIT="60", **servers)
    try:
        n_records = site.do("set_up")["n_records"]
        keys = site.do("submit", n=N_SUBMISSIONS + 2)["keys"]
        workers = [site.worker(name, concurrency=1) for name in ("a", "b")]
        site.wait_for(keys, "scored", at_least=2, seconds=PATIENCE_SECONDS)  # both are warm
        started, before = time.perf_counter(), site.states(keys).count("scored")
        site.wait_for(keys, "scored", seconds=PATIENCE_SECONDS)
        seconds = time.perf_counter() - started
        n_scored = len(keys) - before
        return {
            "n_records": n_records,
            "n_workers": len(workers),
            "n_submissions": n_scored,
            "seconds": seconds,
            "per_second": n_scored / seconds,
        }
    finally:
        site.stop()
        redis.kill()
        postgresql.stop()
