# SPDX-License-Identifier: Apache-2.0
"""A random sample of the records of an uploaded CSV, drawn before anybody sees them."""

from __future__ import annotations

import csv
import io
import secrets

from pwscup.core.files.headers import refuse_wide
from scoring.tables.suggestion import ORIGINAL_FILE, suggest_schema
from scoring.tables.text import decode, records


def sampled(data: bytes, n_sampled: int) -> tuple[bytes, int]:
    """A random sample without replacement of the records of a CSV, in their order; and the number of records.

    The cells are not changed; all records are returned if there are fewer.

    Raises
    ------
    ProblemsFound
        Where the bytes are no usable CSV.
    """
    refuse_wide(data)
    suggest_schema(data)  # refuses invalid tables, with every problem
    header, *lines = records(decode(data, file=ORIGINAL_FILE), file=ORIGINAL_FILE)
    n_kept = min(n_sampled, len(lines))
    kept = sorted(secrets.SystemRandom().sample(range(len(lines)), n_kept))
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([header, *(lines[row] for row in kept)])
    return out.getvalue().encode(), len(lines)
