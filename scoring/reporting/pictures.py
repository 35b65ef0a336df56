# SPDX-License-Identifier: Apache-2.0
"""Pictures of reports: as SVG whose text is text, in a font that the browser chooses, as PNG, and in numbers."""

from __future__ import annotations

import importlib.util
import io
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scoring.extras import needed
from scoring.reporting.spreadsheets import BOM, csv_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INK, MUTED, BAR, WORST = "#1f2933", "#8a94a0", "#4477aa", "#cc3311"
WIDTH = 6.2
"""Inches; narrow, so that its words can still be read on a phone."""
DPI, N_COLOURS = 150, 256
"""Of a PNG: with a palette it is a third of the bytes."""
DIGITS = 12
"""Of the numbers in a CSV: all that are meant, none that is left over from adding binary fractions."""
_MEASURED_BY = ["DejaVu Sans", "IPAexGothic"]
"""The fonts by which room is made for words, Japanese ones among them."""
_UNUSABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
"""Characters that XML must not contain, not even escaped: with one of them no picture is shown."""

_STYLE: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "pwscup",  # the same facts give the same bytes
    "font.family": _MEASURED_BY,
    "font.size": 11,
    "text.parse_math": False,  # a name may hold two dollars
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": MUTED,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "text.color": INK,
}


Cell = str | int | float | None
Draw = Callable[["Axes"], None]


@dataclass(frozen=True, slots=True)
class Picture:
    """A chart, and the numbers that it shows.

    Attributes
    ----------
    draw : callable
        Draws into the axes it is given.
    size : (float, float)
        Width and height in inches.
    head : sequence of str
        The columns of its numbers, in the language of the picture.
    rows : sequence of sequences of str, int, float or None
        None, and a number that is none, are empty cells.
    alt : str
        What the picture says, for those who do not see it.
    name : str
        Letters that no other picture of the page has: its identifiers and the names of its files begin with them.
    """

    draw: Draw
    size: tuple[float, float]
    head: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    alt: str
    name: str

    def svg(self) -> str:
        """An SVG element that can stand inside a page."""
        return svg(self.draw, self.size, alt=self.alt, name=self.name)

    def png(self) -> bytes:
        """A PNG file for slides and papers, on white; the same picture gives the same bytes."""
        from PIL import Image  # matplotlib brings it

        file, smaller = io.BytesIO(), io.BytesIO()
        fast = {"compress_level": 1}
        _save(self.draw, self.size, file, format="png", dpi=DPI, facecolor="white", pil_kwargs=fast)
        few = Image.open(file).convert("RGB").quantize(N_COLOURS, dither=Image.Dither.NONE)
        few.save(smaller, "PNG", optimize=True, dpi=(DPI, DPI))
        return smaller.getvalue()

    def csv(self) -> bytes:
        """Its numbers as a file for spreadsheets.

        Examples
        --------
        >>> picture = Picture(print, (2, 1), ["Team", "%"], [("=Red", 0.1 + 0.2), ("Blue", None)], "", "")
        >>> picture.csv().decode("utf-8-sig")
        "Team,%\\r\\n'=Red,0.3\\r\\nBlue,\\r\\n"
        """
        rows = ([plain(cell) for cell in row] for row in self.rows)
        return f"{BOM}{csv_text(self.head, rows)}".encode()


def plain(cell: Cell) -> str | int | float:
    """The content of a cell of a CSV.

    Examples
    --------
    >>> plain(None), plain(float("nan")), plain(7), plain(28.999999999999996)
    ('', '', 7, 29.0)
    """
    if isinstance(cell, float):
        return "" if math.isnan(cell) else float(f"{cell:.{DIGITS}g}")
    return "" if cell is None else cell


def svg(
    draw: Draw,
    size: tuple[float, float],
    *,
    alt: str = "",
    name: str = "",
) -> str:
    """A picture as an SVG element that can stand inside a page.

    Parameters
    ----------
    draw : callable
        Draws into the axes it is given.
    size : (float, float)
        Width and height in inches.
    alt : str
        What the picture says, for those who do not see it.
    name : str
        Letters that no other picture of the page has: its identifiers begin with them.

    Examples
    --------
    >>> picture = svg(lambda axes: axes.set_title("a < b"), (2, 1), alt="Nothing", name="x")
    >>> picture[:36], "a &lt; b" in picture
    ('<svg role="img" aria-label="Nothing"', True)
    """
    file = io.StringIO()
    _save(draw, size, file, format="svg", transparent=True, metadata={"Date": None})
    text = file.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"font-family: [^;\"<]*", "font-family: sans-serif", text)
    if name:
        text = re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>{name}-", text)
    label = f' role="img" aria-label="{escape(alt)}"' if alt else ""
    return _UNUSABLE.sub("\N{REPLACEMENT CHARACTER}", f"<svg{label}{text[4:]}")


def _save(
    draw: Draw, size: tuple[float, float], file: io.StringIO | io.BytesIO, **options: Any
) -> None:
    """Draw and write one picture."""
    mpl = needed("matplotlib", "matplotlib", "plots")
    from matplotlib.figure import Figure  # without pyplot: no global state, no window

    _know_japanese()
    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=size, layout="constrained")
        draw(figure.subplots())
        figure.savefig(file, **options)


@cache
def _know_japanese() -> None:
    """Register the Japanese font with matplotlib, if its package is installed."""
    from matplotlib import font_manager

    spec = importlib.util.find_spec("matplotlib_fontja")
    if spec and spec.submodule_search_locations:
        folder = Path(spec.submodule_search_locations[0])
        font_manager.fontManager.addfont(folder / "fonts" / "ipaexg.ttf")
