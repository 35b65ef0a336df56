# SPDX-License-Identifier: Apache-2.0
"""Randomized response over several numbers of values: a table of p by ε, and its figure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from scoring.privacy.randomized_response import probabilities
from scoring.reporting.pictures import WIDTH, svg

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_COLOURS = ("#e69f00", "#0072b2", "#cc3311", "#009e73", "#cc79a7", "#56b4e9")
_LINES = ("-", "--", "-.", ":")


class Line(NamedTuple):
    """One number of values at one ε: the probabilities of the true answer and of each other one."""

    size: int
    epsilon: float
    true: float
    other: float


def response_table(sizes: Sequence[int], epsilons: Sequence[float]) -> list[Line]:
    """p = e^ε / (K - 1 + e^ε) and q = (1 - p) / (K - 1) for every K and ε.

    Examples
    --------
    >>> [round(line.true, 4) for line in response_table([2, 5, 10], [0, 1])]
    [0.5, 0.7311, 0.2, 0.4046, 0.1, 0.232]
    """
    return [Line(size, e, *probabilities(size, e)) for size in sizes for e in epsilons]


def response_figure(sizes: Sequence[int], most: float) -> str:
    """p against ε from 0 to `most`, a line for each K, as SVG.

    Examples
    --------
    >>> "K = 5" in response_figure([2, 5, 10], 10.0)
    True
    """
    epsilons = np.linspace(0.0, most, 201)

    def draw(axes: Axes) -> None:
        for i, size in enumerate(sizes):
            true = [probabilities(size, epsilon).true for epsilon in epsilons.tolist()]
            colour, line = _COLOURS[i % len(_COLOURS)], _LINES[i % len(_LINES)]
            axes.plot(epsilons, true, label=f"K = {size}", color=colour, linestyle=line)
        axes.set(xlabel="ε", ylabel="p, true answer", ylim=(0, 1.02), xlim=(0, most))
        axes.legend(frameon=False)

    alt = f"p of the true answer against ε for {', '.join(f'K = {size}' for size in sizes)}"
    return svg(draw, (WIDTH, 3.2), alt=alt, name="rr")
