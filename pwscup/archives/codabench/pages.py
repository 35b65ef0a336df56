"""Pages of a bundle as plain text: HTML loses its tags, and nothing of it is ever shown as a page."""

from __future__ import annotations

import re
import unicodedata
from html.parser import HTMLParser

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
_HEADINGS = {f"h{n}": "#" * n + " " for n in range(1, 7)}
_UNSEEN = frozenset({"script", "style", "head", "template", "noscript"})


class _Text(HTMLParser):
    """Collects the texts between tags, each block on a line of its own."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._unseen: list[str] = []
        self._link = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "body":
            self._unseen.clear()
        elif tag in _UNSEEN:
            self._unseen.append(tag)
        elif tag in _BLOCKS:
            start = "- " if tag == "li" else _HEADINGS.get(tag, "")
            self.parts.append("\n" + start)
        elif tag == "a":
            address = dict(attrs).get("href") or ""
            self._link = address if address.startswith(("http://", "https://")) else ""

    def handle_endtag(self, tag: str) -> None:
        if tag in self._unseen:
            self._unseen.remove(tag)
        elif tag in _BLOCKS:
            self.parts.append("\n")
        elif tag == "a" and self._link:
            self.parts.append(f" ({self._link})")
            self._link = ""

    def handle_data(self, data: str) -> None:
        if not self._unseen:
            self.parts.append(re.sub(r"\s+", " ", data))


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
    reader = _Text()
    reader.feed(html)
    reader.close()
    lines = [line.strip() for line in "".join(reader.parts).splitlines()]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def clean(text: str) -> str:
    """A text without characters that databases refuse or readers cannot see; lines and tabs stay.

    Examples
    --------
    >>> clean("a\\r\\nb\\x00c\\ud800\\td")
    'a\\nbc\\td'
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    return "".join(c for c in lines if c in "\n\t" or unicodedata.category(c)[0] != "C").strip()
