# SPDX-License-Identifier: Apache-2.0
"""The rules of a contest as text, generated from its ruleset, its rounds and its table's schema."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.template.defaultfilters import filesizeformat
from django.utils.formats import number_format
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from pwscup.contests.rules.measures import ShownMeasure, shown_measure
from pwscup.contests.rules.own_measures import details_of, gate_of
from pwscup.contests.rules.ranking import ranking_lines
from pwscup.contests.rules.rounds import (
    PlannedRound,
    RoundRule,
    ShownRound,
    StageRule,
    data_sentences,
    marking_sentences,
    round_rule,
    stage_rules,
)
from pwscup.contests.rules.texts import (
    CLOSENESS,
    COLUMN_KINDS,
    OPTION_MEASURES,
    OPTIONS,
    POPULATION_FRACTION,
    SENSITIVE_HIERARCHIES,
    TABLE_COLUMNS,
    WEIGHT_COLUMN,
)
from pwscup.core.texts.parts import listed
from pwscup.formats import Format, format_of
from scoring.registry import MEASURES
from scoring.rulesets import Ruleset, localized
from scoring.scores.options import POPULATION_MEASURES, TABLE_MEASURES, WEIGHTED_MEASURES
from scoring.tables.schema import Column, Kind, Schema

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from scoring.scores.options import Options

MAX_VALUES_SHOWN = 30


@dataclass(frozen=True, slots=True)
class MeasureRule:
    """A measure of a contest; not measured if the table has no columns for it."""

    measure: ShownMeasure
    is_measured: bool
    details: tuple[str, ...] = ()
    """Its parameters and bounds, if the ruleset gives it any."""


@dataclass(frozen=True, slots=True)
class Family:
    title: str
    measures: tuple[MeasureRule, ...]


@dataclass(frozen=True, slots=True)
class ColumnRule:
    name: str
    role: str
    kind: str
    cross: bool
    domain: str


@dataclass(frozen=True, slots=True)
class Rules:
    """The content of the rules page."""

    title: str
    version: str
    summary: str
    stages: tuple[StageRule, ...]
    rounds: tuple[RoundRule, ...]
    data: tuple[str, ...]
    columns: tuple[ColumnRule, ...]
    limits: tuple[str, ...]
    families: tuple[Family, ...]
    options: tuple[str, ...]
    attack_columns: tuple[str, ...]
    has_cross: bool
    format: Format
    marking: tuple[str, ...]
    ranking: tuple[tuple[str, str], ...]
    origin: str
    """The sentence about the event in whose manner the contest is held, or nothing."""


def rules_of(
    ruleset: Ruleset,
    rounds: Sequence[ShownRound],
    schema: Schema | None,
    *,
    max_team_size: int,
    unmeasured: Iterable[str] = (),
) -> Rules:
    """The rules in the reader's language; `schema` is that of the contest's table, if there is one."""
    language = get_language() or "en"
    return Rules(
        title=localized(ruleset.title, language),
        version=f"{ruleset.id} {ruleset.version}",
        summary=localized(ruleset.summary, language),
        stages=stage_rules(ruleset, language),
        rounds=tuple(round_rule(round, ruleset, language) for round in rounds),
        data=data_sentences(ruleset),
        columns=given_columns(ruleset, schema) if schema else (),
        limits=_limits(ruleset, max_team_size),
        families=_families(ruleset, set(unmeasured)),
        options=_options(ruleset.options, ruleset.measures)
        + _further_options(ruleset)
        + _table_columns(ruleset)
        + format_of(ruleset).rules.risks(ruleset),
        attack_columns=_attack_columns(schema, ruleset.measures),
        has_cross=bool({"U2", "U3"} & set(ruleset.measures)),
        format=format_of(ruleset),
        marking=marking_sentences(ruleset, language),
        ranking=ranking_lines(ruleset),
        origin=_origin(ruleset),
    )


def _origin(ruleset: Ruleset) -> str:
    if not ruleset.modelled_on:
        return ""
    return _(
        "In the manner of %(event)s. The format is this platform's own: the organizers of that event had no part in it."
    ) % {"event": ruleset.modelled_on}


def preview_of(
    ruleset: Ruleset, *, schema: Schema | None = None, max_team_size: int | None = None
) -> Rules:
    """The rules of a ruleset that no contest uses yet: its rounds with their lengths.

    The schema and the maximum team size are the ruleset's own, unless those of a contest are given.
    """
    rounds = [PlannedRound(spec) for spec in ruleset.rounds]
    size = max_team_size or ruleset.limits.max_team_size
    return rules_of(ruleset, rounds, schema or ruleset.schema, max_team_size=size)


# Columns and limits


def given_columns(ruleset: Ruleset, schema: Schema) -> tuple[ColumnRule, ...]:
    """The columns that participants get."""
    setup = format_of(ruleset).setup
    columns = setup.shown_schema(schema).columns
    return tuple(_column_rule(column, str(setup.ROLES[column.role])) for column in columns)


def _column_rule(column: Column, role: str) -> ColumnRule:
    domain = listed(part for part in (_domain(column), _decimals(column)) if part)
    return ColumnRule(column.name, role, str(COLUMN_KINDS[column.kind]), column.cross, domain)


def _decimals(column: Column) -> str:
    """The decimals of a column that says how many."""
    n = column.decimals
    if n is None:
        return ""
    if not n:
        return _("no decimals")
    return ngettext("at most %(n)d decimal", "at most %(n)d decimals", n) % {"n": n}


def _domain(column: Column) -> str:
    if column.values is not None:
        shown = listed(value or _("(empty)") for value in column.values[:MAX_VALUES_SHOWN])
        more = len(column.values) - MAX_VALUES_SHOWN
        return shown if more <= 0 else _("%(values)s and %(n)d more") % {"values": shown, "n": more}
    if column.kind is Kind.CATEGORY:
        return _("any text")
    low, high = (
        None if bound is None else number_format(bound, force_grouping=True)
        for bound in (column.min, column.max)
    )
    if low is not None and high is not None:
        return _("%(low)s to %(high)s") % {"low": low, "high": high}
    if low is not None:
        return _("at least %(low)s") % {"low": low}
    return _("at most %(high)s") % {"high": high} if high is not None else _("any number")


def _limits(ruleset: Ruleset, max_team_size: int) -> tuple[str, ...]:
    members = ngettext(
        "A team has at most %(n)d member.", "A team has at most %(n)d members.", max_team_size
    )
    size = filesizeformat(ruleset.limits.max_file_bytes)
    return (
        _("A file has at most %(size)s.") % {"size": size},
        *_most_records(ruleset),
        members % {"n": max_team_size},
        _("A person plays in one team of the contest; its organizers play in none."),
        _("A file is submitted when it has arrived; files that arrive after the end are refused."),
    )


def _most_records(ruleset: Ruleset) -> tuple[str, ...]:
    # With own tables, teams submit as many records, as the rule of the file says; otherwise there is no limit.
    if not format_of(ruleset).gives_table:
        return ()
    factor = ruleset.limits.max_records_factor
    if factor == 1:
        return (_("An anonymized table has at most as many records as the original."),)
    words = _("An anonymized table has at most %(factor)s times as many records as the original.")
    return (words % {"factor": number_format(factor)},)


# Measures


def _families(ruleset: Ruleset, unmeasured: set[str]) -> tuple[Family, ...]:
    titles = format_of(ruleset).rules.FAMILIES
    chosen = [ruleset.measure(id_) for id_ in ruleset.measures]
    families = dict.fromkeys(measure.family for measure in chosen)
    return tuple(
        Family(
            str(titles.get(family, family)),
            tuple(
                MeasureRule(
                    shown_measure(m),
                    m.id not in unmeasured,
                    (*details_of(m), *gate_of(ruleset, m.id)),
                )
                for m in chosen
                if m.family == family
            ),
        )
        for family in families
    )


def _options(options: Options, measures: Collection[str]) -> tuple[str, ...]:
    rates = (m for m in MEASURES.values() if m.family == "linkage")
    linkage = tuple(m.id for m in rates if not m.draws)  # one that draws has no ties
    return tuple(
        str(words)
        for (name, value), words in OPTIONS.items()
        if getattr(options, name) == value
        and not set(measures).isdisjoint(OPTION_MEASURES.get(name, linkage))
    )


def _further_options(ruleset: Ruleset) -> tuple[str, ...]:
    """The optional sentences of a ruleset, for the measures that they concern."""
    options, measures = ruleset.options, ruleset.measures
    found = []
    if "t-closeness" in measures:
        found.append(str(CLOSENESS[options.closeness]))
        if options.hierarchies:
            found.append(str(SENSITIVE_HIERARCHIES) % {"columns": listed(options.hierarchies)})
    weighted = [id_ for id_ in measures if id_ in WEIGHTED_MEASURES]
    estimated = [id_ for id_ in measures if id_ in POPULATION_MEASURES]
    if options.weight_column:
        estimated = [id_ for id_ in estimated if id_ not in weighted]
    if options.weight_column and weighted:
        names = {"measures": listed(weighted), "column": options.weight_column}
        found.append(str(WEIGHT_COLUMN) % names)
    if options.population_fraction is not None and estimated:
        percent = number_format(round(100 * options.population_fraction, 6))
        names = {"measures": listed(estimated), "percent": percent}
        found.append(str(POPULATION_FRACTION) % names)
    return tuple(found)


def _table_columns(ruleset: Ruleset) -> tuple[str, ...]:
    """The columns by which records are counted; those of an estimate are in the rules of disclosure."""
    measures = [id_ for id_ in ruleset.measures if id_ in TABLE_MEASURES]
    if not measures or format_of(ruleset).hides_table:
        return ()
    columns = ruleset.options.table_columns
    names = {"measures": listed(measures), "columns": listed(columns)}
    return (str(TABLE_COLUMNS[bool(columns)]) % names,)


def _attack_columns(schema: Schema | None, measures: Iterable[str]) -> tuple[str, ...]:
    if schema is None:
        return ()
    columns = {"E2": schema.e2_column, "E4": schema.e4_column}
    return tuple(
        _("%(attack)s uses the column %(column)s.") % {"attack": id_, "column": column}
        for id_, column in columns.items()
        if column is not None and id_ in measures
    )
