# SPDX-License-Identifier: Apache-2.0
"""The figures as PNG: markers as well as colours, and colours that are distinguishable with colour blindness."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from scoring.extras import needed
from scoring.studies.comparison import PAPER_RECORDS
from scoring.studies.cost import CostPoint
from scoring.studies.experiment import SAMPLE, Study
from scoring.studies.paper import PaperFigures

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe & Ito's palette, without its yellow, which is too light for lines on white.
BLACK, ORANGE, SKY, GREEN, BLUE, RED, PURPLE = (
    "#000000",
    "#E69F00",
    "#56B4E9",
    "#009E73",
    "#0072B2",
    "#D55E00",
    "#CC79A7",
)
GREY = "#6b7280"
_DPI = 150
_STYLE: dict[Any, Any] = {  # matplotlib types its keys one by one
    "font.family": "DejaVu Sans",
    "font.size": 9.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#e5e7eb",
    "grid.linewidth": 0.8,
    "axes.axisbelow": True,
    "axes.edgecolor": GREY,
    "axes.titlesize": 10,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "legend.frameon": False,
    "lines.linewidth": 1.8,
    "lines.markersize": 5,
}
Quantity = Callable[[CostPoint], float | None]
Points = dict[tuple[float, float], list[str]]


def figures(study: Study, paper: PaperFigures) -> dict[str, bytes]:
    """File names and PNG bytes."""
    with _style():
        return {
            "figure1-u4-e3.png": _scatter(study, paper),
            "figure2-time-by-quasi-identifiers.png": _time_by_columns(study, "quasi_identifiers"),
            "figure3-rate-by-quasi-identifiers.png": _rate_by_quasi_identifiers(study, paper),
            "figure4-time-by-amounts.png": _time_by_columns(study, "sensitive"),
            "figure5-rate-by-amounts.png": _rate_by_amounts(study),
            "figure6-time-by-records.png": _time_by_records(study),
        }


@contextmanager
def _style() -> Iterator[None]:
    mpl = needed("matplotlib", "matplotlib", "plots")
    with mpl.rc_context(_STYLE):
        yield


def _figure(n_columns: int, width: float, height: float) -> tuple[Figure, Sequence[Axes]]:
    """A figure that no window and no global state knows of."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), dpi=_DPI, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(1, n_columns, squeeze=False)
    return figure, list(axes[0])


def _png(figure: Figure) -> bytes:
    data = io.BytesIO()
    # No date and no version inside: the same study gives the same file.
    figure.savefig(data, format="png", metadata={"Software": None})
    return data.getvalue()


def _scatter(study: Study, paper: PaperFigures) -> bytes:
    figure, axes = _figure(2, 9.2, 4.0)
    panels = (
        (axes[0], study.singles, paper.table11, "100 records, one method each"),
        (axes[1], study.chains, paper.table12, f"{study.n_records:,} records, chains"),
    )
    for panel, made, printed, title in panels:
        theirs = _points({name: (printed[name]["U4"], printed[name]["E3"]) for name in made})
        ours = _points(
            {n: (float(m.values["U4"] or 0), float(m.values["E3"] or 0)) for n, m in made.items()}
        )
        panel.plot(*_split(theirs), "s", mfc="none", mec=RED, mew=1.4, ms=7, label="paper")
        panel.plot(*_split(ours), "o", color=BLUE, ms=6, label="this study")
        panel.set(title=title, xlabel="U4: difference of correlations (lost utility)")
        panel.set_ylim(-0.13, 1.16)
        widest = max(u4 for u4, _ in [*theirs, *ours])
        panel.set_xlim(-0.06 * widest, 1.12 * widest)
        _name_beside(panel, theirs, ours)
        _name_above(panel, ours)
    axes[0].set_ylabel("E3: re-identification rate by rank")
    axes[1].legend(loc="upper right")
    return _png(figure)


