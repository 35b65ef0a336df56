# SPDX-License-Identifier: Apache-2.0
"""Rulesets of the library as data, to be changed by a test, and what is said of the outcome."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from typing import Any

import pytest
import tomli_w

from scoring.errors import Problem, ProblemsFound
from scoring.rulesets import Ruleset, load_ruleset, parse_ruleset

Values = dict[str, Any]
Apply = Callable[[Values], object]


def values_of(name: str) -> Values:
    return tomllib.loads(load_ruleset(name).text)


def parsed(values: Values) -> Ruleset:
    return parse_ruleset(tomli_w.dumps(values))


def problem_list(values: Values) -> tuple[Problem, ...]:
    """The problems of a ruleset that is refused."""
    with pytest.raises(ProblemsFound) as found:
        parsed(values)
    assert {problem.file for problem in found.value.problems} == {"ruleset"}
    return found.value.problems


def problems_of(values: Values) -> list[tuple[str, object, object]]:
    """Code, key and what was found of every problem of a ruleset that is refused."""
    return [(p.code, p.params.get("key"), p.params.get("got")) for p in problem_list(values)]


def message_of(values: Values) -> str:
    """The message of the only problem of a ruleset that is refused."""
    [problem] = problem_list(values)
    return problem.message


def change(path: list[str | int], value: object) -> Apply:
    """Set the value at a path."""

    def apply(values: Any) -> None:
        *parents, last = path
        for key in parents:
            values = values[key]
        values[last] = value

    return apply


def drop(path: list[str | int]) -> Apply:
    """Take away the value at a path."""

    def apply(values: Any) -> None:
        *parents, last = path
        for key in parents:
            values = values[key]
        del values[last]

    return apply


def measure(values, ids):
    """Let a ruleset have only these measures, as a list, and no gate."""
    for key in ("measure", "gate"):
        values["scoring"].pop(key, None)
    values["scoring"]["measures"] = list(ids)
    return values
