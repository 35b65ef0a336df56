# SPDX-License-Identifier: Apache-2.0
"""Self-contained HTML pages and their parts: nothing is fetched, nothing runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
"""The content security policy of the page itself: nothing runs, whatever a name in it contains."""
Rows = Iterable[Sequence[str]]
"""The cells of a table, HTML already."""


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


def figure(svg: str, caption: str) -> str:
    """A picture over its caption.

    Examples
    --------
    >>> figure("<svg></svg>", "All teams.")
    '<figure><svg></svg><figcaption>All teams.</figcaption></figure>'
    """
    return f"<figure>{svg}<figcaption>{escape(caption)}</figcaption></figure>"


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
