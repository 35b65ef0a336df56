# SPDX-License-Identifier: Apache-2.0
"""The notebook of a contest: a template filled with the names of its files and columns, as an .ipynb file.

The template holds cells, each after a line `%% markdown` or `%% code`; the texts are translated, the code is the same
in all languages. Every name in the code is a Python literal.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from django.template.loader import render_to_string
from django.utils import translation

from pwscup.contests.selectors import download_name, shown_schema
from pwscup.contests.teams.tables import in_files, numbered, team_file
from pwscup.core.installation import wheel
from scoring.tables.schema import Role

if TYPE_CHECKING:
    from pwscup.accounts.models import Team
    from pwscup.contests.models import Contest, Dataset
    from scoring.tables.schema import Schema

TYPE = "application/x-ipynb+json"
CELL = re.compile(r"^%% (markdown|code)\n", re.MULTILINE)
NO_TEAM = "X"
"""The team in a notebook for viewers who are in none, as in the lecture's `teamX_original.csv`."""


def notebook(contest: Contest, dataset: Dataset, team: Team | None, language: str) -> bytes:
    """The notebook of a contest in a language, for a team's files."""
    with translation.override(language):
        context = _names(contest, team) | _columns(shown_schema(dataset))
        text = render_to_string(contest.format.notebook, context)
    return json.dumps(_ipynb(text), ensure_ascii=False, indent=1).encode()


def _names(contest: Contest, team: Team | None) -> dict[str, str]:
    first = numbered("original", contest.ruleset.data.numbers[0])
    own = team_file(team, first) if team else f"{in_files(NO_TEAM)}_{first}.csv"
    names = {
        "original": download_name(contest, own),
        "schema": download_name(contest, "schema.toml"),
        "targets": f"{contest.slug}-targets.zip",
        "team": in_files(team.slug if team else NO_TEAM),
    }
    title = " ".join(contest.local_title.split())  # a further line of it could begin a cell of code
    shown = {"title": title, "wheel": wheel.file_name()}
    return shown | names | {f"{key}_code": repr(name) for key, name in names.items()}


def _columns(schema: Schema) -> dict[str, Any]:
    """The columns that the methods are shown on, as Python literals; empty where there is none."""
    texts = [column.name for column in schema.columns if not column.is_numeric]
    numbers = [column for column in schema.columns if column.is_numeric]
    numbers.sort(key=lambda column: column.role is not Role.QUASI_IDENTIFIER)
    return {
        "text": repr(texts[0]) if texts else "",
        "answer": repr(texts[-1]) if texts else "",
        "number": repr(numbers[0].name) if numbers else "",
        "amount": repr(numbers[-1].name) if numbers else "",
    }


def _ipynb(text: str) -> dict[str, Any]:
    """The cells of a text in the notebook format 4.5."""
    _before, *parts = CELL.split(text)
    cells: list[dict[str, Any]] = []
    for kind, source in zip(parts[::2], parts[1::2], strict=True):
        cell: dict[str, Any] = {"cell_type": kind, "id": f"cell-{len(cells) + 1}", "metadata": {}}
        if kind == "code":
            cell |= {"execution_count": None, "outputs": []}
        cells.append(cell | {"source": source.strip().splitlines(keepends=True)})
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {
        "cells": cells,
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
