# SPDX-License-Identifier: Apache-2.0
"""A TOML table read key by key; every problem is collected under the full name of its key."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeVar

from scoring.errors import Collector, Problem, ProblemsFound, shorten

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from scoring.options import Option

T = TypeVar("T")
LANGUAGES = ("en", "ja")
SHORT_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,29}")
PLUGIN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,49}")
"""Identifiers of plugins."""


class Document:
    """One table of a TOML file.

    A reader asks for the keys it knows and then calls `close`, which reports the keys that nobody
    asked for. A value that is missing or wrong is reported and replaced by a harmless one, so that
    the reading goes on and finds the other problems too.
    """

    def __init__(
        self,
        values: dict[str, Any],
        problems: Collector,
        path: str = "",
        *,
        absent: list[str] | None = None,
    ) -> None:
        self.absent = absent
        """Names that no installed package has, which are noted here and accepted; None where they are refused."""
        self._values = values
        self._problems = problems
        self._path = path
        self._known: list[str] = []
        self._children: list[Document] = []

    def name(self, key: str) -> str:
        return f"{self._path}.{key}" if self._path else key

    def wrong(self, key: str, expected: str, got: object) -> None:
        self._add("toml.wrong_value", key, expected, got=shorten(got))

    def has(self, key: str) -> bool:
        """True if the key is set; asking makes it a known one."""
        self._known.append(key)
        return key in self._values

    def text(self, key: str) -> str:
        value = self._take(key, "a text")
        if isinstance(value, str) and value.strip():
            return value
        return self._replaced(key, "a text", value, "")

    def short_name(self, key: str) -> str:
        expected = "a name of at most 30 letters, digits, hyphens and underscores"
        value = self._take(key, expected)
        if isinstance(value, str) and SHORT_NAME.fullmatch(value):
            return value
        return self._replaced(key, expected, value, "")

    def choice(
        self,
        key: str,
        choices: Collection[str],
        *,
        former: str = "",
        refused: Mapping[str, str] | None = None,
        may_be_absent: bool = False,
    ) -> str:
        """One of the choices; `former` is another name of the first of them, which is no longer offered.

        `refused` are names that are known and do not fit, each with what is expected in place of it. A name that
        `may_be_absent` is accepted and noted where the document takes absent ones.
        """
        expected = _one_of(choices)
        value = self._take(key, expected)
        if former and value == former:
            return next(iter(choices))
        is_other = isinstance(value, str) and value not in choices
        if may_be_absent and is_other and self._is_absent(value):
            return str(value)
        if refused and isinstance(value, str) and value in refused:
            expected = refused[value]
        if isinstance(value, str) and value in choices:
            return value
        return self._replaced(key, expected, value, "")

    def choices(
        self,
        key: str,
        choices: Collection[str],
        *,
        empty: bool = False,
        refused: Mapping[str, str] | None = None,
        may_be_absent: bool = False,
    ) -> tuple[str, ...]:
        """Different names out of the choices; `refused` and `may_be_absent` as in `choice`."""
        expected = f"a list of different names out of: {', '.join(choices)}"
        value = self._take(key, expected)
        if (
            may_be_absent
            and isinstance(value, list)
            and value
            and _distinct_texts(value)
            and all(name in choices or self._is_absent(name) for name in value)
        ):
            return tuple(value)
        if refused and isinstance(value, list) and _distinct_names(value, (*choices, *refused)):
            for name in (name for name in value if name in refused):
                self.wrong(key, refused[name], name)
            return tuple(name for name in value if name not in refused)
        if isinstance(value, list) and (value or empty) and _distinct_names(value, choices):
            return tuple(value)
        if isinstance(value, list) and value and _distinct_texts(value):
            value = [name for name in value if name not in choices]  # those at fault
        return self._replaced(key, expected, value, tuple[str, ...]())

    def _is_absent(self, name: object) -> bool:
        """Note a name that may be a plugin's; False for others, and where absent names are refused."""
        if self.absent is None or not (isinstance(name, str) and PLUGIN_NAME.fullmatch(name)):
            return False
        self.absent.append(name)
        return True

    def names(self, key: str) -> tuple[str, ...]:
        """One text or more, all different."""
        expected = "a list of different names"
        value = self._take(key, expected)
        if isinstance(value, list) and value and _distinct_texts(value):
            return tuple(value)
        return self._replaced(key, expected, value, tuple[str, ...]())

    def integer(self, key: str, low: int, high: int) -> int:
        expected = f"a whole number from {low} to {high}"
        value = self._take(key, expected)
        if isinstance(value, int) and not isinstance(value, bool) and low <= value <= high:
            return value
        return self._replaced(key, expected, value, low)

    def number(self, key: str, low: float, high: float) -> float:
        expected = f"a number from {low:g} to {high:g}"
        value = self._take(key, expected)
        if isinstance(value, int | float) and not isinstance(value, bool) and low <= value <= high:
            return float(value)
        return self._replaced(key, expected, value, low)

    def ascending(self, key: str, low: float, high: float) -> tuple[float, ...]:
        """Three numbers or more, each above the one before."""
        expected = f"three or more ascending numbers from {low:g} to {high:g}"
        value = self._take(key, expected)
        if (
            isinstance(value, list)
            and len(value) > 2
            and all(isinstance(v, int | float) and not isinstance(v, bool) for v in value)
            and low <= value[0]
            and value[-1] <= high
            and all(a < b for a, b in pairwise(value))
        ):
            return tuple(map(float, value))
        return self._replaced(key, expected, value, tuple[float, ...]())

    def accepted(self, key: str, option: Option) -> Any:
        """A value that the option takes; None for another."""
        value = self._take(key, option.expected)
        return value if option.accepts(value) else self._replaced(key, option.expected, value, None)

    def boolean(self, key: str) -> bool:
        value = self._take(key, "true or false")
        if isinstance(value, bool):
            return value
        return self._replaced(key, "true or false", value, False)

    def translated(self, key: str) -> dict[str, str]:
        words = self.table(key)
        return {language: words.text(language).strip() for language in LANGUAGES}

    def table(self, key: str) -> Document:
        value = self._take(key, "a table")
        if not isinstance(value, dict):
            self._replaced(key, "a table", value, None)
            return self._silent(key)
        return self._child(value, self.name(key))

    def tables(self, key: str) -> list[Document]:
        expected = "one table or more, each under [[…]]"
        value = self._take(key, expected)
        if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
            return [self._child(v, f"{self.name(key)}[{i}]") for i, v in enumerate(value, start=1)]
        return self._replaced(key, expected, value, list[Document]())

    def is_table(self, key: str) -> bool:
        return isinstance(self._values.get(key), dict)

    def parsed(self, key: str, parse: Callable[[Mapping[str, Any]], T]) -> T | None:
        """A table that another reader understands; its problems are reported under this key."""
        value = self._take(key, "a table")
        return self.adopted(key, lambda: parse(value))

    def adopted(self, key: str, read: Callable[[], T]) -> T | None:
        """The result of `read`; its problems are reported under this key."""
        try:
            return read()
        except ProblemsFound as found:
            problems = [self._adopted(key, problem) for problem in found.problems]
            self._problems.extend(problems, found.n_total)
            return None

    def _adopted(self, key: str, problem: Problem) -> Problem:
        name = self.name(key)
        if "key" not in problem.params:
            return replace(problem, file=f"ruleset, {name}")
        params = {**problem.params, "key": f"{name}.{problem.params['key']}"}
        return replace(problem, params=params, file="ruleset")

    def give_up(self) -> None:
        """Take every key as known: nothing more can be said about this table."""
        self._known.extend(self._values)

    def close(self) -> None:
        for key in self._values:
            if key not in self._known:
                self._add("toml.unknown_key", key, ", ".join(dict.fromkeys(self._known)))
        for child in self._children:
            child.close()

    def _add(self, code: str, key: str, expected: str, got: str | None = None) -> None:
        params = {"key": self.name(key), "expected": expected}
        if got is not None:
            params["got"] = got
        self._problems.extend([Problem(code, params, file="ruleset")])

    def _silent(self, key: str) -> Document:
        """An empty stand-in for a missing table: its keys are not reported one by one as well."""
        return Document({}, Collector(), self.name(key), absent=self.absent)

    def _child(self, values: dict[str, Any], path: str) -> Document:
        child = Document(values, self._problems, path, absent=self.absent)
        self._children.append(child)
        return child

    def _take(self, key: str, expected: str) -> Any:
        self._known.append(key)
        if key not in self._values:
            self._add("toml.missing_key", key, expected)
        return self._values.get(key)

    def _replaced(self, key: str, expected: str, got: object, replacement: T) -> T:
        if key in self._values:
            self.wrong(key, expected, got)
        return replacement


def _distinct_names(value: list[Any], choices: Collection[str]) -> bool:
    return _distinct_texts(value) and set(value) <= set(choices)


def _distinct_texts(value: list[Any]) -> bool:
    return all(isinstance(v, str) and v for v in value) and len(set(value)) == len(value)


def _one_of(choices: Collection[str]) -> str:
    return "one of: " + ", ".join(choices)
