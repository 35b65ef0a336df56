# SPDX-License-Identifier: Apache-2.0
"""The settings of anonymizers and attackers: their kinds, bounds and problems."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from scoring.errors import Problem, ProblemsFound, shorten
from scoring.tables.hierarchy_files import read_object

Value = str | int | float | tuple[Any, ...] | Mapping[str, Any] | Path
"""Tuples hold names of columns, or numbers."""
OptionKind = Literal["integer", "number", "columns", "text", "integers", "numbers", "hierarchy"]

_NOUNS = {
    "integer": "an integer",
    "number": "a number",
    "integers": "integers with commas between them",
    "numbers": "numbers with commas between them",
}
_HIERARCHY = "a file of generalization hierarchies: JSON, an object by column, each key once"


@dataclass(frozen=True, slots=True)
class Option:
    """A setting of an anonymizer or an attacker. `low` and `high` bound numbers, `choices` texts.

    A `hierarchy` is a JSON file of generalization hierarchies: the command line names the file and
    reads it, a method takes its content or its path. A number or a hierarchy whose default is "" may be left
    out.
    """

    name: str
    kind: OptionKind
    default: Value
    doc: str
    low: float = 0
    high: float = math.inf
    choices: tuple[str, ...] = ()

    @property
    def expected(self) -> str:
        if self.kind == "columns":
            return "column names with commas between them"
        if self.kind == "text":
            return f"one of {', '.join(self.choices)}" if self.choices else "a text"
        if self.kind == "hierarchy":
            return _HIERARCHY
        noun = _NOUNS[self.kind]
        if math.isinf(self.low):
            return noun
        each = ", each" if self.kind in ("integers", "numbers") else ""
        if math.isinf(self.high):
            return f"{noun}{each} of at least {self.low:g}"
        return f"{noun}{each} from {self.low:g} to {self.high:g}"

    def parse(self, text: str) -> Value | None:
        """The value of a text on the command line; None if the text is not a value.

        The text of a hierarchy is the name of a file, which is read.
        """
        if self.kind == "text":
            return text
        if self.kind == "hierarchy":
            return read_object(text)
        items = tuple(item.strip() for item in text.split(","))
        if self.kind == "columns":
            return items if all(items) else None
        try:
            if self.kind == "integers":
                return tuple(map(int, items))
            if self.kind == "numbers":
                return tuple(map(float, items))
            return int(text) if self.kind == "integer" else float(text)
        except ValueError:
            return None

    def accepts(self, value: Value) -> bool:
        """True if a value is of the option's kind and within its bounds."""
        if self.kind == "columns":
            return isinstance(value, tuple | list) and all(isinstance(v, str) for v in value)
        if self.kind == "text":
            return isinstance(value, str) and (not self.choices or value in self.choices)
        if self.kind == "hierarchy" and value != "":
            return isinstance(value, Mapping | str | Path)
        if isinstance(value, str):
            return value == self.default == ""
        if self.kind in ("integers", "numbers"):
            return isinstance(value, tuple | list) and all(map(self._is_within, value))
        return self._is_within(value)

    def _is_within(self, value: object) -> bool:
        kinds = (int,) if self.kind in ("integer", "integers") else (int, float)
        if not isinstance(value, kinds) or isinstance(value, bool):
            return False
        # Integers have no infinity, and not all of them have a 64-bit float to ask for one.
        is_finite = isinstance(value, int) or math.isfinite(value)
        return is_finite and self.low <= value <= self.high


class Method:
    """Base of anonymizers and attackers: an identifier and options by name."""

    __slots__ = ()

    id: str
    options: tuple[Option, ...]

    def option(self, name: str) -> Option | None:
        """The option of that name."""
        return next((option for option in self.options if option.name == name), None)

    def problems(self, values: Mapping[str, Value]) -> list[Problem]:
        """The problems of these options: unknown names and values out of bounds."""
        found = []
        for name, value in values.items():
            option = self.option(name)
            if option is None:
                found.append(unknown_option(name, [o.name for o in self.options], self.id))
            elif not option.accepts(value):
                found.append(wrong_value(self.id, name, option.expected, value))
        return found


def having(
    steps: Sequence[tuple[Method, dict[str, Value]]], name: str, method: str | None = None
) -> list[tuple[Method, Option, dict[str, Value]]]:
    """The methods that have an option of this name, with the option and the values that each gets.

    Parameters
    ----------
    steps : sequence of pairs of Method and dict
        The methods of a chain, each with its values.
    name : str
    method : str, optional
        The identifier of the method that is meant; all by default.

    Raises
    ------
    ProblemsFound
        Where none of them has such an option.
    """
    meant = [(m, values) for m, values in steps if method in (None, m.id)]
    found = [(m, option, values) for m, values in meant if (option := m.option(name)) is not None]
    if not found:
        known = list(dict.fromkeys(option.name for m, _ in meant for option in m.options))
        methods = ", ".join(dict.fromkeys(m.id for m, _ in meant))
        raise ProblemsFound([unknown_option(name, known, methods)])
    return found


def unknown_option(name: str, known: list[str], method: str) -> Problem:
    """The problem that a method, or none of several, has an option of this name."""
    expected = ", ".join(known) or "no option"
    params = {"method": method, "option": shorten(name), "expected": expected}
    return Problem("option.unknown", params)


def wrong_value(method: str, option: str, expected: str, got: object) -> Problem:
    """The problem that an option's value cannot be used."""
    shown = ", ".join(map(str, got)) if isinstance(got, tuple | list) else str(got)
    params = {"method": method, "option": option, "expected": expected, "got": shorten(shown)}
    return Problem("option.wrong_value", params)


def refuse(method: str, option: str, expected: str, got: object) -> ProblemsFound:
    """The error of an option whose value does not fit the table at hand."""
    return ProblemsFound([wrong_value(method, option, expected, got)])