def _name_beside(panel: Axes, points: Points, others: Points) -> None:
    """Write the paper's names to the right of their points, or below where another is near."""
    width = panel.get_xlim()[1] - panel.get_xlim()[0]
    before, height = (-width, 0.0), 0
    for (u4, e3), names in sorted(points.items()):
        is_crowded = any(
            0.01 * width < x - u4 < 0.14 * width and abs(y - e3) < 0.06
            for x, y in [*points, *others]
        )
        is_close = abs(u4 - before[0]) < 0.1 * width and abs(e3 - before[1]) < 0.05
        before, height = (u4, e3), 1 - height if is_close else 0
        offset = (4, (-12, -22)[height]) if is_crowded or is_close else (8, -3)
        _annotate(panel, (u4, e3), names, offset, RED)


def _name_above(panel: Axes, points: Points) -> None:
    """Write the study's names above their points, close neighbours at different heights."""
    width = panel.get_xlim()[1] - panel.get_xlim()[0]
    before, height = (-width, 0.0), 0
    for (u4, e3), names in sorted(points.items()):
        is_close = abs(u4 - before[0]) < 0.1 * width and abs(e3 - before[1]) < 0.05
        before, height = (u4, e3), 1 - height if is_close else 0
        _annotate(panel, (u4, e3), names, (4, (7, 17)[height]), BLUE)


def _annotate(
    panel: Axes, at: tuple[float, float], names: list[str], offset: tuple[int, int], colour: str
) -> None:
    panel.annotate(
        ", ".join(names), at, xytext=offset, textcoords="offset points", color=colour, fontsize=7.5
    )


def _points(named: dict[str, tuple[float, float]]) -> Points:
    """Tables that would lie on each other at the printed size, under one point."""
    points: Points = {}
    for name, (u4, e3) in named.items():
        near = (p for p in points if abs(p[0] - u4) < 0.008 and abs(p[1] - e3) < 0.045)
        points.setdefault(next(near, (u4, e3)), []).append(name.removeprefix("D_"))
    return points


def _split(
    points: Points,
) -> tuple[list[float], list[float]]:
    return [u4 for u4, _ in points], [e3 for _, e3 in points]


def _sizes(study: Study) -> list[int]:
    return sorted({p.n_records for p in study.cost if p.series != "records"})


def _pick(
    study: Study, series: str, *, n: int | None = None, q: int | None = None
) -> list[CostPoint]:
    return [
        point
        for point in study.cost
        if point.series == series
        and (n is None or point.n_records == n)
        and (q is None or point.n_quasi_identifiers == q)
    ]


def _line(panel: Axes, points: Sequence[CostPoint], x: Quantity, y: Quantity, **look: Any) -> None:
    pairs = [(x(point), y(point)) for point in points]
    known = [(a, b) for a, b in pairs if a is not None and b is not None]
    panel.plot([a for a, _ in known], [b for _, b in known], **look)


def _plain_milliseconds(point: CostPoint) -> float | None:
    return None if point.seconds_plain is None else 1000 * point.seconds_plain


def _library_milliseconds(point: CostPoint) -> float:
    return 1000 * point.seconds_library


_TIMES: tuple[tuple[Quantity, dict[str, object]], ...] = (
    (_plain_milliseconds, {"color": RED, "marker": "s", "label": "record by record"}),
    (_library_milliseconds, {"color": BLUE, "marker": "o", "label": "the library's attack"}),
)


def _q(point: CostPoint) -> float:
    return point.n_quasi_identifiers


def _s(point: CostPoint) -> float:
    return point.n_sensitive


def _n_distances(point: CostPoint) -> float:
    return point.n_distances


def _n_differences(point: CostPoint) -> float:
    return point.n_distances * point.n_sensitive


