"""Rulesets with other columns, as texts: comments and everything else stay."""

from __future__ import annotations

import json
import re
import tomllib
from typing import TYPE_CHECKING, Any

import tomli_w

if TYPE_CHECKING:
    from collections.abc import Sequence

_SECTION = r"(?m)^\[{name}\][^\n]*\n(?:(?!\s*\[).*(?:\n|\Z))*"


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
    section = re.search(_SECTION.format(name="disclosure"), text)
    if section is not None:
        kept = re.search(
            r"(?m)(?:^[ \t]*(?:#.*)?\n)*\Z", section[0]
        )  # comments before the next table
        below = kept[0] if kept else ""
        text = f"{text[: section.start()]}[disclosure]\n{keys}{below}{text[section.end() :]}"
    if keeps_schema:
        return text
    data = re.search(_SECTION.format(name="data"), text)
    if data is None:
        return text
    less = re.sub(r"(?m)^\s*schema\s*=.*\n?", "", data[0], count=1)
    return text[: data.start()] + less + text[data.end() :]


def _parsed(text: str) -> dict[str, Any] | None:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None
