# SPDX-License-Identifier: Apache-2.0
"""Text of any script on a PDF page: fonts of glyphs, line breaks, and writing direction."""

from __future__ import annotations

import importlib.util
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from pathlib import Path

from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont, shapeStr
from reportlab.pdfgen.canvas import Canvas

UNKNOWN = "\u25a1"
"""Replaces a character that is in none of the fonts."""
ELLIPSIS = "…"
_FONTS = {
    "gothic": ("matplotlib_fontja", "fonts/ipaexg.ttf"),
    "serif": ("matplotlib", "mpl-data/fonts/ttf/STIXGeneral.ttf"),
    "bold": ("matplotlib", "mpl-data/fonts/ttf/STIXGeneralBol.ttf"),
    "sans": ("matplotlib", "mpl-data/fonts/ttf/DejaVuSans.ttf"),
}
_INVISIBLE = {"Cc", "Cf", "Cs", "Co", "Cn"}
_VARIATIONS = range(0xFE00, 0xFE10)


@dataclass(frozen=True, slots=True)
class Style:
    """Fonts in order of preference, a color, and the range of sizes in points."""

    fonts: tuple[str, ...]
    colour: str
    size: float
    smallest: float


@dataclass(frozen=True, slots=True)
class Run:
    """Characters of one font, in drawing order."""

    font: str
    text: str


@cache
def register() -> None:
    """Register the fonts; their packages are located without importing them."""
    for name, (package, path) in _FONTS.items():
        spec = importlib.util.find_spec(package)
        assert spec is not None
        assert spec.submodule_search_locations
        folder = Path(spec.submodule_search_locations[0])
        pdfmetrics.registerFont(TTFont(name, str(folder / path)))


def clean(text: str) -> str:
    """The text without invisible characters: controls, joiners, variation selectors."""
    text = " ".join(unicodedata.normalize("NFC", text).split())
    return "".join(
        char
        for char in text
        if unicodedata.category(char) not in _INVISIBLE and ord(char) not in _VARIATIONS
    )


# Glyphs


def _has(font: str, char: str) -> bool:
    return ord(char) in pdfmetrics.getFont(font).face.charToGlyph


def _font_of(char: str, fonts: Sequence[str]) -> str | None:
    return next((font for font in fonts if _has(font, char)), None)


def _known(text: str, fonts: Sequence[str]) -> str:
    return "".join(char if _font_of(char, fonts) else UNKNOWN for char in text)


def _by_font(text: str, fonts: Sequence[str]) -> Iterator[Run]:
    for font, chars in groupby(text, key=lambda char: _font_of(char, fonts)):
        assert font is not None  # every character has a font by now
        yield Run(font, "".join(chars))


# Direction


def _direction(char: str) -> str:
    """R for right-to-left letters, L for left-to-right letters and digits, empty for neutral characters."""
    kind = unicodedata.bidirectional(char)
    if kind in ("R", "AL"):
        return "R"
    return "L" if kind in ("L", "EN", "AN") else ""


def _parts(text: str) -> tuple[str, list[tuple[str, str]]]:
    """The direction of the line, given by its first letter, and its parts with uniform direction."""
    found = [_direction(char) for char in text]
    line = next((direction for direction in found if direction), "L")
    for start, direction in enumerate(found):
        if not direction:
            before = found[start - 1] if start else line
            after = next((other for other in found[start:] if other), line)
            found[start] = before if before == after else line
    pairs = zip(found, text, strict=True)
    parts = [(d, "".join(c for _d, c in part)) for d, part in groupby(pairs, key=lambda p: p[0])]
    return line, parts


def runs(text: str, fonts: Sequence[str]) -> list[Run]:
    """The runs of a line from left to right, with ligatures and reordering if the script requires it."""
    line, parts = _parts(_known(text, fonts))
    if line == "R":
        parts.reverse()
    drawn: list[Run] = []
    for direction, part in parts:
        drawn += _to_the_left(part, fonts) if direction == "R" else _by_font(part, fonts)
    return drawn


def _to_the_left(part: str, fonts: Sequence[str]) -> Iterator[Run]:
    font = next((font for font in fonts if all(_has(font, char) for char in part)), None)
    if font is None:  # no font has them all: only reordered
        return _by_font(part[::-1], fonts)
    return iter([Run(font, str(shapeStr(part, font, 10)))])


# Lines


def width(line: Sequence[Run], size: float) -> float:
    return sum(pdfmetrics.stringWidth(run.text, run.font, size) for run in line)


def _pieces(text: str) -> list[str]:
    """Unbreakable pieces: words with their trailing space, and single wide characters."""
    pieces: list[str] = []
    may_go_on = False
    for char in text:
        wide = unicodedata.east_asian_width(char) in "WF"
        if may_go_on and not wide:
            pieces[-1] += char
        else:
            pieces.append(char)
        may_go_on = not wide and char != " "
    return pieces


def _wrapped(text: str, fonts: Sequence[str], size: float, room: float) -> list[str]:
    def fits(line: str) -> bool:
        return width(runs(line.rstrip(), fonts), size) <= room

    lines = [""]
    for piece in _pieces(text):
        # A word that is wider than the line is broken anywhere.
        for part in [piece] if fits(piece) else piece:
            if not lines[-1] or fits(lines[-1] + part):
                lines[-1] += part
            else:
                lines.append(part)
    return [line.strip() for line in lines]


def fitted(text: str, style: Style, room: float, n_lines: int = 1) -> tuple[float, list[list[Run]]]:
    """The largest size at which the text takes one line; below the smallest, more lines at a smaller one.

    Text that does not fit even then is truncated.
    """
    text = clean(text)
    size, lines = style.size, [text]
    for n in range(1, n_lines + 1):
        largest = style.size / (1 if n == 1 else 1.6)
        for size in _sizes(largest, style.smallest):
            lines = _wrapped(text, style.fonts, size, room)
            if len(lines) <= n:
                return size, [runs(line, style.fonts) for line in lines]
    lines = lines[:n_lines]
    while width(runs(lines[-1] + ELLIPSIS, style.fonts), size) > room:
        lines[-1] = lines[-1][:-1]
    lines[-1] += ELLIPSIS
    return size, [runs(line, style.fonts) for line in lines]


def _sizes(largest: float, smallest: float) -> Iterator[float]:
    """Sizes from the largest in steps of a point, ending with the smallest."""
    size = largest
    while size > smallest:
        yield size
        size -= 1
    yield smallest


def write(canvas: Canvas, line: Sequence[Run], size: float, centre: float, baseline: float) -> None:
    """Draw a centered line."""
    left = centre - width(line, size) / 2
    for run in line:
        canvas.setFont(run.font, size)
        canvas.drawString(left, baseline, run.text)
        left += pdfmetrics.stringWidth(run.text, run.font, size)
