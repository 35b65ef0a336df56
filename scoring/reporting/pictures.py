# SPDX-License-Identifier: Apache-2.0
"""Pictures of reports as SVG whose text is text: the reader's browser chooses the font."""

from __future__ import annotations

import importlib.util
import io
import re
from collections.abc import Callable
from functools import cache
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scoring.extras import needed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INK, MUTED, BAR, WORST = "#1f2933", "#8a94a0", "#4477aa", "#cc3311"
WIDTH = 6.2
"""Inches; narrow, so that its words can still be read on a phone."""
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


def svg(
    draw: Callable[[Axes], None],
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
    mpl = needed("matplotlib", "matplotlib", "plots")
    from matplotlib.figure import Figure  # without pyplot: no global state, no window

    _know_japanese()
    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=size, layout="constrained")
        draw(figure.subplots())
        file = io.StringIO()
        figure.savefig(file, format="svg", transparent=True, metadata={"Date": None})
    text = file.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"font-family: [^;\"<]*", "font-family: sans-serif", text)
    if name:
        text = re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>{name}-", text)
    label = f' role="img" aria-label="{escape(alt)}"' if alt else ""
    return _UNUSABLE.sub("\N{REPLACEMENT CHARACTER}", f"<svg{label}{text[4:]}")


@cache
def _know_japanese() -> None:
    """Register the Japanese font with matplotlib, if its package is installed."""
    from matplotlib import font_manager

    spec = importlib.util.find_spec("matplotlib_fontja")
    if spec and spec.submodule_search_locations:
        folder = Path(spec.submodule_search_locations[0])
        font_manager.fontManager.addfont(folder / "fonts" / "ipaexg.ttf")
