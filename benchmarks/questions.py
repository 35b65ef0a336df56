# SPDX-License-Identifier: Apache-2.0
"""Membership results of a round as large as PWSCup 2025's: 100,000 records, 24 tables.

`python -m benchmarks.questions` prints milliseconds of processor time of all 24 results for each kind, the
fastest of five times.
"""

from __future__ import annotations

import sys
import time

import numpy as np

from scoring.questions.asked import QuestionSpec
from scoring.questions.files import read_answers, write_answers
from scoring.questions.results import result_of
from scoring.questions.sheets import Key
from scoring.tables.schema import Column, Kind, Role, Schema

N_RECORDS, N_TARGETS, N_MEMBERS = 100_000, 24, 10_000
SCHEMA = Schema((Column("age", Role.QUASI_IDENTIFIER, Kind.INTEGER),))


def main() -> None:
    """Time the results of bits and confidences, and the reading of one file of each."""
    rng = np.random.default_rng(2025)
    keys = []
    for _ in range(N_TARGETS):
        inside = np.zeros(N_RECORDS, dtype=bool)
        inside[rng.choice(N_RECORDS, N_MEMBERS, replace=False)] = True
        keys.append(Key(inside, {}, None, np.arange(N_RECORDS)))
    said = {
        "bits": [rng.permutation(keys[0].inside) for _ in keys],
        "confidences": [np.round(rng.random(N_RECORDS), 4) for _ in keys],
    }
    column = {"bits": "member", "confidences": "confidence"}
    for answers, result in (
        ("bits", "hits"),
        ("confidences", "tpr_at_fpr"),
        ("confidences", "auc"),
    ):
        question = QuestionSpec("m", "membership", answers, result, fpr=0.01)
        files = [{column[answers]: one} for one in said[answers]]
        seconds = min(_timed(question, keys, files) for _ in range(5))
        sys.stdout.write(
            f"{N_RECORDS:,} x {N_TARGETS} {answers}, {result}: {1000 * seconds:.1f} ms\n"
        )
        data = write_answers(files[0], question, SCHEMA)
        began = time.process_time()
        read_answers(data, question, N_RECORDS, SCHEMA)
        sys.stdout.write(f"  one file read: {1000 * (time.process_time() - began):.1f} ms\n")


def _timed(question: QuestionSpec, keys: list[Key], files: list[dict[str, np.ndarray]]) -> float:
    began = time.process_time()
    for key, answers in zip(keys, files, strict=True):
        result_of(question, key, answers)
    return time.process_time() - began


if __name__ == "__main__":
    main()
