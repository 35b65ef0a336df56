# SPDX-License-Identifier: Apache-2.0
"""Rulesets with other columns, as texts: comments and everything else stay."""

from __future__ import annotations

import json
import re
import tomllib
from typing import TYPE_CHECKING, Any

import tomli_w

if TYPE_CHECKING:
    from collections.abc import Sequence

_SCHEMA = re.compile(r"\s*schema\s*=")


def with_disclosure(
    text: str, columns: Sequence[str], target: Sequence[str], *, keeps_schema: bool
) -> str:
    """The ruleset with other disclosed columns and another target.

    Parameters
    ----------
    text
        A ruleset of a hidden table.
    columns, target
        Names of columns; the target is a part of the columns.
    keeps_schema
        Whether `data.schema`, by which the columns are checked, stays.

    Returns
    -------
    str
        TOML. Comments are lost in the table `disclosure`, and everywhere if its keys are written in an unusual
        way, such as `disclosure.columns = [...]`.

    Examples
    --------
    >>> rules = '[data]\\ntables = "hidden"  # stays\\nschema = "households"\\n\\n[disclosure]\\ncolumns = ["a"]\\n'
    >>> print(with_disclosure(rules, ["job", "sex"], ["sex"], keeps_schema=False))
    [data]
    tables = "hidden"  # stays
    <BLANKLINE>
    [disclosure]
    columns = ["job", "sex"]
    target = ["sex"]
    <BLANKLINE>
    """
    wanted = tomllib.loads(text)
    chosen = {"columns": list(columns), "target": list(target)}
    wanted["disclosure"] = wanted.get("disclosure", {}) | chosen
    if not keeps_schema:
        wanted.get("data", {}).pop("schema", None)
    edited = _edited(text, wanted["disclosure"], keeps_schema=keeps_schema)
    return edited if _parsed(edited) == wanted else tomli_w.dumps(wanted)


def _edited(text: str, disclosure: dict[str, Any], *, keeps_schema: bool) -> str:
    keys = "".join(
        f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in disclosure.items()
    )
    lines = re.split(r"(?<=\n)", text)
    if (section := _section(lines, "disclosure")) is not None:
        first, end = section
        while end > first + 1 and _is_blank(lines[end - 1]):  # comments before the next table
            end -= 1
        lines[first:end] = [f"[disclosure]\n{keys}"]
    if not keeps_schema and (section := _section(lines, "data")) is not None:
        kept = [line for line in lines[slice(*section)] if not _SCHEMA.match(line)]
        lines[slice(*section)] = kept
    return "".join(lines)


def _section(lines: Sequence[str], name: str) -> tuple[int, int] | None:
    """The lines of a table, from its header to the next one."""
    header = f"[{name}]"
    first = next((place for place, line in enumerate(lines) if line.startswith(header)), None)
    if first is None:
        return None
    others = range(first + 1, len(lines))
    return first, next((n for n in others if lines[n].lstrip().startswith("[")), len(lines))


def _is_blank(line: str) -> bool:
    return line.strip() == "" or line.lstrip().startswith("#")


def _parsed(text: str) -> dict[str, Any] | None:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None
