# SPDX-License-Identifier: Apache-2.0
"""Files of generalization hierarchies, read strictly: `attr_depth.json` of the lecture's contest."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from typing import Any

from scoring.errors import Collector, Problem, ProblemsFound, shorten
from scoring.errors import gettext_noop as _
from scoring.tables.schema import Column, Schema
from scoring.tables.text import MAX_CATEGORY, UTF8_BOM

HIERARCHY_FILE = "hierarchy"
"""The name of the file in problems: the option that names it."""
Source = Mapping[str, Any] | str | Path
"""What a file of hierarchies holds, or its path; an empty text where there is no file."""
_LABEL = _("a text of printable characters, at most a thousand")


@dataclass(frozen=True, slots=True)
class Definition:
    """The part of a file about one column: labels of categories or thresholds of numbers, by depth."""

    labels: tuple[Mapping[str, str], ...] = ()
    thresholds: tuple[tuple[float, ...], ...] = ()


def content_of(source: Source) -> Mapping[str, Any]:
    """What a file of hierarchies holds: of a path the JSON object in the file.

    Raises
    ------
    ProblemsFound
        There is no such file, it holds no JSON object, or a key stands twice in an object.

    Examples
    --------
    >>> content_of({"age": {}}), content_of("")
    ({'age': {}}, {})
    """
    if isinstance(source, Mapping):
        return source
    if source == "":
        return {}
    content = read_object(source)
    if content is None:
        got = {"got": shorten(str(source))}
        raise ProblemsFound([Problem("hierarchy.unreadable", got, HIERARCHY_FILE)])
    return content


def read_object(path: str | Path) -> dict[str, Any] | None:
    """The object in a JSON file; None where there is none, or a key stands twice in an object."""
    try:
        return object_in(Path(path).read_bytes())
    except (OSError, ValueError):  # no name of a file holds a zero byte
        return None


def object_in(data: bytes) -> dict[str, Any] | None:
    """The object of a JSON text, None where it is none, a key stands twice in an object, or half a character stands
    by itself, which JSON can write and no file or page can hold."""
    try:
        content = json.loads(data, object_pairs_hook=_once)
        json.dumps(content, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        return None
    return content if isinstance(content, dict) else None


def content_in(data: bytes, name: str) -> dict[str, Any]:
    """The content of an uploaded file of hierarchies.

    Raises
    ------
    ProblemsFound
        It is no JSON object, or a key stands twice in an object.
    """
    content = object_in(data.removeprefix(UTF8_BOM))
    if content is None:
        raise ProblemsFound(
            [Problem("hierarchy.unreadable", {"got": shorten(name)}, HIERARCHY_FILE)]
        )
    return content


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands twice")
    return found


def read_definitions(content: Mapping[str, Any], schema: Schema) -> dict[str, Definition]:
    """The content of a file of hierarchies, column by column.

    Raises
    ------
    ProblemsFound
        All problems of the content.
    """
    problems = Collector()
    found = _definitions(content, schema, problems)
    problems.raise_if_any()
    return found


def _definitions(
    content: Mapping[str, Any], schema: Schema, problems: Collector
) -> dict[str, Definition]:
    known = {column.name: column for column in schema.columns}
    found = {}
    for name, entry in content.items():
        if name not in known:
            expected = ", ".join(known)
            problems.add(
                "hierarchy.unknown_column", file=HIERARCHY_FILE, expected=expected, got=name
            )
        elif not isinstance(entry, Mapping):
            _wrong(problems, name, name, _("an object"), entry)
        else:
            found[name] = _definition(known[name], entry, problems)
    return found


def check_definitions(
    content: Mapping[str, Any],
    schema: Schema,
    occurring: Mapping[str, Iterable[str]] = MappingProxyType({}),
) -> dict[str, Definition]:
    """The content of a file that covers a table's columns, for everybody who works with this table.

    `occurring` has the values of categories that the schema does not list.

    Raises
    ------
    ProblemsFound
        All problems: those of `read_definitions`, values without an entry, depths that are not nested.

    Examples
    --------
    >>> from scoring.tables.schema import Kind, Role
    >>> city = Column("city", Role.QUASI_IDENTIFIER, Kind.CATEGORY, values=("Kyoto", "Nara"))
    >>> content = {"city": {"type": "category", "definition": {"Kyoto": {"depth_1": "Kinki"}}}}
    >>> check_definitions(content, Schema((city,)))
    Traceback (most recent call last):
    scoring.errors.ProblemsFound: hierarchy, column city — a value of the column has no entry — expected \