def _time_by_columns(study: Study, series: str) -> bytes:
    sizes = _sizes(study)
    figure, axes = _figure(len(sizes) + 1, 10.5, 3.5)
    x = _q if series == "quasi_identifiers" else _s
    q = None if series == "quasi_identifiers" else 13
    for panel, n in zip(axes, sizes, strict=False):
        points = _pick(study, series, n=n, q=q)
        for y, look in _TIMES:
            _line(panel, points, x, y, **look)
        panel.set(title=f"{n:,} records", xlabel=_axis(series), ylabel="milliseconds")
        if series == "quasi_identifiers" and n > SAMPLE:
            panel.set_yscale("log")
            panel.yaxis.set_major_formatter("{x:,.0f}")
        else:
            panel.set_ylim(bottom=0)
    axes[0].legend(loc="best", fontsize=8)
    by_amount = series == "sensitive"
    for n, colour, marker in zip(sizes, (ORANGE, GREEN), "D^", strict=False):
        points = _pick(study, series, n=n, q=q)
        look = {"color": colour, "marker": marker, "label": f"{n:,} records"}
        _line(axes[-1], points, x, _n_differences if by_amount else _n_distances, **look)
    title = "Amounts compared" if by_amount else "Distances by definition"
    axes[-1].set(title=title, xlabel=_axis(series), ylabel="number", yscale="log")
    axes[-1].legend(loc="best", fontsize=8)
    for panel in axes:
        panel.set_xticks(range(1, 14, 2))
    return _png(figure)


def _axis(series: str) -> str:
    return "|q|: quasi-identifiers used" if series == "quasi_identifiers" else "|s|: amounts used"


def _rate_by_quasi_identifiers(study: Study, paper: PaperFigures) -> bytes:
    figure, (panel,) = _figure(1, 6.8, 3.8)
    for n, colour, marker in zip(_sizes(study), (ORANGE, GREEN), "D^", strict=False):
        points = _pick(study, "quasi_identifiers", n=n)
        _line(
            panel, points, _q, lambda p: p.rate, color=colour, marker=marker, label=f"{n:,} records"
        )
    if study.n_records == PAPER_RECORDS:
        told = paper.section46
        panel.plot(
            list(told),
            [values["rate"] for values in told.values()],
            "s",
            mfc="none",
            mec=RED,
            mew=1.4,
            ms=7,
            label="paper, 8,333 records",
        )
    panel.set(xlabel=_axis("quasi_identifiers"), ylabel="EUC1: re-identification rate")
    panel.set_xticks(range(1, 14, 2))
    panel.set_ylim(0, 1.05)
    panel.legend(loc="center left", bbox_to_anchor=(1, 0.5))
    return _png(figure)


def _rate_by_amounts(study: Study) -> bytes:
    figure, (panel,) = _figure(1, 6.8, 3.8)
    looks = iter(((ORANGE, "D", "-"), (ORANGE, "D", "--"), (GREEN, "^", "-"), (GREEN, "^", "--")))
    for n in _sizes(study):
        for q in (13, 6):
            colour, marker, style = next(looks)
            _line(
                panel,
                _pick(study, "sensitive", n=n, q=q),
                _s,
                lambda p: p.rate,
                color=colour,
                marker=marker,
                linestyle=style,
                markerfacecolor=colour if q == 13 else "white",
                label=f"{n:,} records, |q| = {q}",
            )
    panel.set(xlabel=_axis("sensitive"), ylabel="EUC1: re-identification rate")
    panel.set_ylim(0, 1.05)
    panel.legend(loc="center left", bbox_to_anchor=(1, 0.5))
    return _png(figure)


def _time_by_records(study: Study) -> bytes:
    figure, axes = _figure(2, 9.2, 3.7)
    points = _pick(study, "records")
    for y, look in _TIMES:
        _line(axes[0], points, lambda p: p.n_records, y, **look)
    axes[0].set(title="Time, |q| = 1", xlabel="records", ylabel="milliseconds", yscale="log")
    axes[0].yaxis.set_major_formatter("{x:,.0f}")
    _line(
        axes[1],
        points,
        lambda p: p.n_records,
        _n_distances,
        color=PURPLE,
        marker="D",
    )
    axes[1].set(title="Distances by definition, |q| = 1", xlabel="records", yscale="log")
    for panel in axes:
        panel.set_xscale("log")
        panel.xaxis.set_major_formatter("{x:,.0f}")
        if study.n_records == PAPER_RECORDS:
            panel.axvline(PAPER_RECORDS, color=GREY, linestyle=":", linewidth=1)
    axes[0].legend(loc="best", fontsize=8)
    return _png(figure)
