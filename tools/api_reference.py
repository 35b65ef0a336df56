# SPDX-License-Identifier: Apache-2.0
"""Writes the operations in docs/reference/api.md from the API's description: `python -m tools.api_reference`."""

from __future__ import annotations

import os
from itertools import groupby
from pathlib import Path
from typing import Any

TARGET = Path(__file__).resolve().parent.parent / "docs" / "reference" / "api.md"
BEGIN, END = "<!-- written by tools.api_reference -->\n", "<!-- end -->\n"
JSON = "application/json"


def operations(document: dict[str, Any]) -> list[tuple[str, str, str, dict[str, Any]]]:
    """Tag, method, path and description of every operation, in the order of the document."""
    return [
        (operation["tags"][0], method.upper(), path, operation)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    ]


def tables(document: dict[str, Any]) -> str:
    """A table of operations for every tag."""
    parts = []
    for tag, found in groupby(operations(document), key=lambda one: one[0]):
        rows = [_row(method, path, operation) for _tag, method, path, operation in found]
        head = ["| request | what it does | scope | body | answer |", "|---|---|---|---|---|"]
        parts.append("\n".join([f"### {tag.capitalize()}", "", *head, *rows, ""]))
    return "\n".join(parts)


def _row(method: str, path: str, operation: dict[str, Any]) -> str:
    (scopes,) = operation["security"]
    (scope,) = next(iter(scopes.values()))
    body = _types(operation.get("requestBody", {}).get("content", {}))
    status, answer = next(
        (status, one) for status, one in operation["responses"].items() if status < 400
    )
    shown = _types(answer.get("content", {})) or "nothing"
    answer_of = f"{status}: {shown}" if status != 200 else shown
    request = f"`{method} {path.removeprefix('/api/v1')}`"
    return f"| {request} | {operation['summary']} | {scope} | {body} | {answer_of} |"


def _types(content: dict[str, Any]) -> str:
    """The media types; JSON by the name of its schema."""
    return ", ".join(
        f"`{kind}`" if kind != JSON or "format" in one["schema"] else _schema(one["schema"])
        for kind, one in content.items()
    )


def _schema(schema: dict[str, Any]) -> str:
    if "items" in schema:
        return f"list of {_schema(schema['items'])}"
    name = schema.get("$ref", "").rpartition("/")[2] or schema.get("title", "JSON")
    return f"`{name}`"


def rewritten(page: str, document: dict[str, Any]) -> str:
    """The page with the tables between its two markers, up to date."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise ValueError(f"expected {BEGIN!r} and later {END!r}")
    return f"{before}{BEGIN}\n{tables(document)}\n{END}{after}"


if __name__ == "__main__":
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "pwscup.settings")
    django.setup()
    from pwscup.api.views import document

    written = TARGET.read_text(encoding="utf-8")
    TARGET.write_text(rewritten(written, document()), encoding="utf-8")
