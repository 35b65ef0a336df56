# SPDX-License-Identifier: Apache-2.0
"""Compatibility of new rules with a running contest: pure functions from two rulesets to sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy as _

from pwscup.core.texts.parts import listed
from pwscup.formats import format_of

if TYPE_CHECKING:
    from pwscup.core.texts.refusals import Text
    from scoring.rulesets import RoundSpec, Ruleset


def blockers(before: Ruleset, after: Ruleset) -> list[Text]:
    """The reasons why the rules of a contest with submissions cannot be replaced; empty if they can.

    Measures, options, ranking, validity, requirements of a series of releases and texts may change. Inputs
    and outputs of teams may not: the existing files were made for them.
    """
    found = data_blockers(before, after)
    old, new = ([spec.key for spec in rules.rounds] for rules in (before, after))
    if old != new:
        found.append(
            _(
                "[[round]] — there are submissions for the current rounds — expected %(expected)s — got %(got)s"
            )
            % {"expected": listed(old), "got": listed(new)}
        )
        return found
    for was, becomes in zip(before.rounds, after.rounds, strict=True):
        found += _round_blockers(was, becomes)
    return found


def data_blockers(before: Ruleset, after: Ruleset) -> list[Text]:
    """The same for the tables only, which may be drawn before the first submission."""
    if before.data == after.data and before.disclosure == after.disclosure:
        return []
    if before.data == after.data:
        return [
            _(
                "[disclosure] — parts of the hidden table are already disclosed — expected no change. "
                "Create a new contest for another disclosure."
            )
        ]
    return [
        _(
            "[data] — the tables are already drawn and distributed — expected no change. "
            "Create a new contest for other tables."
        )
    ]


def table_blockers(before: Ruleset, after: Ruleset) -> list[Text]:
    """The reason why the uploaded table cannot be used with these rules: tables of several times differ from
    a single one."""
    if format_of(before).suffix == format_of(after).suffix:
        return []
    return [
        _(
            "[data] — the uploaded file is %(got)s — expected %(expected)s. "
            "Create a new contest for such rules."
        )
        % {
            "got": _one_or_several(before),
            "expected": _one_or_several(after),
        }
    ]


def _one_or_several(rules: Ruleset) -> Text:
    return (
        _("one table")
        if format_of(rules).suffix == "csv"
        else _("a zip archive of tables, one for each time")
    )


FIXED = ("kind", "stage", "attacks", "gives", "epsilon")


def _round_blockers(was: RoundSpec, becomes: RoundSpec) -> list[Text]:
    changed = [name for name in FIXED if getattr(was, name) != getattr(becomes, name)]
    for name in ("files", "criteria"):
        before, after = ([item.key for item in getattr(spec, name)] for spec in (was, becomes))
        if before != after:
            changed.append(name)
    return [
        _(
            "round “%(round)s” — its %(key)s cannot change after the first submission — expected no change"
        )
        % {"round": was.key, "key": name}
        for name in changed
    ]
