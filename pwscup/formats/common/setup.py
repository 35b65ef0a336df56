# SPDX-License-Identifier: Apache-2.0
"""The organizer's page of a table that all teams share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.utils.formats import number_format
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _

from pwscup.contests import selectors
from pwscup.contests.forms import GenerateForm, TableForm
from pwscup.contests.rules import texts
from pwscup.core.texts.parts import listed
from scoring.datasets import HOUSEHOLDS, USUAL
from scoring.errors import Problem, ProblemsFound
from scoring.rulesets import localized
from scoring.rulesets.base import unfit_parts
from scoring.rulesets.installed import generators
from scoring.rulesets.loader import load_schema

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pwscup.contests.models import Contest, Dataset, TableDraft
    from pwscup.formats.spec import Text, Ticked
    from scoring.rulesets import Ruleset
    from scoring.tables.schema import Schema

UPLOAD_FORM, GENERATE_FORM = TableForm, GenerateForm
ROLES = texts.ROLES
FILE_TITLES: Mapping[str, str] = {}
CONFIRMED = gettext_lazy("The table is now the contest's original.")
TICKS: Mapping[str, Text] = {}
NEARLY_UNIQUE = 0.5
GENERATED: Mapping[str, Text] = {
    HOUSEHOLDS: gettext_lazy(
        "Pseudo households: incomes and expenditures of synthetic families, with quasi-identifiers and amounts."
    ),
    "census": gettext_lazy("Synthetic people of a census: education, work and income."),
    "diabetes": gettext_lazy("Synthetic people of a health survey, some with diabetes."),
    "health": gettext_lazy("Synthetic patients: contacts, measurements and diseases."),
    "profile": gettext_lazy("Synthetic people with public and secret attributes."),
    "ratings": gettext_lazy("Synthetic people and their ratings of ten films."),
    "survival": gettext_lazy(
        "Synthetic people who were followed for ten years, some with a rare type of a disease."
    ),
}
"""The tables that the library generates, by the name of their schema."""


OF_PLUGIN = gettext_lazy("Synthetic records, drawn by the package of the format.")


def generated_name(ruleset: Ruleset) -> str:
    """The schema of which a table is generated: that of the rules, first by their own format, or households."""
    known = (*(name for name in generators() if name == ruleset.id), *USUAL, *generators())
    return next((name for name in known if load_schema(name) == ruleset.schema), HOUSEHOLDS)


def proposed(ruleset: Ruleset) -> dict[str, int]:
    """The size of a generated table."""
    name = generated_name(ruleset)
    return {"n_records": generators()[name].n_records if name in generators() else USUAL[name]}


def generated(ruleset: Ruleset) -> Text:
    """The content of a generated table."""
    name = generated_name(ruleset)
    if name not in generators():
        return GENERATED[name]
    own = generators()[name].generated
    return localized(own, get_language() or "en") if own else OF_PLUGIN


def ticked(_ruleset: Ruleset, _schema: Schema) -> Ticked:
    """Nothing."""
    return {}


def rules_with(ruleset: Ruleset, _schema: Schema, _ticked: Ticked) -> Ruleset:
    """The rules as they are: they name no column."""
    return ruleset


def tick_notes(_ruleset: Ruleset, _schema: Schema) -> list[str]:
    """Nothing."""
    return []


def check_columns(ruleset: Ruleset, schema: Schema) -> None:
    """Refuse a table that lacks columns by which the rules count records, or draw them."""
    spec, problems = ruleset.data, ruleset.options.problems(schema)
    rare = (spec.rare.column,) if spec.rare else ()
    for key, names in (("data.strata", spec.strata), ("data.rare.column", rare)):
        known = schema.public().names
        expected = f"columns out of: {', '.join(known)}"
        problems += [
            Problem("toml.wrong_value", {"key": key, "expected": expected, "got": name}, "ruleset")
            for name in names
            if name not in known
        ]
    problems += [
        Problem(
            "toml.wrong_value", {"key": "data.part", "expected": expected, "got": got}, "ruleset"
        )
        for expected, got in unfit_parts(spec.parts, schema)
    ]
    if problems:
        raise ProblemsFound(problems)
    for round in ruleset.rounds:
        for question in round.questions:
            question.check(schema)


def shown_schema(schema: Schema) -> Schema:
    """All columns but identifiers."""
    return schema.public()


def lacking(ruleset: Ruleset, got: int, expected: int) -> Text:
    """An error message if a table is too small for a team's records and its decoys."""
    return gettext_lazy(
        "The table has %(got)d records, but by the rules each team gets %(sample)d of them, and "
        "%(decoys)d others are added as decoys: at least %(expected)d are needed. Upload a "
        "larger table, or set smaller numbers in the rules."
    ) % {
        "got": got,
        "sample": ruleset.data.n_own,
        "decoys": ruleset.data.decoys,
        "expected": expected,
    }


def warnings(
    contest: Contest, schema: Schema, draft: TableDraft | None, dataset: Dataset | None
) -> list[str]:
    """Warnings about these columns for organizers."""
    described = seen_in(draft)
    return of_table(
        schema,
        unmeasured=selectors.unmeasured_under(contest, schema),
        n_records=draft.n_records if draft else 0,
        n_distinct={name: column["n_distinct"] for name, column in described.items()},
        attacks=[attack for attack in ("E2", "E4") if attack in contest.ruleset.measures],
    )


def seen_in(draft: TableDraft | None) -> dict[str, Mapping[str, Any]]:
    """Statistics of the columns of an uploaded file, by name."""
    return dict(zip(draft.schema.names, draft.columns, strict=True)) if draft else {}


def of_table(
    schema: Schema,
    *,
    unmeasured: Sequence[str],
    n_records: int,
    n_distinct: Mapping[str, int],
    attacks: Sequence[str],
) -> list[str]:
    """Warnings about these columns for organizers."""
    warnings = []
    if not schema.quasi_identifiers:
        warnings.append(_("No column is a quasi-identifier: records could not be re-identified."))
    elif not schema.cross and {"U2", "U3"} & {*unmeasured}:
        warnings.append(_("No quasi-identifier is a cross column: U2 and U3 have no cells."))
    if not schema.sensitive_numeric and attacks:
        warnings.append(
            _("No sensitive column contains numbers: most measures and attacks need one.")
        )
    else:
        for attack, column in (("E2", schema.e2_column), ("E4", schema.e4_column)):
            if column is None and attack in attacks:
                warnings.append(_("Attack %(attack)s has no column to use.") % {"attack": attack})
    for name in schema.quasi_identifiers:
        if n_records and n_distinct.get(name, 0) > NEARLY_UNIQUE * n_records:
            warnings.append(
                _(
                    "“%(column)s” has %(n)s different values: as a quasi-identifier it identifies nearly every "
                    "record. Should it be hidden, or not scored?"
                )
                % {"column": name, "n": number_format(n_distinct[name], force_grouping=True)}
            )
    if unmeasured:
        warnings.append(
            _("These measures will have no value and will not distinguish the teams: %(ids)s.")
            % {"ids": listed(unmeasured)}
        )
    return warnings
