# SPDX-License-Identifier: Apache-2.0
"""Reads the section `[scoring.program]` of a ruleset: a program as scorer, its values and its messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scoring.errors import gettext_noop as _
from scoring.measures.catalog import OF_PROGRAMS, Measure
from scoring.registry import ALL_MEASURES
from scoring.rulesets.base import MeasureSpec, ProgramSpec
from scoring.rulesets.kinds import COHORT, COMMON, PER_TEAM

if TYPE_CHECKING:
    from scoring.rulesets.document import Document

DIRECTIONS = ("lower", "higher")
SCORED = (COMMON, PER_TEAM, COHORT)
"""Formats whose teams submit one table, which a program can score."""
HIGHEST = 1e12


def read_program(scoring: Document, tables: str) -> ProgramSpec | None:
    """The program of a ruleset; None where it names none."""
    if not scoring.has("program"):
        return None
    document = scoring.table("program")
    if tables and tables not in SCORED:
        expected = f"no program, as programs score anonymized tables and data.tables is {tables}"
        scoring.wrong("program", expected, "a table")
    name = document.short_name("name")
    items = document.tables("value")
    values = tuple(_value(item) for item in items)
    ids = [value.id for value in values]
    for item, id_ in zip(items, ids, strict=True):
        if (id_ in ALL_MEASURES and scoring.absent is None) or ids.count(id_) > 1:
            item.wrong("id", "a name of its own that no measure has", id_)
    messages = {}
    if document.has("message"):
        for item in document.tables("message"):
            messages[item.short_name("id")] = item.translated("text")
    return ProgramSpec(name, values, messages)


def _value(document: Document) -> MeasureSpec:
    id_, title = document.short_name("id"), document.translated("title")
    direction = document.choice("direction", DIRECTIONS)
    low = document.number("low", -HIGHEST, HIGHEST)
    high = document.number("high", -HIGHEST, HIGHEST)
    if high <= low:
        document.wrong("high", f"a number above low, {low:g}", f"{high:g}")
    weight = document.number("weight", 0.001, 1_000) if document.has("weight") else 1.0
    best, worst = (low, high) if direction == "lower" else (high, low)
    own = Measure(
        id=id_,
        name=id_,
        title=title["en"],
        summary=_("A value that a program of the organizers gives."),
        address=OF_PROGRAMS,
        family="utility",
        direction=direction,
        low=low,
        high=high,
        best=f"{best:g}",
        worst=f"{worst:g}",
        texts={"title": title},
    )
    return MeasureSpec(id_, direction, weight, own)


def of_a_program(*_: object) -> float:
    """A value that a program gives, which runs apart from the measures of the library.

    Raises
    ------
    ValueError
        Always: the program is run by `scoring.sandbox.programs.scored`.
    """
    raise ValueError("a program gives this value; no function computes it")
