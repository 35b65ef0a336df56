# SPDX-License-Identifier: Apache-2.0
"""The figures as SVG: ρ, ε and k; the estimates cell by cell; both measures by the number of queries."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from scoring.privacy.experiments.run import IT, Experiment
from scoring.privacy.experiments.sheets import distributed, figure_name, query_axis, rho_curve
from scoring.privacy.experiments.summary import (
    L2,
    RANK,
    Crossing,
    Curve,
    Score,
    crossing_of,
)
from scoring.reporting.pictures import BAR, INK, MUTED, WIDTH, WORST, svg

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

MOST_CELLS = 40
"""Cells that a figure has room for; of a larger table those of the greatest counts are drawn."""
_GREEN = "#228833"
_NAMES = {L2: "L2 distance", RANK: "rank correlation"}


def figures(
    experiment: Experiment, scores: dict[tuple[float, str], Score], crossings: list[Crossing]
) -> dict[str, bytes]:
    """File names and SVG bytes."""
    files = {
        "figure3-epsilon.svg": rho_figure(experiment, 1),
        "figure3-k.svg": rho_figure(experiment, 2),
    }
    for epsilon in experiment.setup.epsilons:
        own = f"epsilon-{epsilon:g}"
        for method in distributed(experiment):
            files[f"{figure_name(method)}-{own}.svg"] = boxes(experiment, epsilon, method)
        if experiment.setup.queries:
            for number, measure in ((8, L2), (9, RANK)):
                picture = by_queries(experiment, scores, crossings, epsilon, measure)
                files[f"figure{number}-{measure.replace('_', '-')}-{own}.svg"] = picture
    return {name: text.encode() for name, text in files.items()}


def rho_figure(experiment: Experiment, column: int) -> str:
    """Figure 3: ε (column 1) or k (column 2) against ρ."""
    points = np.array(list(rho_curve(experiment.counts)), dtype=np.float64)
    name = ("", "ε", "k")[column]

    def draw(axes: Axes) -> None:
        axes.plot(points[:, 0], points[:, column], color=BAR)
        axes.set(xlabel="ρ", ylabel=name)
        if column == 2:
            axes.set_yscale("log")
            _plain(axes.yaxis)

    return svg(draw, (WIDTH, 3.2), alt=f"{name} against ρ", name=f"f3{column}")


def boxes(experiment: Experiment, epsilon: float, method: str) -> str:
    """Figures 5 to 7: each cell's estimates over the trials as a box plot, the original as a cross."""
    counts = experiment.counts
    original = counts.table.ravel()
    shown = np.arange(original.size)
    if original.size > MOST_CELLS:
        shown = np.sort(np.argsort(-original, kind="stable")[:MOST_CELLS])
    cells = counts.cells()
    estimates = experiment.trials[epsilon, method].estimates.reshape(-1, original.size)[:, shown]

    def draw(axes: Axes) -> None:
        positions = np.arange(1, len(shown) + 1)
        line = {"color": BAR}
        axes.boxplot(
            estimates,
            positions=positions,
            boxprops=line,
            whiskerprops=line,
            capprops=line,
            medianprops={"color": INK, "linewidth": 1.6},
            flierprops={"marker": "+", "markeredgecolor": MUTED, "markersize": 5},
        )
        axes.plot(positions, original[shown], "x", color=WORST, markersize=6, label="original")
        names = [" ".join(cells[cell]) for cell in shown]
        axes.set_xticks(positions, names, rotation=90, fontsize=8)
        axes.set_ylabel("records")
        axes.legend(frameon=False, fontsize=8, loc="upper left")
        _title(axes, experiment, f"{method}, ε = {epsilon:g}")

    alt = f"Estimates of each cell by {method} at ε = {epsilon:g}, with the original counts"
    return svg(draw, (WIDTH, 4.2), alt=alt, name=f"b{method}{epsilon:g}".replace(".", "-"))


def by_queries(
    experiment: Experiment,
    scores: dict[tuple[float, str], Score],
    crossings: list[Crossing],
    epsilon: float,
    measure: str,
) -> str:
    """Figures 8 and 9: the interactive curve and its trials, each batch's line, and where they meet."""
    setup = experiment.setup
    curve = Curve.of(experiment.counts, setup, epsilon)
    value = curve.l2 if measure == L2 else curve.rank_correlation
    axis = query_axis(experiment)
    meeting = crossing_of(crossings, epsilon, measure)

    def draw(axes: Axes) -> None:
        axes.plot(axis, [value(x) for x in axis], color=BAR, label="interactive")
        measured = [scores[epsilon, f"{IT}{x}"].of(measure) for x in setup.queries]
        axes.plot(setup.queries, measured, "o", color=BAR, markersize=4, label="its trials")
        for method, colour, style in zip(setup.batch, (WORST, _GREEN), ("--", "-."), strict=False):
            own = scores[epsilon, method].of(measure)
            axes.axhline(own, color=colour, linestyle=style, label=f"{method}: {_short(own)}")
        if meeting is not None and meeting.queries and meeting.queries >= axis[0]:
            axes.plot([meeting.queries], [meeting.value], "D", color=INK, markersize=5)
            axes.annotate(
                f"{meeting.queries:,.1f} queries",
                (meeting.queries, meeting.value),
                xytext=(8, -14) if measure == L2 else (8, 6),
                textcoords="offset points",
                fontsize=8,
            )
        axes.set(xlabel="queries X, each with ε / X", ylabel=_NAMES[measure], xscale="log")
        # Of a table of equal cells there is no rank correlation that could scale the axis.
        axes.set_xlim(0.75, 1.35 * axis[-1])
        _plain(axes.xaxis)
        if measure == L2:
            axes.set_yscale("log")
            _plain(axes.yaxis)
        axes.legend(
            framealpha=0.85,
            edgecolor="none",
            fontsize=8,
            loc="lower right" if measure == L2 else "lower left",
        )
        _title(axes, experiment, f"{_NAMES[measure]}, ε = {epsilon:g}")

    alt = f"{_NAMES[measure]} against the number of queries at ε = {epsilon:g}"
    return svg(draw, (WIDTH, 3.8), alt=alt, name=f"q{measure}{epsilon:g}".replace(".", "-"))


def _plain(axis: Axis) -> None:
    """Numbers in full on a logarithmic axis, for pictures have no formulas."""
    axis.set_major_formatter("{x:,g}")


def _short(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def _title(axes: Axes, experiment: Experiment, text: str) -> None:
    """The title, and in small print all other settings."""
    setup = experiment.setup
    label = (
        f"aggregate {setup.aggregate}, ρ {setup.rates}, {setup.trials} trials, seed {setup.seed}\n"
        f"reconstruction: {setup.stopping_rule}"
    )
    axes.set_title(f"{text}\n", loc="left", fontsize=10, pad=14)
    axes.text(0, 1.02, label, transform=axes.transAxes, fontsize=7, color=MUTED)
