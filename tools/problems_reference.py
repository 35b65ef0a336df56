# SPDX-License-Identifier: Apache-2.0
"""Writes the problem codes in docs/reference/files.md from their messages: `python -m tools.problems_reference`."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

from scoring.errors import MESSAGES

TARGET = Path(__file__).resolve().parent.parent / "docs" / "reference" / "files.md"
BEGIN, END = "<!-- written by tools.problems_reference -->\n", "<!-- end -->\n"


def problems() -> str:
    """A table of codes and messages for every group of codes."""
    parts = []
    for group, found in groupby(MESSAGES.items(), key=lambda item: item[0].partition(".")[0]):
        rows = [f"| `{code}` | {_cell(message)} |" for code, message in found]
        parts.append("\n".join([f"### {group}", "", "| code | message |", "|---|---|", *rows, ""]))
    return "\n".join(parts)


def rewritten(page: str) -> str:
    """The page with the tables between its two markers, up to date."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise ValueError(f"expected {BEGIN!r} and later {END!r}")
    return f"{before}{BEGIN}\n{problems()}\n{END}{after}"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("[[", "\\[\\[").replace("<", "&lt;")


if __name__ == "__main__":
    TARGET.write_text(rewritten(TARGET.read_text(encoding="utf-8")), encoding="utf-8")
