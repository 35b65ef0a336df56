# SPDX-License-Identifier: Apache-2.0
"""Whatever stands in the place of a value, a ruleset is read or refused with its problems."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest

from scoring.errors import ProblemsFound
from scoring.rulesets import loader
from tests.scoring.rulesets import parsed, values_of

JUNK = (
    0,
    -1,
    10**12,
    0.5,
    float("nan"),
    True,
    "",
    "nowhere",
    [],
    [1],
    [{}],
    ["LOSS"],
    {},
    {"en": 1},
)
REMOVED = object()
Path = tuple[str | int, ...]


def paths(value: Any, path: Path = ()) -> Iterator[Path]:
    """The way to every value of a document, tables and lists among them."""
    children = value.items() if isinstance(value, dict) else enumerate(value)
    for key, child in children:
        yield (*path, key)
        if isinstance(child, dict | list):
            yield from paths(child, (*path, key))


def broken(values: dict[str, Any], path: Path, junk: object) -> dict[str, Any]:
    """A copy with junk in the place of one value."""
    values = copy.deepcopy(values)
    holder: Any = values
    for key in path[:-1]:
        holder = holder[key]
    if junk is REMOVED:
        del holder[path[-1]]
    else:
        holder[path[-1]] = junk
    return values


@pytest.mark.parametrize("name", ["pwscup2015", "template"])
def test_junk_is_refused_by_problems_that_can_be_read(name, monkeypatch):
    """What TOML makes of a text is given to the reader as it is: writing and reading it takes the most time."""
    values = values_of(name)
    parsed(values)
    document: dict[str, Any] = {}
    monkeypatch.setattr(loader, "_toml", lambda _text: document)
    n_refused = 0
    for path in paths(values):
        for junk in (*JUNK, REMOVED):
            document = broken(values, path, junk)
            try:
                loader.parse_ruleset("")
            except ProblemsFound as found:
                n_refused += 1
                for problem in found.problems:
                    where = (problem.file, problem.params.get("key", ""))
                    assert where[1] or where[0] == "ruleset, data.schema", path
                    assert "expected" in problem.message
    assert n_refused > 10 * len(list(paths(values)))
