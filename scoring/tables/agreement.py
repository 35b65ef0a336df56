# SPDX-License-Identifier: Apache-2.0
"""Agreement of a table with several others: the one that it looks most like."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from scoring.tables.records import Records

SAMPLE = 200
"""Records that are compared with all of each other table, evenly spread over the table."""
BEYOND_CHANCE = 4.0
"""Standard errors by which another table must agree more."""


def looks_like(table: Records, others: Sequence[Records]) -> int:
    """The number, from 0, of the other table with which a table agrees most; 0 where none is clearly ahead.

    Notes
    -----
    A record agrees with a table in as many cells as with the record of it that has most cells in common. Another table
    is ahead of the first if the mean difference over records is more than `BEYOND_CHANCE` of its standard errors.

    Examples
    --------
    >>> texts = [f"{n}" for n in range(40)]
    >>> first, second = (Records.of_texts({"a": t, "b": t}) for t in (texts[:20], texts[20:]))
    >>> looks_like(second, [first, second]), looks_like(first, [first, second])
    (1, 0)
    """
    if not len(table) or not all(map(len, others)):
        return 0
    rows = np.unique(np.linspace(0, len(table) - 1, SAMPLE).astype(np.int64))
    names = [name for name in table.names if all(name in other.names for other in others)]
    agreed = np.array([_agreed(table.taken(rows), other, names) for other in others])
    ahead = agreed - agreed[0]
    error = ahead.std(axis=1) / np.sqrt(len(rows))
    clear = np.where(ahead.mean(axis=1) > BEYOND_CHANCE * error, ahead.mean(axis=1), 0)
    return int(clear.argmax())


def _agreed(table: Records, other: Records, names: Sequence[str]) -> npt.NDArray[np.int64]:
    """The most cells that each record has in common with one of the other table."""
    equal = np.zeros((len(table), len(other)), dtype=np.int64)
    for name in names:
        both = np.concatenate([table.values(name), other.values(name)])
        _, codes = np.unique(
            both.astype(str) if both.dtype == object else both, return_inverse=True
        )
        equal += codes[: len(table), None] == codes[None, len(table) :]
    return np.asarray(equal.max(axis=1))
