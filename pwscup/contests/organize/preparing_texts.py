# SPDX-License-Identifier: Apache-2.0
"""Texts of the page Prepare: steps and their effect, columns, and the records that quasi-identifiers find."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from pwscup.core.texts import problems
from pwscup.core.texts.parts import listed as listed_in_line
from scoring.errors import Problem

if TYPE_CHECKING:
    from scoring.tables.preparing import Step
    from scoring.tables.raw_files import Reading
    from scoring.tables.schema import Role

N_NAMES = 6
HEIGHT, WIDTH = 36, 150


@dataclass(frozen=True, slots=True)
class StepRow:
    """A step as the page lists it; `effect` is nothing where it does not fit, then there are problems."""

    number: int
    title: str
    facts: tuple[tuple[str, str], ...]
    effect: str
    left: str
    size: str
    examples: tuple[Mapping[str, Any], ...]
    problems: tuple[str, ...]
    is_first: bool
    is_last: bool


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar of a histogram: its place and size in the picture, its label and its records."""

    x: float
    y: float
    width: float
    height: float
    label: str
    n: int


@dataclass(frozen=True, slots=True)
class ColumnCard:
    """A column as the page shows it; `role` is the chosen or guessed one of `roles`."""

    name: str
    role: str
    roles: tuple[tuple[str, Any], ...]
    is_guess: bool
    n_distinct: int
    n_missing: int
    share_missing: float
    examples: str
    bars: tuple[Bar, ...]


def n(number: int) -> str:
    """A number with separators of thousands."""
    return number_format(number, force_grouping=True)


def reading(found: Reading, sheets: Sequence[str]) -> str:
    """The way in which the file was read, in one line."""
    from pwscup.contests.forms.preparing import ENCODING_TITLES, SEPARATOR_TITLES

    line = _("column names in line %(n)d") % {"n": found.header}
    if sheets:
        return " · ".join([_("sheet “%(name)s”") % {"name": found.sheet}, line])
    encoding = ENCODING_TITLES.get(found.encoding, found.encoding.upper())
    separator = _("separator: %(name)s") % {"name": SEPARATOR_TITLES[found.separator]}
    return " · ".join([_("encoding: %(name)s") % {"name": encoding}, separator, line])


def steps(listed: Sequence[Step], outcomes: Sequence[Mapping[str, Any]]) -> list[StepRow]:
    """All steps with their effect."""
    from pwscup.contests.forms.preparing import STEP_TITLES

    return [
        StepRow(
            number=at,
            title=str(STEP_TITLES[step["do"]]),
            facts=tuple(_facts(step)),
            effect=_effect(step, outcome),
            left=_left(outcome),
            size=_size(outcome),
            examples=tuple(outcome.get("examples", ())),
            problems=tuple(_problems(outcome)),
            is_first=at == 1,
            is_last=at == len(listed),
        )
        for at, (step, outcome) in enumerate(zip(listed, outcomes, strict=True), start=1)
    ]


def _facts(step: Step) -> Iterator[tuple[str, str]]:
    """The fields of a step as labels and values; what applies only elsewhere is left out."""
    from pwscup.contests.forms.preparing import CHOICES, LABELS

    for key, value in step.items():
        if key == "do" or (key == "label" and step.get("how", "category") != "category"):
            continue
        if isinstance(value, list | tuple):
            names = [str(one) for one in value]
            more = f" + {len(names) - N_NAMES}" if len(names) > N_NAMES else ""
            shown = listed_in_line(names[:N_NAMES]) + more if names else _("all columns")
        else:
            shown = str(CHOICES.get((key, value), value))
        yield str(LABELS[key]), shown


def _effect(step: Step, outcome: Mapping[str, Any]) -> str:
    if "problems" in outcome:
        return ""
    count = outcome["n"]
    numbers = {"n": n(count)}
    if outcome["unit"] == "records":
        return ngettext("%(n)s record left out", "%(n)s records left out", count) % numbers
    if outcome["unit"] == "cells":
        return ngettext("%(n)s cell changed", "%(n)s cells changed", count) % numbers
    if step["do"] == "rename":
        return _("renamed")
    return ngettext("%(n)s column left out", "%(n)s columns left out", count) % numbers


def _left(outcome: Mapping[str, Any]) -> str:
    count = outcome.get("left", 0)
    if not count:
        return ""
    return ngettext(
        "%(n)s cell stays as it is: the step does not apply to it",
        "%(n)s cells stay as they are: the step does not apply to them",
        count,
    ) % {"n": n(count)}


def _size(outcome: Mapping[str, Any]) -> str:
    if "problems" in outcome:
        return ""
    return _("then %(records)s records, %(columns)s columns") % {
        "records": n(outcome["n_records"]),
        "columns": n(outcome["n_columns"]),
    }


def _problems(outcome: Mapping[str, Any]) -> Iterator[str]:
    for problem in outcome.get("problems", ()):
        yield " — ".join(problems.parts(Problem(**problem)))


def columns(seen: Mapping[str, Any], roles: Mapping[Role, Any]) -> list[ColumnCard]:
    """The columns after all steps."""
    choices = tuple((str(role), title) for role, title in roles.items())
    return [
        ColumnCard(
            name=column["name"],
            role=seen["roles"].get(column["name"], column["role"]),
            roles=choices,
            is_guess=column["name"] not in seen["roles"],
            n_distinct=column["n_distinct"],
            n_missing=column["n_missing"],
            share_missing=column["n_missing"] / seen["n_left"] if seen["n_left"] else 0,
            examples=listed_in_line(column["examples"]),
            bars=_bars(column["bars"]),
        )
        for column in seen["columns"]
    ]


def _bars(counted: Sequence[tuple[str, int]]) -> tuple[Bar, ...]:
    most = max((k for _label, k in counted), default=0)
    width = WIDTH / max(len(counted), 1)
    found = []
    for at, (label, k) in enumerate(counted):
        height = round(HEIGHT * k / most, 1) if most else 0.0
        shown = label or _("other values")
        found.append(
            Bar(
                round(at * width, 1),
                round(HEIGHT - height, 1),
                round(width - 1, 1),
                height,
                shown,
                k,
            )
        )
    return tuple(found)


def risk(found: Mapping[str, Any]) -> dict[str, Any]:
    """The records that the quasi-identifiers find."""
    total = found["n_records"]
    return {
        **found,
        "share": found["n_unique"] / total if total else 0,
        "crossed": listed_in_line(found["cross"]),
    }
