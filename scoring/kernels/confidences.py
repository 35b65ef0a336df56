# SPDX-License-Identifier: Apache-2.0
"""Pairs of a member and another record, by which of them has the higher confidence."""

from __future__ import annotations

from typing import Any

import numpy as np

from scoring.kernels.deferred import compiled, sizes, types

BUCKETS = 32_768  # a power of 2: the product with a confidence is exact

_FLOAT64 = types.Array(types.float64, 1, "C", readonly=True)
_FLAGS = types.Array(types.boolean, 1, "C", readonly=True)


def _plainly(ordered: Any, confidences: Any, inside: Any) -> int:
    others = confidences[~inside]
    below, up_to = (np.searchsorted(ordered, others, side) for side in ("left", "right"))
    return 2 * len(ordered) * len(others) - int(below.sum()) - int(up_to.sum())


@compiled(types.int64(_FLOAT64, _FLOAT64, _FLAGS), work=sizes, plain=_plainly)
def twice_above(ordered: Any, confidences: Any, inside: Any) -> Any:
    """Twice the pairs in which the member is higher, and once those that tie.

    `ordered` are the confidences of the records inside, ascending; all are from 0 to 1. A member in a higher bucket is
    higher. In the same bucket there is seldom more than one value, so that the processor foresees the branch.
    """
    n = len(ordered)
    starts = np.zeros(BUCKETS + 2, np.int32)
    for i in range(n):
        starts[int(ordered[i] * BUCKETS) + 1] += 1
    for bucket in range(BUCKETS + 1):
        starts[bucket + 1] += starts[bucket]
    total = 0
    for i in range(len(confidences)):
        confidence = confidences[i]
        bucket = int(confidence * BUCKETS)
        begin, end = starts[bucket], starts[bucket + 1]
        lowest, highest = ordered[min(begin, n - 1)], ordered[max(end - 1, 0)]
        if lowest < highest:
            below = begin + np.searchsorted(ordered[begin:end], confidence)
            up_to = begin + np.searchsorted(ordered[begin:end], confidence, "right")
        else:
            below = begin + (lowest < confidence) * (end - begin)
            up_to = begin + (lowest <= confidence) * (end - begin)
        total += (2 * n - below - up_to) * (1 - inside[i])
    return total
