"""The settings of anonymizers and attackers: their kinds, bounds and problems."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from scoring.errors import Problem, ProblemsFound, shorten

Value = str | int | float | tuple[str, ...]
OptionKind = Literal["integer", "number", "columns", "text"]


@dataclass(frozen=True, slots=True)
class Option:
    """A setting of an anonymizer or an attacker. `low` and `high` bound numbers, `choices` texts."""

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


def option_problems(
    method: str, options: Sequence[Option], values: Mapping[str, Value]
) -> list[Problem]:
    """What is wrong with a method's settings: unknown names and values out of bounds."""
    by_name = {option.name: option for option in options}
    found = []
    for name, value in values.items():
        if name not in by_name:
            found.append(unknown_option(name, list(by_name), method))
        elif not by_name[name].accepts(value):
            found.append(wrong_value(method, name, by_name[name].expected, value))
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
