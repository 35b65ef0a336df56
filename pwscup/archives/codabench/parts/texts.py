# SPDX-License-Identifier: Apache-2.0
"""The terms and the pages of a bundle, as plain text."""

from __future__ import annotations

from pwscup.archives.codabench.description import Page
from pwscup.archives.codabench.files import Unreadable, plain_path
from pwscup.archives.codabench.pages import clean, is_html, text_of_html
from pwscup.archives.codabench.parts.base import Reading

MOST_PAGES = 30
LONGEST_TITLE = 100


def read_texts(reading: Reading) -> tuple[str, tuple[Page, ...]]:
    """The terms and the pages."""
    if reading.is_old:
        listed = reading.top.section("html", "pages")
        paths = listed.values if listed else {}
        named = [
            (clean(title)[:100], f"html.{clean(title)[:60]}", path) for title, path in paths.items()
        ]
        terms = next(((where, path) for title, where, path in named if title == "terms"), None)
        named = [one for one in named if one[0] != "terms"]
    else:
        named = [
            (page.text("title", is_needed=True)[:100], page.where("file"), page.get("file"))
            for page in reading.top.sections("pages", most=MOST_PAGES)
        ]
        path = reading.top.get("terms")
        terms = None if path is None else ("terms", path)
    if len(named) > MOST_PAGES:
        reading.problems.add("too_many", "html", expected=MOST_PAGES, got=len(named))
        named = []
    pages = [_page(reading, *one) for one in named]
    return _terms(reading, terms), tuple(page for page in pages if page is not None)


def _terms(reading: Reading, named: tuple[str, object] | None) -> str:
    if named is None:
        reading.left_out.add("no_terms", "terms")
        return ""
    where, path = named
    plain = _path(reading, where, path)
    if plain is None:
        return ""
    text = _text(reading, plain)
    if text is None:
        reading.left_out.add("terms_unreadable", where, got=plain)
    elif is_html(plain):
        reading.left_out.add("terms_html", where)
    return text or ""


def _page(reading: Reading, title: str, where: str, path: object) -> Page | None:
    plain = _path(reading, where, path)
    if plain is None:
        return None
    text = _text(reading, plain)
    if not text:
        code = "page_unreadable" if text is None else "page_empty"
        reading.left_out.add(code, where, got=title)
        return None
    if is_html(plain):
        reading.left_out.add("page_html", where, got=title)
    return Page(title or plain, plain, text)


def _path(reading: Reading, where: str, path: object) -> str | None:
    """The path of a file that the bundle has; None where a problem was noted."""
    if not isinstance(path, str) or not path.strip():
        code = "missing" if path is None else "wrong"
        reading.problems.add(code, where, expected="file", got=path)
        return None
    plain = plain_path(path.strip())
    if plain is None or plain not in reading.files:
        reading.problems.add("no_file", where, got=clean(path))
        return None
    return plain


def _text(reading: Reading, path: str) -> str | None:
    """A page as plain text; None where it cannot be read."""
    try:
        text = reading.files.read(path).decode("utf-8-sig")
    except (Unreadable, UnicodeDecodeError):
        return None
    return clean(text_of_html(text) if is_html(path) else text)
