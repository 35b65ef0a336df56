# SPDX-License-Identifier: Apache-2.0
"""The organizer's page of the tables of several times."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from pwscup.contests.forms import GenerateSeriesForm, SeriesForm
from pwscup.contests.models import Contest
from pwscup.contests.rules import texts
from pwscup.contests.teams import tables
from pwscup.formats.common.setup import TICKS as TICKS
from pwscup.formats.common.setup import check_columns as check_columns
from pwscup.formats.common.setup import rules_with as rules_with
from pwscup.formats.common.setup import seen_in
from pwscup.formats.common.setup import tick_notes as tick_notes
from pwscup.formats.common.setup import ticked as ticked
from scoring.formats.sequential.bundles import MAX_TIMES
from scoring.tables.schema import Role

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pwscup.contests.models import Dataset, TableDraft
    from pwscup.formats.spec import Text
    from scoring.rulesets import Ruleset
    from scoring.rulesets.base import SequentialSpec
    from scoring.tables.schema import Schema

UPLOAD_FORM, GENERATE_FORM = SeriesForm, GenerateSeriesForm
ROLES = texts.ROLES | {Role.IDENTIFIER: gettext_lazy("identifier")}  # which nobody hides
FILE_TITLES = {f"T{number}": f"T{number}.csv" for number in range(1, MAX_TIMES + 1)}
CONFIRMED = gettext_lazy("The tables are now the contest's original.")
FEWEST_TEAMS = 2


def proposed(_ruleset: Ruleset) -> dict[str, int]:
    """Nothing."""
    return {}


def generated(_ruleset: Ruleset) -> Text:
    """A hospital over some time."""
    return gettext_lazy(
        "A synthetic hospital: patients with age, zip code and disease in successive time windows. About half of "
        "them stay for the next window."
    )


def shown_schema(schema: Schema) -> Schema:
    """All columns, including the identifier, which links records over time."""
    return schema


def lacking(_ruleset: Ruleset, got: int, expected: int) -> Text:
    """An error message if the tables have too few individuals for one team."""
    return gettext_lazy(
        "The tables have %(got)d individuals, but by the rules each team gets %(expected)d of its own. "
        "Upload tables of more individuals, or set a smaller number in the rules."
    ) % {"got": got, "expected": expected}


@dataclass(frozen=True, slots=True)
class Room:
    """The number of teams for the individuals of a series, the current number, and the remaining number."""

    n_parts: int
    n_teams: int
    n_left: int
    is_open: bool
    """Anyone may create a team."""


def warnings(
    contest: Contest, schema: Schema, draft: TableDraft | None, dataset: Dataset | None
) -> list[str]:
    """Warnings about tables of several times for organizers."""
    spec = contest.ruleset.sequential
    return of_series(schema, spec, seen_in(draft), _room(contest, dataset)) if spec else []


def _room(contest: Contest, dataset: Dataset | None) -> Room | None:
    """The capacity of the confirmed tables in teams; None before there are any."""
    n_parts = tables.n_parts(dataset) if dataset else None
    if n_parts is None:
        return None
    is_open = contest.admission == Contest.Admission.OPEN
    left = tables.n_teams_left(contest) or 0
    return Room(n_parts, contest.teams.count(), left, is_open=is_open)


def of_series(
    schema: Schema,
    spec: SequentialSpec,
    described: Mapping[str, Mapping[str, Any]],
    room: Room | None,
) -> list[str]:
    """Warnings about tables of several times for organizers; `described` are the statistics of their columns."""
    warnings = []
    for column in schema.columns:
        if column.role is not Role.SENSITIVE:
            continue
        seen = described.get(column.name, {})
        n_values = seen.get("n_distinct") if column.values is None else len(column.values)
        most = seen.get("most_frequent")
        if n_values is not None and n_values < spec.m:
            warnings.append(_too_few(column.name, n_values, spec.m))
        elif most and most["n"] * spec.m > most["of"]:
            warnings.append(_too_frequent(column.name, most, spec.m))
        if "" in (column.values or ()):
            warnings.append(
                _(
                    "“%(column)s” may be empty, and an empty guess means no guess: nobody could guess the value of an "
                    "individual without one. Give such individuals a value, such as “none”."
                )
                % {"column": column.name}
            )
    if room is not None:
        warnings += _narrow(room)
    return warnings


def _too_few(column: str, n_values: int, m: int) -> str:
    return ngettext(
        "“%(column)s” has %(n)d value, and each group needs %(m)d different ones: no release can ever be m-unique.",
        "“%(column)s” has %(n)d values, and each group needs %(m)d different ones: no release can ever be m-unique.",
        n_values,
    ) % {"column": column, "n": n_values, "m": m}


def _too_frequent(column: str, seen: Mapping[str, Any], m: int) -> str:
    return _(
        "In table %(table)d, %(n)s of %(of)s records have “%(value)s” in “%(column)s”, more than one in %(m)d: no "
        "release of it is m-unique unless counterfeits are added or records left out."
    ) % {
        "table": seen["table"],
        "n": number_format(seen["n"], force_grouping=True),
        "of": number_format(seen["of"], force_grouping=True),
        "value": seen["value"],
        "column": column,
        "m": m,
    }


def _narrow(room: Room) -> list[str]:
    """Warnings if there are fewer parts of the individuals than teams, or may soon be."""
    lacking = max(0, room.n_teams - room.n_parts)
    suffice = ngettext(
        "The individuals suffice for %(n)d team",
        "The individuals suffice for %(n)d teams",
        room.n_parts,
    ) % {"n": room.n_parts}
    if lacking:
        words = ngettext(
            "%(suffice)s, and there are %(teams)d: %(lacking)d would have no tables.",
            "%(suffice)s, and there are %(teams)d: %(lacking)d would have no tables.",
            lacking,
        )
        return [words % {"suffice": suffice, "teams": room.n_teams, "lacking": lacking}]
    if room.n_parts < FEWEST_TEAMS:
        return [_("%(suffice)s, and nobody could attack another one.") % {"suffice": suffice}]
    if room.n_left == 0 and room.is_open:
        return [
            _("%(suffice)s, and none are left: no other team can be created.")
            % {"suffice": suffice}
        ]
    return []
