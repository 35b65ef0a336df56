# SPDX-License-Identifier: Apache-2.0
"""YAML from others, under limits: nothing of it is executed, and aliases cannot make much of little."""

from __future__ import annotations

from typing import Any

import yaml

from pwscup.archives.codabench.notes import BundleRefused, Note, Notes
from pwscup.archives.codabench.pages import clean

MAX_BYTES = 128 * 1024
MAX_DEPTH = 20
MAX_OPEN = 200
"""Brackets that are open at a time, texts included: the reader's time grows with their square."""
MAX_DIGITS = 50
"""Longer numbers are texts: to compute them would take seconds."""
MAX_VALUES = 20_000
NUMBERS = ("tag:yaml.org,2002:int", "tag:yaml.org,2002:float")
TEXT = "tag:yaml.org,2002:str"
MERGE = "tag:yaml.org,2002:merge"


def parsed(data: bytes, where: str, left_out: Notes | None = None) -> Any:
    """The values of a YAML file.

    Parameters
    ----------
    data : bytes
        At most `MAX_BYTES` of UTF-8 text.
    where : str
        The name of the file in problems.
    left_out : Notes, optional
        Gets the keys that stand twice, of which the last one counts.

    Raises
    ------
    BundleRefused
        Where it is no YAML, has more values or levels than the limits allow, or anything that a safe reader does not
        make.
    """
    if len(data) > MAX_BYTES:
        raise _refused("file_too_large", where, expected=f"{MAX_BYTES // 1024} KiB")
    text = decoded(data, where)
    if _n_open(text) > MAX_OPEN:
        raise _refused("yaml_deep", where, expected=str(MAX_DEPTH))
    try:
        loader = yaml.SafeLoader(text)
        node = loader.get_single_node()
        if node is None:
            return None
        _check(node, where, Notes() if left_out is None else left_out)
        return loader.construct_document(node)
    except RecursionError as error:
        raise _refused("yaml_deep", where, expected=str(MAX_DEPTH)) from error
    except (yaml.YAMLError, ValueError, OverflowError, TypeError, AttributeError) as error:
        raise _refused("yaml_syntax", where, got=_reason(error)) from error


def decoded(data: bytes, where: str) -> str:
    """The text of a file in UTF-8, with or without a byte order mark."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        got, at = f"{error.object[error.start]:02x}", str(error.start)
        raise _refused("not_utf8", where, got=got, at=at) from error


def _n_open(text: str) -> int:
    """The most brackets that are open at a time.

    >>> _n_open("a: [[1], {b: 2}]")
    2
    """
    depth = deepest = 0
    for letter in text:
        if letter in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif letter in "]}" and depth:
            depth -= 1
    return deepest


def _check(root: yaml.Node, where: str, left_out: Notes) -> None:
    """Refuse a document whose values, with those that aliases repeat, are too many, too deep or in a circle."""
    sizes: dict[int, int] = {}

    def size(node: yaml.Node, depth: int) -> int:
        if depth > MAX_DEPTH:
            raise _refused("yaml_deep", where, expected=str(MAX_DEPTH))
        if node.tag in NUMBERS and len(node.value) > MAX_DIGITS:
            node.tag = TEXT
        if id(node) not in sizes:
            _note_keys(node, where, left_out)
            sizes[id(node)] = 1 + sum(size(child, depth + 1) for child in _children(node))
        if sizes[id(node)] > MAX_VALUES:
            raise _refused("yaml_large", where, expected=f"{MAX_VALUES:,}")
        return sizes[id(node)]

    size(root, 0)


def _children(node: yaml.Node) -> list[yaml.Node]:
    if isinstance(node, yaml.MappingNode):
        return [part for pair in node.value for part in pair]
    return node.value if isinstance(node, yaml.SequenceNode) else []


def _note_keys(node: yaml.Node, where: str, left_out: Notes) -> None:
    """Of a key that stands twice the first value is silently lost: note it."""
    if not isinstance(node, yaml.MappingNode):
        return
    seen = set()
    for key, _value in node.value:
        if not isinstance(key, yaml.ScalarNode) or key.tag == MERGE:
            continue
        if key.value in seen:
            place = f"{where}, line {key.start_mark.line + 1}"
            left_out.add("yaml_twice", place, got=clean(key.value))
        seen.add(key.value)


def _reason(error: Exception) -> str:
    """The reader's own words, with the line."""
    place = getattr(error, "problem_mark", None)
    said = getattr(error, "problem", None) or getattr(error, "reason", None) or error
    line = f", line {place.line + 1}" if place is not None else ""
    return " ".join(f"{said}{line}".split())[:200]


def _refused(code: str, where: str, **params: str) -> BundleRefused:
    return BundleRefused([Note(code, where, params)])
