"""What an organizer should know of a table, or of tables of several times, before a contest is played on them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from pwscup.core.texts.problems import SEPARATOR, parts
from scoring.errors import ProblemsFound
from scoring.tables.schema import Role

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from scoring.rulesets.base import DisclosureSpec, SequentialSpec
    from scoring.tables.schema import Schema

NEARLY_UNIQUE = 0.5
FEWEST_TEAMS = 2


def of_hidden_table(schema: Schema, disclosure: DisclosureSpec) -> list[str]:
    """What an organizer should know of the columns of a table that stays hidden."""
    from scoring.rulesets.loader_disclosure import check_columns

    warnings = []
    try:
        check_columns(disclosure, schema)
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


def of_table(
    schema: Schema,
    *,
    unmeasured: Sequence[str],
    n_records: int,
    n_distinct: Mapping[str, int],
) -> list[str]:
    """What an organizer should know of these columns before a contest is played on them."""
    warnings = []
    if not schema.quasi_identifiers:
        warnings.append(
            _("No column is a quasi-identifier: there is nothing by which records could be found.")
        )
    elif not schema.cross:
        warnings.append(_("No quasi-identifier is a cross column: U2 and U3 have no cells."))
    if not schema.sensitive_numeric:
        warnings.append(_("No sensitive column holds numbers: most measures and attacks need one."))
    else:
        for attack, column in (("E2", schema.e2_column), ("E4", schema.e4_column)):
            if column is None:
                warnings.append(
                    _("Attack %(attack)s has no column to look at.") % {"attack": attack}
                )
    for name in schema.quasi_identifiers:
        if n_records and n_distinct.get(name, 0) > NEARLY_UNIQUE * n_records:
            warnings.append(
                _(
                    "“%(column)s” has %(n)s different values: as a quasi-identifier it gives nearly every "
                    "record away. Should it be hidden, or not scored?"
                )
                % {"column": name, "n": number_format(n_distinct[name], force_grouping=True)}
            )
    if unmeasured:
        warnings.append(
            _("These measures will have no value and will not tell the teams apart: %(ids)s.")
            % {"ids": ", ".join(unmeasured)}
        )
    return warnings


@dataclass(frozen=True, slots=True)
class Room:
    """For how many teams the people of a series suffice, how many there are, and for how many more there are people."""

    n_parts: int
    n_teams: int
    n_left: int
    is_open: bool
    """Whether anybody may found a team."""


def of_series(
    schema: Schema,
    spec: SequentialSpec,
    described: Mapping[str, Mapping[str, Any]],
    room: Room | None,
) -> list[str]:
    """What an organizer should know of tables of several times; `described` is what was seen in their columns."""
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
                    "“%(column)s” may be empty, and an empty guess is no guess: nobody could find the value of a "
                    "person who has none. Give such people a value, such as “none”."
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
    """Where there are fewer parts of the people than teams, or may soon be."""
    lacking = max(0, room.n_teams - room.n_parts)
    suffice = ngettext(
        "The people suffice for %(n)d team", "The people suffice for %(n)d teams", room.n_parts
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
            _("%(suffice)s, and none are left: no other team can be founded.")
            % {"suffice": suffice}
        ]
    return []
