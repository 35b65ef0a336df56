# SPDX-License-Identifier: Apache-2.0
"""The pictures of an audit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from scoring.audits.audit import Audit
from scoring.reporting.pictures import BAR, INK, MUTED, WIDTH, WORST, svg
from scoring.tables.equivalence import IntArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def rates(audit: Audit) -> str:
    """Each attacker's rate as a bar, the interval of what was found as a whisker."""
    findings = audit.findings[::-1]  # the first bar of a chart is its lowest
    height = 0.8 + 0.3 * len(findings)

    def draw(axes: Axes) -> None:
        positions = np.arange(len(findings))
        shares = [finding.rate * 100 for finding in findings]
        colours = [WORST if finding is audit.worst else BAR for finding in findings]
        axes.barh(positions, shares, color=colours, height=0.62)
        low = np.array([finding.found.low * 100 for finding in findings])
        high = np.array([finding.found.high * 100 for finding in findings])
        axes.hlines(positions, low, high, color=INK, linewidth=1.4)
        axes.set_yticks(positions, [finding.attack.id for finding in findings])
        axes.set_xlim(0, max(1.0, float(high.max()), max(shares)) * 1.08)
        axes.set_xlabel("%")
        axes.tick_params(axis="y", length=0)

    return svg(draw, (WIDTH, height))


def times_found(audit: Audit) -> str:
    """The number of records found by no attacker, by one, by two, …"""
    counts = np.bincount(audit.times_found, minlength=len(audit.findings) + 1)

    def draw(axes: Axes) -> None:
        positions = np.arange(len(counts))
        axes.bar(positions, counts, color=[MUTED, *[BAR] * (len(counts) - 1)], width=0.7)
        axes.set_xticks(positions)

    return svg(draw, (WIDTH, 2.6))


def class_sizes(audit: Audit) -> str:
    """The number of records in classes of 1, 2, 3–4, 5–9, … records."""
    labels, counts = records_by_class_size(audit.class_sizes)

    def draw(axes: Axes) -> None:
        colours = [WORST, *[BAR] * (len(labels) - 1)]
        axes.bar(np.arange(len(labels)), counts, color=colours, width=0.7)
        axes.set_xticks(np.arange(len(labels)), labels)

    return svg(draw, (WIDTH, 2.6))


def records_by_class_size(sizes: IntArray) -> tuple[list[str], list[int]]:
    """The number of records in classes of each range of sizes.

    Examples
    --------
    >>> records_by_class_size(np.array([1, 1, 2, 7, 40]))
    (['1', '2', '3–4', '5–9', '10–19', '20–49', '50+'], [2, 2, 0, 7, 0, 40, 0])
    """
    bounds = [1, 2, 3, 5, 10, 20, 50]
    ends = [*bounds[1:], np.iinfo(np.int64).max]
    labels = ["1", "2", "3–4", "5–9", "10–19", "20–49", "50+"]
    counts = [
        int(sizes[(sizes >= low) & (sizes < high)].sum())
        for low, high in zip(bounds, ends, strict=True)
    ]
    return labels, counts