one for every value that occurs — got “Nara”
    """
    problems = Collector()
    found = _definitions(content, schema, problems)
    incomplete = {problem.column for problem in problems.problems}
    for name, definition in found.items():
        column = schema.column(name)
        if definition.labels:
            listed = column.values if column.values is not None else occurring.get(name, ())
            for value in dict.fromkeys(listed):
                # One with some of the depths is a problem of its keys already.
                if not any(value in depth for depth in definition.labels):
                    got = shorten(value)
                    problems.add(
                        "hierarchy.missing_value", file=HIERARCHY_FILE, column=name, got=got
                    )
        for finer, coarser in () if name in incomplete else _crossing(definition):
            got = f"{_noun(column)}_{finer}, {_noun(column)}_{coarser}"
            problems.add("hierarchy.not_nested", file=HIERARCHY_FILE, column=name, got=got)
    problems.raise_if_any()
    return found


def _noun(column: Column) -> str:
    return "threshold" if column.is_numeric else "depth"


def _crossing(definition: Definition) -> list[tuple[int, int]]:
    """The pairs of neighbouring depths, from fine to coarse, of which one is not within the other."""
    order = from_fine(definition)
    return [(a, b) for a, b in pairwise(order) if not _is_within(definition, a, b)]


def _is_within(definition: Definition, finer: int, coarser: int) -> bool:
    if definition.thresholds:
        return set(definition.thresholds[coarser - 1]) <= set(definition.thresholds[finer - 1])
    fine, coarse = definition.labels[finer - 1], definition.labels[coarser - 1]
    pairs = {(fine[value], coarse[value]) for value in fine.keys() & coarse.keys()}
    return len(pairs) == len({label for label, _above in pairs})


def from_fine(definition: Definition) -> list[int]:
    """The depths of a definition, counted from 1, the one with the most groups first.

    Examples
    --------
    >>> from_fine(Definition(thresholds=((30,), (20, 30, 40))))
    [2, 1]
    """
    if definition.thresholds:
        sizes = [len(cuts) for cuts in definition.thresholds]
    else:
        sizes = [len(set(depth.values())) for depth in definition.labels]
    return sorted(range(1, len(sizes) + 1), key=lambda depth: -sizes[depth - 1])


def _definition(column: Column, entry: Mapping[str, Any], problems: Collector) -> Definition:
    kind = "numeric" if column.is_numeric else "category"
    if "type" not in entry:
        _missing(problems, column.name, "type", kind)
    elif entry["type"] != kind:
        _wrong(problems, column.name, "type", kind, entry["type"])
    rest = {key: value for key, value in entry.items() if key != "type"}
    if column.is_numeric:
        return Definition(thresholds=_thresholds(column.name, rest, problems))
    for key in rest:
        if key != "definition":
            _unknown(problems, column.name, key, "type, definition")
    values = rest.get("definition")
    if "definition" not in rest:
        _missing(problems, column.name, "definition", _("an object by value"))
    elif not isinstance(values, Mapping) or not values:
        _wrong(problems, column.name, "definition", _("an object by value"), values)
    else:
        return Definition(labels=_labels(column.name, values, problems))
    return Definition()


def _thresholds(
    name: str, entry: Mapping[str, Any], problems: Collector
) -> tuple[tuple[float, ...], ...]:
    found = []
    keys = _keys("threshold", _deepest("threshold", [entry]))
    for key in _depths(name, entry, keys, problems):
        numbers = _numbers(entry[key])
        if numbers is None:
            expected = _("numbers in ascending order with / between them")
            _wrong(problems, name, key, expected, entry[key])
        else:
            found.append(numbers)
    return tuple(found)


def _numbers(text: object) -> tuple[float, ...] | None:
    if isinstance(text, bool) or not isinstance(text, str | int | float):
        return None
    try:
        numbers = tuple(float(part) for part in str(text).split("/"))
    except ValueError:
        return None
    ascending = all(a < b for a, b in pairwise(numbers))
    return numbers if ascending and all(map(math.isfinite, numbers)) else None


def _labels(
    name: str, values: Mapping[str, Any], problems: Collector
) -> tuple[Mapping[str, str], ...]:
    """The label of each value at each depth; all values have as many depths as the deepest."""
    entries = [entry for entry in values.values() if isinstance(entry, Mapping)]
    depths: list[dict[str, str]] = [{} for _ in range(_deepest("depth", entries))]
    keys = _keys("depth", len(depths))
    for value, entry in values.items():
        if not isinstance(entry, Mapping):
            _wrong(problems, name, value, _("an object with depth_1, depth_2 …"), entry)
            continue
        for key in _depths(name, entry, keys, problems, value):
            if _is_label(entry[key]):
                depths[int(key.removeprefix("depth_")) - 1][value] = entry[key]
            else:
                _wrong(problems, name, f"{value}.{key}", _LABEL, entry[key])
    return tuple(depths)


def _is_label(text: object) -> bool:
    return isinstance(text, str) and 0 < len(text) <= MAX_CATEGORY and text.isprintable()


def _deepest(noun: str, entries: Iterable[Mapping[str, Any]]) -> int:
    """The highest n for which an entry has a key noun_n, at least 1."""
    found = (re.fullmatch(rf"{noun}_([1-9][0-9]?)", key) for entry in entries for key in entry)
    return max((int(match[1]) for match in found if match), default=1)


def _keys(noun: str, n_depths: int) -> list[str]:
    return [f"{noun}_{i}" for i in range(1, n_depths + 1)]


def _depths(
    name: str,
    entry: Mapping[str, Any],
    keys: Sequence[str],
    problems: Collector,
    value: str | None = None,
) -> list[str]:
    """The keys of an entry that are there; the others are noted."""
    prefix = "" if value is None else f"{value}."
    for key in entry:
        if key not in keys:
            _unknown(problems, name, prefix + key, ", ".join(keys))
    missing = [key for key in keys if key not in entry]
    expected = _("one for every depth from 1 on") if value is None else _("one of every value")
    n_named = min(problems.n_left, len(missing))
    for key in missing[:n_named]:
        _missing(problems, name, prefix + key, expected)
    problems.extend((), n_total=len(missing) - n_named)
    return [key for key in keys if key in entry]


def _missing(problems: Collector, column: str, key: str, expected: str) -> None:
    params = {"key": shorten(key), "expected": expected}
    problems.extend([Problem("hierarchy.missing_key", params, HIERARCHY_FILE, None, column)])


def _unknown(problems: Collector, column: str, key: str, expected: str) -> None:
    params = {"key": shorten(key), "expected": expected}
    problems.extend([Problem("hierarchy.unknown_key", params, HIERARCHY_FILE, None, column)])


def _wrong(problems: Collector, column: str, key: str, expected: str, got: object) -> None:
    params = {"key": shorten(key), "expected": expected, "got": shorten(got)}
    problems.extend([Problem("hierarchy.wrong_value", params, HIERARCHY_FILE, None, column)])
