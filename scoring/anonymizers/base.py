"""What an anonymizer is: a pure function from a table to a table, and its options."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from scoring.errors import Problem, ProblemsFound, shorten

Value = str | int | float | tuple[str, ...]
OptionKind = Literal["integer", "number", "columns", "text"]


@dataclass(frozen=True, slots=True)
class Anonymized:
    """An anonymized table and, for each of its records, the original record it was made from.

    `source` is int64, 0-based, without repeats: what the team declares in its row-number file.
    """

    table: pd.DataFrame
    source: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Option:
    """A setting of an anonymizer. `low` and `high` bound numbers, `choices` texts."""

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
        noun = "an integer" if self.kind == "integer" else "a number"
        if math.isinf(self.high):
            return f"{noun} of at least {self.low:g}"
        return f"{noun} from {self.low:g} to {self.high:g}"

    def parse(self, text: str) -> Value | None:
        """The value that a text on the command line means; None where it means none."""
        if self.kind == "columns":
            names = tuple(name.strip() for name in text.split(","))
            return names if all(names) else None
        if self.kind == "text":
            return text
        try:
            return int(text) if self.kind == "integer" else float(text)
        except ValueError:
            return None

    def accepts(self, value: Value) -> bool:
        """Whether a value is of the option's kind and within its bounds."""
        if self.kind == "columns":
            return isinstance(value, tuple | list) and all(isinstance(v, str) for v in value)
        if self.kind == "text":
            return isinstance(value, str) and (not self.choices or value in self.choices)
        kinds = (int,) if self.kind == "integer" else (int, float)
        if not isinstance(value, kinds) or isinstance(value, bool):
            return False
        return math.isfinite(value) and self.low <= value <= self.high


@dataclass(frozen=True, slots=True)
class Anonymizer:
    """A registered anonymizer: `function(table, schema, *, rng, **options) -> Anonymized`."""

    id: str
    title: str
    function: Callable[..., Anonymized]
    options: tuple[Option, ...] = ()

    @property
    def description(self) -> str:
        return self.function.__doc__ or ""

    def option(self, name: str) -> Option | None:
        return next((option for option in self.options if option.name == name), None)

    def problems(self, values: Mapping[str, Value]) -> list[Problem]:
        """What is wrong with these options: unknown names and values out of bounds."""
        found = []
        for name, value in values.items():
            option = self.option(name)
            if option is None:
                found.append(unknown_option(name, [o.name for o in self.options], self.id))
            elif not option.accepts(value):
                found.append(wrong_value(self.id, name, option.expected, value))
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


def untouched(table: pd.DataFrame) -> NDArray[np.int64]:
    """The source of a table whose records all stayed in their places."""
    return np.arange(len(table), dtype=np.int64)
