# SPDX-License-Identifier: Apache-2.0
"""The pictures of a sequential release: regions in the plane, and risks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from scoring.errors import gettext_noop as _
from scoring.formats.sequential.boxes import Groups
from scoring.formats.sequential.risk import Risks
from scoring.formats.sequential.scored import is_above
from scoring.formats.sequential.tables import Attribute, FloatArray, Release
from scoring.reporting.document import Translate
from scoring.reporting.pictures import BAR, INK, MUTED, WIDTH, WORST, Cell, Picture
from scoring.tables.equivalence import IntArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

N_BINS = 20
MOST_DRAWN = 200
"""The maximum number of groups of a release whose regions can be distinguished in a picture."""
_MOST_NUMBERED = 30  # of a release, beyond which their numbers hide each other
_DENSITY, _FAINTEST, _DARKEST = 10, 0.03, 0.35  # of overlaps: of many, dark is where many lie


def boxes(
    attributes: Sequence[Attribute],
    one: Release,
    two: Release,
    *,
    columns: tuple[int, int] = (0, 1),
    names: tuple[str, str] = ("T*(1)", "T*(2)"),
    name: str = "boxes",
    alt: str | None = None,
    translate: Translate = str,
) -> Picture:
    """The regions of two releases along two attributes, and the groups that disclose values.

    Those are groups of both, or both of the later release, whose regions overlap and that share a value but
    not all: figures 5 and 6 of Zhang, Kamidoi & Wakabayashi, on safer generalization by m-invariance.

    Parameters
    ----------
    attributes : sequence of Attribute
    one, two : Release
        Drawn with solid and with broken lines; numbers are those of the groups, where they are few.
    columns : (int, int)
        The attributes along both axes. In a table with one attribute both are that one.
    names : (str, str)
        The names of the releases in the legend.
    name : str
        A prefix of identifiers, unique within the page.
    alt : str, optional
        The alternative text; by default the overlapping groups, in English.
    translate : callable
        From English to the language of the columns of its numbers.

    Returns
    -------
    Picture
        Its numbers are the ends of every region, and of what two groups have in common.
    """
    found = (Groups.of(one), Groups.of(two))
    between, within = overlapping(one, two), overlapping(two, two)
    within = within[within[:, 0] < within[:, 1]]
    shared = [*_shared(*found, between), *_shared(found[1], found[1], within)]
    alpha = float(np.clip(_DENSITY / max(len(shared), 1), _FAINTEST, _DARKEST))

    def draw(axes: Axes) -> None:
        from matplotlib.patches import Rectangle

        for low, high in shared:
            at, size = low[list(columns)], (high - low)[list(columns)]
            axes.add_patch(Rectangle(tuple(at), *size, color=WORST, alpha=alpha, linewidth=3))
        for groups, colour, line, label in zip(found, (BAR, INK), ("-", "--"), names, strict=True):
            axes.plot([], [], color=colour, linestyle=line, label=label)
            for number, low, high in zip(groups.numbers, groups.low, groups.high, strict=True):
                at, size = low[list(columns)], (high - low)[list(columns)]
                axes.add_patch(
                    Rectangle(tuple(at), *size, fill=False, edgecolor=colour, linestyle=line)
                )
                if len(groups.numbers) <= _MOST_NUMBERED:
                    axes.annotate(str(number), tuple(at + size), color=colour, fontsize=8)
        axes.plot([], [], color=WORST, alpha=_DARKEST, linewidth=6, label="∩")
        axes.autoscale_view()
        axes.margins(0.08)
        for set_label, set_ticks, column in (
            (axes.set_xlabel, axes.set_xticks, columns[0]),
            (axes.set_ylabel, axes.set_yticks, columns[1]),
        ):
            set_label(attributes[column].name)
            if (values := attributes[column].values) is not None:
                set_ticks(np.arange(len(values)), values)
        axes.legend(frameon=False, fontsize=9, loc="lower left", bbox_to_anchor=(0, 1), ncols=3)

    said = (
        f"Regions of {names[0]} and {names[1]}; overlapping groups that share a value: of both "
        f"{_told(between)}, of {names[1]} {_told(within)}"
    )
    along = [attributes[column] for column in dict.fromkeys(columns)]
    head = [translate(_("release")), translate(_("group"))]
    head += [end for attribute in along for end in _ends(attribute.name, translate)]
    regions = [
        (release, str(number), low, high)
        for release, groups in zip(names, found, strict=True)
        for number, low, high in zip(groups.numbers, groups.low, groups.high, strict=True)
    ]
    regions += [
        (of, f"{i}∩{j}", low, high)
        for of, pairs, common in (
            ("∩".join(names), between, _shared(*found, between)),
            (names[1], within, _shared(found[1], found[1], within)),
        )
        for (i, j), (low, high) in zip(pairs.tolist(), common, strict=True)
    ]
    rows = [
        (
            of,
            number,
            *(
                _place(attributes[column], end[column])
                for column in dict.fromkeys(columns)
                for end in (low, high)
            ),
        )
        for of, number, low, high in regions
    ]
    said = said if alt is None else alt
    return Picture(draw, (WIDTH, WIDTH * 0.8), head, rows, said, name)


def _ends(name: str, translate: Translate) -> list[str]:
    """The columns of the ends of an interval."""
    ends = (_("%(name)s, lower end"), _("%(name)s, upper end"))
    return [translate(end) % {"name": name} for end in ends]


def _place(attribute: Attribute, at: float) -> Cell:
    """A value on an axis, by its name where it has one."""
    return float(at) if attribute.values is None else attribute.values[int(at)]


def may_be_drawn(*releases: Release) -> bool:
    """True if the regions of these releases can be distinguished in one picture.

    Examples
    --------
    >>> box = np.zeros((300, 1))
    >>> release = Release(np.arange(300), box, box, np.zeros(300, int), None, {}, None)
    >>> may_be_drawn(release)
    False
    """
    return max(len(np.unique(release.group)) for release in releases) <= MOST_DRAWN


def overlapping(one: Release, two: Release) -> IntArray:
    """The pairs of groups, one of each release, whose regions overlap and that share a value.

    Two groups of one signature do not count: being in either discloses nothing.

    Examples
    --------
    >>> box = np.array([[0.0], [0.0], [5.0], [5.0]])
    >>> numbers = np.array([1, 1, 2, 2])
    >>> one = Release(numbers, box, box + 2, np.array([0, 1, 0, 2]), None, {}, None)
    >>> two = Release(numbers, box - 3, box, np.array([0, 2, 0, 1]), None, {}, None)
    >>> overlapping(one, two)
    array([[1, 1],
           [2, 2]])
    """
    a, b = Groups.of(one), Groups.of(two)
    n_values = 1 + max(int(one.sensitive.max()), int(two.sensitive.max()))
    values = [np.zeros((len(g.numbers), n_values), dtype=np.bool_) for g in (a, b)]
    values[0][a.of_row, one.sensitive] = True
    values[1][b.of_row, two.sensitive] = True
    pairs: list[tuple[int, int]] = []
    for i, (low, high) in enumerate(zip(a.low, a.high, strict=True)):
        meet = ((b.low <= high) & (low <= b.high)).all(axis=1)
        shares = (values[1] & values[0][i]).any(axis=1) & (values[1] != values[0][i]).any(axis=1)
        pairs += [(int(a.numbers[i]), int(b.numbers[j])) for j in np.flatnonzero(meet & shares)]
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def _shared(one: Groups, two: Groups, pairs: IntArray) -> list[tuple[FloatArray, FloatArray]]:
    """The corners of what each pair of groups has in common."""
    i, j = np.searchsorted(one.numbers, pairs[:, 0]), np.searchsorted(two.numbers, pairs[:, 1])
    low, high = np.maximum(one.low[i], two.low[j]), np.minimum(one.high[i], two.high[j])
    return list(zip(low, high, strict=True))


def _told(pairs: IntArray) -> str:
    return ", ".join(f"{one} and {two}" for one, two in pairs.tolist()) or "none"


def risk_counts(risks: Risks) -> tuple[IntArray, FloatArray]:
    """The number of people with a risk in each of `N_BINS` intervals from 0 to 1, and the ends of the intervals.

    Examples
    --------
    >>> from scoring.formats.sequential.risk import Definition
    >>> values = np.array([0.0, 0.5, 1.0, np.nan])
    >>> counts, edges = risk_counts(Risks(Definition.COUNTING, values, values, values, values < 0))
    >>> np.flatnonzero(counts), edges[10]
    (array([ 0, 10, 19]), np.float64(0.5))
    """
    values = risks.values[~np.isnan(risks.values)]
    counts, edges = np.histogram(values, bins=N_BINS, range=(0, 1))
    return counts, edges


def histogram(
    risks: Risks,
    *,
    m: int | None = None,
    labels: tuple[str, str] = ("risk", "people"),
    name: str = "histogram",
    alt: str | None = None,
    translate: Translate = str,
) -> Picture:
    """Distribution of risks; those above 1/m are highlighted."""
    counts, edges = risk_counts(risks)
    values = risks.values[is_above(risks.values, m or 1)]
    above, _edges = np.histogram(values, bins=N_BINS, range=(0, 1))

    def draw(axes: Axes) -> None:
        from matplotlib.ticker import MaxNLocator

        axes.bar(edges[:-1], counts, width=1 / N_BINS, align="edge", color=BAR)
        axes.bar(edges[:-1], above, width=1 / N_BINS, align="edge", color=WORST)
        if m is not None:
            axes.axvline(1 / m, color=INK, linestyle="--", linewidth=1, label=f"1/{m}")
            axes.legend(frameon=False)
        axes.set_xlim(0, 1)
        axes.set_xlabel(labels[0])
        axes.set_ylabel(labels[1])
        axes.yaxis.set_major_locator(MaxNLocator(integer=True))

    head = [*_ends(labels[0], translate), labels[1], translate(_("above 1/m"))]
    rows = list(zip(*(a.tolist() for a in (edges[:-1], edges[1:], counts, above)), strict=True))
    said = _said(risks) if alt is None else alt
    return Picture(draw, (WIDTH, 2.6), head, rows, said, name)


def over_time(
    history: Sequence[Risks],
    *,
    labels: tuple[str, str] = ("max", "mean"),
    name: str = "over-time",
    alt: str | None = None,
    translate: Translate = str,
) -> Picture:
    """The largest and the mean risk after each release."""

    def draw(axes: Axes) -> None:
        times = np.arange(1, len(history) + 1)
        for label, colour, values in (
            (labels[0], WORST, [risks.max for risks in history]),
            (labels[1], BAR, [risks.mean for risks in history]),
        ):
            numbers = [np.nan if value is None else value for value in values]
            axes.plot(times, numbers, color=colour, marker="o", label=label)
        axes.set_ylim(0, 1.05)
        axes.set_xticks(times)
        axes.grid(axis="y", color=MUTED, alpha=0.3)
        axes.legend(frameon=False)

    said = "; ".join(f"{i}: {_said(risks)}" for i, risks in enumerate(history, start=1))
    said = f"Risk after each release: {said}" if alt is None else alt
    rows = [(n, risks.max, risks.mean) for n, risks in enumerate(history, start=1)]
    return Picture(draw, (WIDTH, 2.6), [translate(_("release")), *labels], rows, said, name)


def _said(risks: Risks) -> str:
    if risks.max is None or risks.mean is None:
        return "no risk"
    return f"largest risk {risks.max:.3f}, mean {risks.mean:.3f}"
