# SPDX-License-Identifier: Apache-2.0
"""Output of a command: results on standard output, everything else on standard error."""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from pwscup.client.errors import ClientError, Problem
from pwscup.client.shown import Shown, printed

MAX_LISTED = 200


class Output:
    """Results as JSON, or as texts for people."""

    def __init__(self, *, as_json: bool) -> None:
        self.as_json = as_json

    def result(self, values: Any, text: str) -> None:
        """Print a result."""
        _print(json.dumps(plain(values), ensure_ascii=False, indent=2) if self.as_json else text)

    def shown(self, found: Shown, values: Any = None) -> None:
        """Print a title and a table."""
        columns, rows = found.cells()
        text = f"{found.title}\n\n{printed(columns, rows)}" if rows else found.title
        listed = [dict(zip(columns, row, strict=True)) for row in rows]
        self.result(listed if values is None else values, text)

    def failed(self, error: ClientError) -> None:
        """Print every problem."""
        problems = list(error.problems)
        if self.as_json:
            _print(
                json.dumps(
                    {"error": str(error), "problems": [plain(p.to_dict()) for p in problems]},
                    ensure_ascii=False,
                    indent=2,
                )
            )
        if len(problems) == 1 and not is_placed(problems[0]):
            self.note(f"error: {problems[0]}")
            return
        rows = [
            [p.file, p.row, p.column or p.field, f"{p.message}{p.hint}"]
            for p in problems[:MAX_LISTED]
        ]
        n = max(len(problems), getattr(error, "n_problems", 0))
        noun = "problem" if n == 1 else "problems"
        self.note(f"{n} {noun}\n\n{printed(['file', 'record', 'column', 'problem'], rows)}")

    def note(self, text: str) -> None:
        """A line on standard error."""
        sys.stderr.write(f"pwscup: {text}\n")
        sys.stderr.flush()


def is_placed(problem: Problem) -> bool:
    """True for a problem that is about a place in a file."""
    return any(one is not None for one in (problem.file, problem.row, problem.column))


def plain(value: Any) -> Any:
    """Results as values of JSON."""
    if isinstance(value, Problem):
        return plain(value.to_dict())
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {one.name: plain(getattr(value, one.name)) for one in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [plain(one) for one in value]
    return value


def _print(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()
