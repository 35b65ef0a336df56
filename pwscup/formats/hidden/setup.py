# SPDX-License-Identifier: Apache-2.0
"""The organizer's page of a table that stays hidden."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext_lazy

from pwscup.core.texts.parts import listed
from pwscup.core.texts.problems import SEPARATOR, parts
from pwscup.formats.common.setup import check_columns as check_table
from pwscup.formats.hidden.disclosed import n_cells, spec_of
from pwscup.formats.kinds import ROUNDS
from scoring.errors import ProblemsFound
from scoring.rulesets import parse_ruleset
from scoring.rulesets.base import DisclosureSpec
from scoring.rulesets.loader_disclosure import check_columns as check_disclosed
from scoring.rulesets.rewriting import with_disclosure

if TYPE_CHECKING:
    from pwscup.contests.models import Contest, Dataset, TableDraft
    from pwscup.formats.spec import Ticked
    from scoring.rulesets import Ruleset
    from scoring.tables.schema import Schema


TICKS = {
    "released": pgettext_lazy("column", "Released"),
    "target": pgettext_lazy("column", "Target"),
}
SUGGESTED_CELLS = 200
"""The most cells of a suggested target."""


def ticked(ruleset: Ruleset, schema: Schema) -> Ticked:
    """The columns of the rules, if the table has them; otherwise all visible columns with listed values are
    released, and the first ones with few cells are the target."""
    disclosure = ruleset.disclosure
    if disclosure is not None and set(disclosure.columns) <= set(schema.names):
        return {"released": disclosure.columns, "target": disclosure.target}
    sizes = {c.name: len(c.values or ()) for c in schema.public().columns}
    released = [name for name, size in sizes.items() if size > 1]
    target: list[str] = []
    for name in released:
        if math.prod(sizes[n] for n in (*target, name)) <= SUGGESTED_CELLS:
            target.append(name)
    return {"released": released, "target": target or released[:1]}


def rules_with(ruleset: Ruleset, schema: Schema, ticked: Ticked) -> Ruleset:
    """The rules that disclose the ticked columns, those of the target in any case; a schema that the rules name stays
    if it has the same columns."""
    target = [name for name in schema.names if name in ticked["target"]]
    released = [name for name in schema.names if name in {*ticked["released"], *target}]
    former = ruleset.disclosure
    errors = None if former is None else former.errors_epsilon
    spec = DisclosureSpec(tuple(released), tuple(target), errors)
    for seen in (schema, schema.public()):
        check_disclosed(spec, seen)
    if former is not None and all(
        set(now) == set(then) for now, then in ((released, former.columns), (target, former.target))
    ):
        spec = former  # in the order of the rules
    named = ruleset.data.schema
    keeps = named is not None and _values(named, spec) == _values(schema, spec)
    if spec == former and (keeps or named is None):
        return ruleset
    return parse_ruleset(
        with_disclosure(ruleset.text, spec.columns, spec.target, keeps_schema=keeps)
    )


def _values(schema: Schema, spec: DisclosureSpec) -> dict[str, tuple[str, ...] | None]:
    return {c.name: c.values for c in schema.columns if c.name in spec.columns}


def tick_notes(ruleset: Ruleset, schema: Schema) -> list[str]:
    """The cells of the target, and the error of estimates where all of ε is spent on one question."""
    from scoring.formats.disclosure.curves import asked_once  # imports numpy

    try:
        cells = n_cells(ruleset, schema)
    except ProblemsFound:
        return []
    notes = [
        ngettext("The target has %(cells)s cell.", "The target has %(cells)s cells.", cells)
        % {"cells": number_format(cells, force_grouping=True)}
    ]
    for spec in ruleset.rounds:
        if spec.epsilon is not None and not ROUNDS[spec.kind].is_release:
            notes.append(
                _(
                    "Asked for once with ε = %(epsilon)s, the counts are off by an L2 distance of about %(distance)s "
                    "records, whatever the table."
                )
                % {
                    "epsilon": spec.epsilon,
                    "distance": number_format(
                        asked_once(cells, spec.epsilon), 1, force_grouping=True
                    ),
                }
            )
    return notes


def check_columns(ruleset: Ruleset, schema: Schema) -> None:
    """Also refuse disclosed columns whose values are not listed, or only one."""
    check_table(ruleset, schema)
    if ruleset.disclosure is not None:
        check_disclosed(ruleset.disclosure, schema)


def warnings(
    contest: Contest, schema: Schema, draft: TableDraft | None, _dataset: Dataset | None
) -> list[str]:
    """Warnings about the columns of a hidden table for organizers."""
    if draft is None:
        return of_columns(schema, spec_of(contest))
    ticks = draft.ticked(TICKS) or ticked(contest.ruleset, schema)
    if not ticks["released"]:
        return [
            _(
                "No column can be disclosed yet. Give a column the kind Category and list its values, two or more."
            )
        ]
    try:
        rules = rules_with(contest.ruleset, schema, ticks)
    except ProblemsFound as found:
        return _shown(found)
    return of_columns(schema, rules.disclosure or spec_of(contest))


def _shown(found: ProblemsFound) -> list[str]:
    return [
        SEPARATOR.join(
            [f"“{problem.column}”", *parts(problem)] if problem.column else parts(problem)
        )
        for problem in found.problems
    ]


def of_columns(schema: Schema, disclosure: DisclosureSpec) -> list[str]:
    """The same, by their disclosure."""
    warnings = []
    if disclosure.errors_epsilon is None:
        warnings.append(
            _(
                "The errors of estimates are exact: teams can compute the counts of the table from them, and no ε "
                'holds. Add errors_epsilon to [disclosure] of the rules, for example errors_epsilon = "2".'
            )
        )
    try:
        check_disclosed(disclosure, schema)
    except ProblemsFound as found:
        warnings += _shown(found)
    present = [name for name in disclosure.columns if name in schema.names]
    if present:
        warnings.append(
            _(
                "Everybody may read the schema: list the values that %(columns)s can have, not those that "
                "happen to occur in the table."
            )
            % {"columns": listed(present)}
        )
    others = [name for name in schema.public().names if name not in disclosure.columns]
    if others:
        warnings.append(
            _(
                "The rules disclose nothing of %(columns)s, but the schema names these columns and their "
                "values. Should they be hidden?"
            )
            % {"columns": listed(others)}
        )
    return warnings
