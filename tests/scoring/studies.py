# SPDX-License-Identifier: Apache-2.0
"""Studies that several test modules look at, made once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import count

from scoring.datasets.households import households
from scoring.studies.cost import Sizes
from scoring.studies.experiment import (
    Ground,
    Measured,
    Scale,
    Study,
    make_all,
    run_study,
    sample_of,
)
from scoring.studies.recipes import CHAINS, SINGLES

TINY = Scale(250, 80, 1, Sizes((50, 100), 60, repeats=1))


def ticks() -> Callable[[], float]:
    """A clock that advances by one second whenever it is read."""
    numbers = count()
    return lambda: float(next(numbers))


@cache
def tiny() -> Study:
    """The whole study, as small as it can be."""
    return run_study(1, TINY, clock=ticks(), step=lambda text: None)


@dataclass(frozen=True)
class Documented:
    """The tables of the documented run, without what takes its time."""

    ground: Ground
    singles: Mapping[str, Measured]
    chains: Mapping[str, Measured]


@cache
def documented() -> Documented:
    """D_A to D_H and D_1 to D_12 of seed 1 at full size."""
    table = households(8333, seed=1)
    small, large = Ground.of(sample_of(table, 1)), Ground.of(table)
    return Documented(small, make_all(SINGLES, small, 1), make_all(CHAINS, large, 1))
