# SPDX-License-Identifier: Apache-2.0
"""The pictures of an audit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from scoring.audits.audit import Audit
from scoring.errors import gettext_noop as _
from scoring.reporting.document import Translate
from scoring.reporting.pictures import BAR, INK, MUTED, WIDTH, WORST, Picture
from scoring.tables.equivalence import IntArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def rates(audit: Audit, alt: str, t: Translate = str) -> Picture:
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

    head = (
        _("attack method"),
        _("rate in %"),
        _("lower end of the interval in %"),
        _("upper end of the interval in %"),
    )
    rows = [
        (f.attack.id, f.rate * 100, f.found.low * 100, f.found.high * 100) for f in audit.findings
    ]
    return Picture(draw, (WIDTH, height), [t(text) for text in head], rows, alt, "rates")


def times_found(audit: Audit, alt: str, t: Translate = str) -> Picture:
    """The number of records found by no attacker, by one, by two, …"""
    counts = np.bincount(audit.times_found, minlength=len(audit.findings) + 1)

    def draw(axes: Axes) -> None:
        positions = np.arange(len(counts))
        axes.bar(positions, counts, color=[MUTED, *[BAR] * (len(counts) - 1)], width=0.7)
        axes.set_xticks(positions)

    head = [t(_("Attackers")), t(_("Records"))]
    return Picture(draw, (WIDTH, 2.6), head, list(enumerate(counts.tolist())), alt, "times-found")


def class_sizes(audit: Audit, alt: str, t: Translate = str) -> Picture:
    """The number of records in classes of 1, 2, 3–4, 5–9, … records."""
    labels, counts = records_by_class_size(audit.class_sizes)

    def draw(axes: Axes) -> None:
        colours = [WORST, *[BAR] * (len(labels) - 1)]
        axes.bar(np.arange(len(labels)), counts, color=colours, width=0.7)
        axes.set_xticks(np.arange(len(labels)), labels)

    head = [t(_("Size of the class")), t(_("Records"))]
    rows = list(zip(labels, counts, strict=True))
    return Picture(draw, (WIDTH, 2.6), head, rows, alt, "class-sizes")


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
