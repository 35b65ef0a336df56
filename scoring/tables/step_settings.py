# SPDX-License-Identifier: Apache-2.0
"""Steps in short, as a command line names them: `drop=name,email`, `round=cost:2`, `sample=1000`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from scoring.errors import Problem, ProblemsFound, shorten
from scoring.tables.preparing import FILE, STEPS, Steps
from scoring.tables.raw_files import Reading

READ_KEYS = tuple(field.name for field in fields(Reading))


def add_settings(steps: Steps, texts: Sequence[str]) -> Steps:
    """The steps, and those that are named in short after them.

    A text is `key=value` of the way of reading (`encoding`, `separator`, `sheet`, `header`), or `step=value`, where the
    values of the step's fields are in their order with colons between them, and lists have commas; `*` is all columns.
    A colon or a comma in a name needs a file of steps.

    Raises
    ------
    ProblemsFound
        Where a text names no step, or a value is wrong.

    Examples
    --------
    >>> steps = add_settings(Steps(), ["encoding=cp932", "drop=name,email", "round=cost:2"])
    >>> steps.reading.encoding, steps.steps[1]
    ('cp932', {'do': 'round', 'columns': ['cost'], 'decimals': 2})
    """
    data = steps.to_dict()
    for text in texts:
        key, equals, value = text.partition("=")
        if equals and key in READ_KEYS:
            data.setdefault("read", {})[key] = _number(value) if key == "header" else value
        elif equals and key in STEPS:
            data["step"].append(_step(key, value))
        else:
            expected = ", ".join((*READ_KEYS, *STEPS))
            params: dict[str, str | int | float] = {"expected": expected, "got": shorten(text)}
            raise ProblemsFound(
                [Problem("step.unknown", params | {"n": len(data["step"]) + 1}, FILE)]
            )
    return Steps.from_dict(data)


def _step(do: str, text: str) -> dict[str, Any]:
    step: dict[str, Any] = {"do": do}
    given = text.split(":", maxsplit=len(STEPS[do].fields) - 1)
    for field, value in zip(STEPS[do].fields, given, strict=False):
        if field.kind in ("columns", "texts"):
            is_all = field.kind == "columns" and value == "*" and not field.is_required
            step[field.name] = [] if is_all else [item for item in value.split(",") if item]
        elif field.kind == "integer":
            step[field.name] = _number(value)
        elif value:
            step[field.name] = value
    return step


def _number(text: str) -> int | str:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else text
