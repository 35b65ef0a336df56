# SPDX-License-Identifier: Apache-2.0
"""Self-contained HTML pages and their parts: nothing is fetched, nothing runs."""

from __future__ import annotations

import base64
import math
from collections.abc import Callable, Iterable, Sequence
from html import escape

from scoring.errors import gettext_noop as _
from scoring.reporting.pictures import Cell, Picture

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
"""The content security policy of the page itself: nothing runs, whatever a name in it contains."""
Rows = Iterable[Sequence[str]]
"""The cells of a table, HTML already."""
Translate = Callable[[str], str]
"""From the English texts of this library to the reader's language."""


def document(title: str, style: str, body: str, *, language: str = "en") -> str:
    """The page of a body that is HTML already, with its style inside."""
    return (
        f'<!doctype html>\n<html lang="{escape(language)}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>\n{style}</style>\n</head>\n"
        f"<body>\n{body}</body>\n</html>\n"
    )


def section(title: str, body: str) -> str:
    """A heading and what stands under it; nothing where nothing does.

    Examples
    --------
    >>> section("Rates & ranks", "<p>1</p>")
    '<section><h2>Rates &amp; ranks</h2><p>1</p></section>'
    >>> section("Rates", "")
    ''
    """
    return f"<section><h2>{escape(title)}</h2>{body}</section>" if body else ""


def figure(
    picture: Picture, caption: str, translate: Translate = str, *, has_table: bool = False
) -> str:
    """A picture over its caption, its files to save, and its numbers to unfold unless a table of the page has them.

    Examples
    --------
    >>> picture = Picture(lambda axes: axes.bar(["Red"], 50), (2, 1), ["Team", "%"], [("Red", 50)], "Rates", "rates")
    >>> made = figure(picture, "All teams.")
    >>> [word in made for word in ("<figcaption>All teams.", 'download="rates.png"', '<td class="n">50</td>')]
    [True, True, True]
    """
    files = saved(picture, translate)
    shown = f"<figure>{picture.svg()}<figcaption>{escape(caption)}{files}</figcaption></figure>"
    return shown if has_table else f"{shown}{numbers(picture, translate)}"


def saved(picture: Picture, translate: Translate = str) -> str:
    """Links that hold a picture as PNG and CSV themselves: neither a script nor a server is needed."""
    files = (
        (translate(_("Download as PNG")), "png", "image/png", picture.png()),
        (translate(_("Download as CSV")), "csv", "text/csv;charset=utf-8", picture.csv()),
    )
    links = (
        f'<a download="{escape(picture.name)}.{end}" aria-label="{escape(named(words, picture.alt, translate))}" '
        f'href="data:{kind};base64,{base64.b64encode(data).decode()}">{escape(words)}</a>'
        for words, end, kind, data in files
    )
    return f'<span class="saved">{" ".join(links)}</span>'


def named(name: str, text: str, translate: Translate = str) -> str:
    """A name and the text that belongs to it.

    Examples
    --------
    >>> named("Red", "50 %")
    'Red: 50 %'
    """
    return translate(_("%(name)s: %(text)s")) % {"name": name, "text": text}


def joined(sentences: Iterable[str], translate: Translate = str) -> str:
    """Sentences one after the other; in some languages no space is between them.

    Examples
    --------
    >>> joined(["One record was found.", "It is hers."])
    'One record was found. It is hers.'
    """
    gap = translate(_("%(text)s %(sentence)s")) % {"text": "", "sentence": ""}
    return gap.join(sentences)


def numbers(picture: Picture, translate: Translate = str) -> str:
    """The numbers of a picture as a table that is folded.

    Examples
    --------
    >>> picture = Picture(print, (2, 1), ["Team", "%"], [("Red", 12.3456789)], "Rates", "rates")
    >>> '<data value="12.3456789">12.3457</data>' in numbers(picture)
    True
    """
    numeric = [
        n
        for n in range(len(picture.head))
        if not any(isinstance(row[n], str) for row in picture.rows)
    ]
    rows = ([_shown(cell) for cell in row] for row in picture.rows)
    title = escape(translate(_("The numbers of this chart")))
    shown = table("", picture.head, rows, numeric=numeric)
    return f'<details class="numbers"><summary>{title}</summary>{shown}</details>'


def _shown(cell: Cell) -> str:
    """A number with six digits, and its exact value."""
    if isinstance(cell, float) and not math.isnan(cell):
        return f'<data value="{cell!r}">{cell:,.6g}</data>'
    if isinstance(cell, int):
        return f"{cell:,}"
    return escape(cell) if isinstance(cell, str) else "–"


def table(
    title: str,
    head: Sequence[str],
    rows: Rows,
    *,
    numeric: Sequence[int] = (),
    kind: str = "plain",
) -> str:
    """A table of cells that are HTML already, under a title of its own where there is one.

    Parameters
    ----------
    title : str
    head : sequence of str
        The columns as text; without any there is no header.
    rows : iterable of sequences of str
    numeric : sequence of int
        Positions of the columns that hold numbers.
    kind : str
        The class by which a style finds the table.

    Examples
    --------
    >>> made = table("", ["Team", "Rank"], [("<b>Red</b>", "1")], numeric=[1])
    >>> made[20:76]
    '<table class="plain"><thead><tr><th scope="col">Team</th'
    >>> made[-77:-14]
    '<tbody><tr><td><b>Red</b></td><td class="n">1</td></tr></tbody>'
    """

    def cells(row: Sequence[str], tag: str, attributes: str = "") -> str:
        kinds = [' class="n"' if i in numeric else "" for i in range(len(row))]
        pairs = zip(row, kinds, strict=True)
        return "".join(f"<{tag}{attributes}{k}>{cell}</{tag}>" for cell, k in pairs)

    caption = f"<h3>{escape(title)}</h3>" if title else ""
    names = [escape(name) for name in head]
    columns = cells(names, "th", ' scope="col"')
    top = f"<thead><tr>{columns}</tr></thead>" if head else ""
    body = "".join(f"<tr>{cells(row, 'td')}</tr>" for row in rows)
    return f'{caption}<div class="scroll"><table class="{kind}">{top}<tbody>{body}</tbody></table></div>'
