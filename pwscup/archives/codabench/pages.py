# SPDX-License-Identifier: Apache-2.0
"""Pages of a bundle as plain text: HTML loses its tags, and nothing of it is ever shown as a page.

Tags are found by a scan in one direction: the parser of the standard library takes minutes for a page of comments that
never end.
"""

from __future__ import annotations

import contextlib
import re
import string
import unicodedata
from collections.abc import Iterator
from html import unescape

HTML = re.compile(r"\.html?$", re.IGNORECASE)
_BLOCKS = frozenset(
    {
        "address",
        "article",
        "aside",
        "blockquote",
        "br",
        "dd",
        "div",
        "dl",
        "dt",
        "fieldset",
        "figure",
        "footer",
    }
    | {
        "form",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
        "hr",
        "li",
        "main",
        "nav",
        "ol",
        "p",
        "pre",
        "section",
    }
    | {"table", "td", "th", "title", "tr", "ul"}
)
_STARTS = {"li": "- "} | {f"h{n}": "#" * n + " " for n in range(1, 7)}
_UNSEEN = frozenset({"script", "style", "template", "noscript"})
_NAME = re.compile(r"</?([A-Za-z][A-Za-z0-9]{0,20})")
_LINK = re.compile(r"\shref\s{0,9}=\s{0,9}[\"']?(https?://[^\s\"'<>]{1,500})", re.IGNORECASE)
_MOST_OF_A_TAG = 4_000
_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)  # keeps the length


def is_html(path: str) -> bool:
    return HTML.search(path) is not None


def text_of_html(html: str) -> str:
    """The text of a page: headings and lists as in Markdown, the addresses of links in brackets.

    Examples
    --------
    >>> print(text_of_html("<h1>Data</h1><p>Two <b>files</b>:<ul><li>a<li><a href='https://x.org'>b</a></ul>"))
    # Data
    <BLANKLINE>
    Two files:
    <BLANKLINE>
    - a
    - b (https://x.org)
    """
    lines = [line.strip() for line in "".join(_parts(html)).splitlines()]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def _parts(html: str) -> Iterator[str]:
    """The texts between tags, and the line breaks in place of tags."""
    lower, at, link = html.translate(_LOWER), 0, ""
    while at < len(html):
        start = html.find("<", at)
        yield _seen(html[at:start] if start >= 0 else html[at:])
        if start < 0:
            return
        if html.startswith("<!--", start):
            at = _after(lower, "-->", start)
            continue
        tag = html[start : start + _MOST_OF_A_TAG]
        if (found := _NAME.match(tag)) is None and not tag.startswith(("<!", "<?", "</")):
            yield "<"  # a character of the text
            at = start + 1
            continue
        at = _after(lower, ">", start)
        name = "" if found is None else found[1].lower()
        if tag.startswith("</"):
            yield "\n" if name in _BLOCKS else ""
            if name == "a" and link:
                yield f" ({link})"
                link = ""
        elif name in _UNSEEN:
            at = _after(lower, f"</{name}", at)
            at = _after(lower, ">", at)
        elif name in _BLOCKS:
            yield "\n" + _STARTS.get(name, "")
        elif name == "a":
            address = _LINK.search(html[start : min(at, start + _MOST_OF_A_TAG)])
            link = address[1] if address else ""


def _after(text: str, end: str, at: int) -> int:
    """The position after the next `end`; that of the end of the text where there is none."""
    found = text.find(end, at)
    return len(text) if found < 0 else found + len(end)


def _seen(text: str) -> str:
    """A text between tags as a browser shows it."""
    with contextlib.suppress(ValueError):  # a number of thousands of digits for a character
        text = unescape(text)
    return re.sub(r"\s+", " ", text)


def clean(text: str) -> str:
    """A text without characters that databases refuse or readers cannot see; lines and tabs stay.

    Examples
    --------
    >>> clean("a\\r\\nb\\x00c\\ud800\\td")
    'a\\nbc\\td'
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    return "".join(c for c in lines if c in "\n\t" or unicodedata.category(c)[0] != "C").strip()
