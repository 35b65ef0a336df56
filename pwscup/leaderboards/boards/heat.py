# SPDX-License-Identifier: Apache-2.0
"""The colours of an attack matrix."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

LEAST_TOP = 10
"""The lower bound of the color scale in per cent, so that small differences of small rates stay pale."""


def top_of(section: Mapping[str, Any]) -> int:
    """The end of a matrix's color scale: its largest rate in whole per cent, at least `LEAST_TOP`."""
    rates = [cell["rate"] for row in section["rows"] for cell in row["cells"]]
    largest = max((rate for rate in rates if rate is not None), default=0.0)
    return max(LEAST_TOP, math.ceil(round(100 * largest, 6)))


def heat(rate: float | None, top: int) -> int | None:
    """The step of a colour scale that ends at `top` per cent, 0 to 10."""
    return None if rate is None else min(10, max(0, int(1000 * rate / top + 0.5)))
