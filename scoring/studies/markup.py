# SPDX-License-Identifier: Apache-2.0
"""Pieces of the page: paragraphs, tables, pictures."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping, Sequence
from html import escape


def paragraphs(texts: Iterable[str]) -> str:
    """Texts, each a paragraph."""
    return "".join(f"<p>{escape(text)}</p>\n" for text in texts)


def points(texts: Iterable[str]) -> str:
    """Texts as a list."""
    return "<ul>\n" + "".join(f"<li>{escape(text)}</li>\n" for text in texts) + "</ul>\n"


def table(caption: str, head: Sequence[str], rows: Iterable[str], css: str = "") -> str:
    """A table from cells that are HTML already; the first column holds the rows' names."""
    names = "".join(f'<th scope="col">{cell}</th>' for cell in head)
    return (
        f'<div class="scroll"><table class="{css}"><caption>{escape(caption)}</caption>\n'
        f"<thead><tr>{names}</tr></thead>\n<tbody>\n{''.join(rows)}</tbody></table></div>\n"
    )


def row(name: str, cells: Iterable[str], css: str = "") -> str:
    """A row of cells under its name, which is HTML already."""
    return f'<tr class="{css}"><th scope="row">{name}</th>{"".join(cells)}</tr>\n'


def cell(text: str, css: str = "") -> str:
    """A cell of HTML."""
    return f'<td class="{css}">{text}</td>' if css else f"<td>{text}</td>"


def both(ours: str, theirs: str, css: str = "") -> str:
    """This study's figure, and the paper's small below it."""
    return cell(f"{ours}<small>{theirs}</small>", css)


def picture(pictures: Mapping[str, bytes], name: str, alt: str, caption: str) -> str:
    """A picture inside the page, with what stands under it."""
    data = base64.b64encode(pictures[name]).decode()
    return (
        f'<figure><img alt="{escape(alt)}" src="data:image/png;base64,{data}">'
        f"<figcaption>{escape(caption)}</figcaption></figure>\n"
    )
