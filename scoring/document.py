"""The frame of a page that stands alone: nothing is fetched, nothing runs."""

from __future__ import annotations

from html import escape


def document(title: str, style: str, body: str, *, language: str = "en") -> str:
    """The page of a body that is HTML already, with its style inside."""
    return (
        f'<!doctype html>\n<html lang="{escape(language)}">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>\n{style}</style>\n</head>\n"
        f"<body>\n{body}</body>\n</html>\n"
    )
