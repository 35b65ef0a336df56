# SPDX-License-Identifier: Apache-2.0
"""Pictures of compared tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scoring.reporting.pictures import BAR, INK, WIDTH, svg

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

HEIGHT = 4.0


def utility_and_risk(frame: pd.DataFrame, utility: str, risk: str, labels: tuple[str, str]) -> str:
    """A point for each table that has both values, with its name, as SVG.

    Parameters
    ----------
    frame : DataFrame
        A line for each table, by its name.
    utility, risk : str
        The columns on the horizontal and on the vertical axis.
    labels : (str, str)
        The texts of the axes.
    """
    known = frame[[utility, risk]].dropna().astype(float)

    def draw(axes: Axes) -> None:
        x, y = known[utility].to_numpy(), known[risk].to_numpy()
        axes.scatter(x, y, color=BAR, zorder=3)
        middle = (x.min() + x.max()) / 2 if len(x) else 0.0
        for name, at, above in zip(known.index, x.tolist(), y.tolist(), strict=True):
            side = "right" if at > middle else "left"  # names stay within the axes
            axes.annotate(
                str(name),
                (at, above),
                xytext=(-5 if side == "right" else 5, 4),
                textcoords="offset points",
                ha=side,
                color=INK,
            )
        axes.margins(0.18)
        axes.set_xlabel(labels[0])
        axes.set_ylabel(labels[1])
        axes.grid(linewidth=0.4)

    named = [f"{n}: {u:.3g}, {r:.3g}" for n, u, r in known.itertuples()]
    return svg(draw, (WIDTH, HEIGHT), alt=f"{labels[0]} and {labels[1]}: {'; '.join(named)}")
