# SPDX-License-Identifier: Apache-2.0
"""Writes docs/notebooks from the recipes, in English and Japanese: `python -m tools.notebooks`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs" / "notebooks"
PAGES = {".ipynb": "docs/how-to/recipes.md", ".ja.ipynb": "docs/how-to/recipes.ja.md"}
NAMES = (
    "score",
    "attack",
    "classes",
    "mondrian",
    "compare",
    "audit",
    "histogram",
    "response",
    "series",
    "study",
)
"""In the order of the page."""
MOST_LINES = 5
_FENCE = re.compile(r"^```(\w+)\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[([^\]]+)\]\([^)]+\)")


@dataclass(frozen=True)
class Cell:
    """A piece of a recipe: text, or code with the output that the page shows."""

    text: str
    is_code: bool = False
    output: str = ""


@dataclass(frozen=True)
class Recipe:
    """A section of the page."""

    title: str
    cells: tuple[Cell, ...]

    @property
    def code(self) -> list[Cell]:
        """Its code, piece by piece."""
        return [cell for cell in self.cells if cell.is_code]


def recipes(page: str) -> list[Recipe]:
    """The sections of a page of recipes, in order."""
    pieces = re.split(r"^## (.+)\n", page, flags=re.MULTILINE)
    return [
        Recipe(title, tuple(_cells(text)))
        for title, text in zip(pieces[1::2], pieces[2::2], strict=True)
    ]


def _cells(text: str) -> Iterator[Cell]:
    place = 0
    blocks = list(_FENCE.finditer(text))
    for block, after in zip(blocks, [*blocks[1:], None], strict=True):
        if block[1] != "python":
            place = block.end()
            continue
        if prose := text[place : block.start()].strip():
            yield Cell(prose)
        output = after[2].strip() if after is not None and after[1] == "text" else ""
        yield Cell(block[2].strip(), is_code=True, output=output)
        place = block.end()
    if prose := text[place:].strip():
        yield Cell(prose)


def notebook(recipe: Recipe) -> str:
    """A recipe as a notebook, with the outputs of the page."""
    cells = [_markdown(f"# {recipe.title}", 0)]
    n_run = 0
    for i, cell in enumerate(recipe.cells, start=1):
        if cell.is_code:
            n_run += 1
            cells.append(_code(cell, i, n_run))
        else:
            cells.append(_markdown(_LINK.sub(r"\1", cell.text), i))
    content = {
        "cells": cells,
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


def _markdown(text: str, number: int) -> dict[str, Any]:
    return {
        "cell_type": "markdown",
        "id": f"cell-{number}",
        "metadata": {},
        "source": _lines(text),
    }


def _code(cell: Cell, number: int, n_run: int) -> dict[str, Any]:
    shown = {
        "data": {"text/plain": _lines(cell.output)},
        "execution_count": n_run,
        "metadata": {},
        "output_type": "execute_result",
    }
    return {
        "cell_type": "code",
        "execution_count": n_run,
        "id": f"cell-{number}",
        "metadata": {},
        "outputs": [shown] if cell.output else [],
        "source": _lines(cell.text),
    }


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def notebooks() -> dict[str, str]:
    """All notebooks, by the names of their files."""
    found = {}
    for suffix, page in PAGES.items():
        sections = recipes((ROOT / page).read_text(encoding="utf-8"))
        for name, recipe in zip(NAMES, sections, strict=False):
            found[f"{name}{suffix}"] = notebook(recipe)
    return found


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, content in notebooks().items():
        (FOLDER / name).write_text(content, encoding="utf-8")
