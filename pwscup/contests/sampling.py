"""Records of an uploaded CSV, drawn at random before anybody looks at them."""

from __future__ import annotations

import csv
import io
import secrets

from pwscup.core.files.headers import refuse_wide
from scoring.tables.suggestion import suggest_schema


def sampled(data: bytes, n_sampled: int) -> tuple[bytes, int]:
    """So many records of a CSV, drawn at random without replacement, in their order; and how many it has.

    The cells stay as they are written; all of them where there are fewer.

    Raises
    ------
    ProblemsFound
        Where the bytes are no usable CSV.
    """
    refuse_wide(data)
    suggest_schema(data)  # refuses what is no table, with every problem
    header, *records = csv.reader(io.StringIO(data.decode("utf-8-sig"), newline=""))
    n_kept = min(n_sampled, len(records))
    kept = sorted(secrets.SystemRandom().sample(range(len(records)), n_kept))
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([header, *(records[row] for row in kept)])
    return out.getvalue().encode(), len(records)
