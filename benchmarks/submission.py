# SPDX-License-Identifier: Apache-2.0
"""Processor time and queries of one submission, from upload to result: `python -m benchmarks.submission`.

Everything runs in this process, over SQLite or the database of `DATABASE_URL` and a broker of its own, so that
what other programs do meanwhile counts little. `--profile` prints where the time goes.
"""

from __future__ import annotations

import argparse
import cProfile
import os
import pstats
import tempfile
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from tests import services as servers

N_WARM, N = 5, 40


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=N, help=f"submissions to measure (default {N})")
    parser.add_argument("--profile", action="store_true", help="print the 40 costliest functions")
    arguments = parser.parse_args()
    redis = servers.Redis()
    folder = tempfile.mkdtemp(prefix="pwscup-bench-")
    os.environ |= {
        "DJANGO_SETTINGS_MODULE": "tests.distributed.settings",
        "PWSCUP_DATA_DIR": folder,
        "REDIS_URL": redis.url,
        "SECRET_KEY": "only-for-benchmarks",
        "LOG_LEVEL": "WARNING",
        "OMP_NUM_THREADS": "1",
    }
    try:
        _measure(arguments.n, arguments.profile)
    finally:
        redis.kill()


def _measure(n: int, is_profiled: bool) -> None:
    from benchmarks import driver  # sets Django up

    driver.set_up()
    upload, score = _steps(driver)
    for _ in range(N_WARM):
        score(upload())
    keys: list[int] = []
    queue = iter(keys)
    profile = cProfile.Profile(time.process_time) if is_profiled else None
    rows = [
        ("upload", *_cost(lambda: keys.append(upload()), n, profile)),
        ("scoring", *_cost(lambda: score(next(queue)), n, profile)),
    ]
    lines = ["| step | processor time [ms] | queries |", "|---|---|---|"]
    rows.append(("in all", sum(row[1] for row in rows), sum(row[2] for row in rows)))
    lines += [f"| {name} | {milliseconds:.1f} | {n:.0f} |" for name, milliseconds, n in rows]
    print("\n".join(lines))  # noqa: T201
    if profile is not None:
        pstats.Stats(profile).sort_stats("cumulative").print_stats(60)


def _steps(driver: Any) -> tuple[Callable[[], int], Callable[[int], object]]:
    """An upload by a browser that is logged in, whose answer is the key of the submission; and its scoring."""
    from django.core.files.uploadedfile import SimpleUploadedFile
    from django.test import Client
    from django.urls import reverse

    from benchmarks.cases import case
    from pwscup.core import jobs
    from pwscup.submissions.models import Submission
    from tests import factories

    drawn = case("13", driver.N_RECORDS, driver._folder())
    team = factories.Team.objects.get()
    client = Client(HTTP_HOST="127.0.0.1")
    client.force_login(team.captain)
    address = reverse("round", args=[team.contest.slug, "anonymization"])

    def upload() -> int:
        files = {
            "anonymized": SimpleUploadedFile("y.csv", drawn.anonymized),
            "rows": SimpleUploadedFile("rows.csv", drawn.rows),
        }
        answer = client.post(address, files)
        if answer.status_code != 302:
            raise RuntimeError(f"the upload was answered {answer.status_code}")
        return Submission.objects.order_by("-pk").values_list("pk", flat=True)[0]

    return upload, partial(jobs.work_on, Submission)


def _cost(
    step: Callable[[], object], n: int, profile: cProfile.Profile | None
) -> tuple[float, float]:
    """Milliseconds of this process's threads together, and queries, a step."""
    from django.db import connection

    n_queries = 0

    def count(execute: Any, *given: Any) -> Any:
        nonlocal n_queries
        n_queries += 1
        return execute(*given)

    started = time.process_time()
    for _ in range(n):
        if profile is not None:
            profile.enable()
        step()
        if profile is not None:
            profile.disable()
    milliseconds = 1_000 * (time.process_time() - started) / n
    with connection.execute_wrapper(count):
        step()
    return milliseconds, n_queries


if __name__ == "__main__":
    main()
