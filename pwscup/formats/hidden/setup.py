"""The organizer's page of a table that stays hidden."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

from pwscup.core.texts.problems import SEPARATOR, parts
from pwscup.formats.common.setup import check_columns as check_table
from pwscup.formats.hidden.disclosed import spec_of
from scoring.errors import ProblemsFound
from scoring.rulesets.loader_disclosure import check_columns as check_disclosed

if TYPE_CHECKING:
    from pwscup.contests.models import Contest, Dataset, TableDraft
    from scoring.rulesets import Ruleset
    from scoring.rulesets.base import DisclosureSpec
    from scoring.tables.schema import Schema


def check_columns(ruleset: Ruleset, schema: Schema) -> None:
    """Also refuse disclosed columns whose values are not listed, or only one."""
    check_table(ruleset, schema)
    if ruleset.disclosure is not None:
        check_disclosed(ruleset.disclosure, schema)


def warnings(
    contest: Contest, schema: Schema, _draft: TableDraft | None, _dataset: Dataset | None
) -> list[str]:
    """Warnings about the columns of a hidden table for organizers."""
    return of_columns(schema, spec_of(contest))


def of_columns(schema: Schema, disclosure: DisclosureSpec) -> list[str]:
    """The same, by their disclosure."""
    warnings = []
    try:
        check_disclosed(disclosure, schema)
    except ProblemsFound as found:
        warnings += [
            SEPARATOR.join(
                [f"“{problem.column}”", *parts(problem)] if problem.column else parts(problem)
            )
            for problem in found.problems
        ]
    listed = [name for name in disclosure.columns if name in schema.names]
    if listed:
        warnings.append(
            _(
                "Everybody may read the schema: list the values that %(columns)s can have, not those that "
                "happen to occur in the table."
            )
            % {"columns": ", ".join(listed)}
        )
    others = [name for name in schema.public().names if name not in disclosure.columns]
    if others:
        warnings.append(
            _(
                "The rules disclose nothing of %(columns)s, but the schema names these columns and their "
                "values. Should they be hidden?"
            )
            % {"columns": ", ".join(others)}
        )
    return warnings
