# SPDX-License-Identifier: Apache-2.0
"""The originals that are equally likely to an attacker, and the definite guess among them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scoring.tables.equivalence import IntArray, NumberArray


@dataclass(frozen=True, slots=True)
class Candidates:
    """For some anonymized records, the equally good rows of the original table.

    Row sets are runs of an ordering, `order[low:high]`, so that a class of any size is one run.

    Attributes
    ----------
    records : int64 array, shape (m,)
        The anonymized records, each once.
    order : int array, shape (n_original,)
        The rows of the original table in some order.
    low, high : int64 arrays, shape (m,)
        The run of each record, none of them empty.
    """

    records: IntArray
    order: IntArray | NumberArray
    low: IntArray
    high: IntArray

    def first(self) -> IntArray:
        """The lowest original row among the candidates, for each record."""
        if not len(self.records):
            return np.empty(0, dtype=np.int64)
        runs, which = np.unique(
            self.low * (len(self.order) + 1) + self.high, return_inverse=True
        )  # many records share a run as long as the table, such as the zeros of a column
        low, high = np.divmod(runs, len(self.order) + 1)
        padded = np.append(self.order, np.iinfo(self.order.dtype).max)
        lowest = np.minimum.reduceat(padded, np.column_stack([low, high]).ravel())[::2]
        return lowest[which].astype(np.int64)
