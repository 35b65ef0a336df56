"""Whether a contest can go on under other rules: pure functions from two rulesets to sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy as _

from pwscup.formats import format_of

if TYPE_CHECKING:
    from pwscup.core.texts.refusals import Words
    from scoring.rulesets import RoundSpec, Ruleset


def hindrances(before: Ruleset, after: Ruleset) -> list[Words]:
    """Why rules under which something was handed in cannot become these; empty where they can.

    Measures, options, ranking, validity, what is asked of a series of releases and texts may change.
    What teams were asked for and given may not: files that lie there were made for it.
    """
    found = data_hindrances(before, after)
    old, new = ([spec.key for spec in rules.rounds] for rules in (before, after))
    if old != new:
        found.append(
            _(
                "[[round]] — files were handed in for the rounds as they are — expected %(expected)s — got %(got)s"
            )
            % {"expected": ", ".join(old), "got": ", ".join(new)}
        )
        return found
    for was, becomes in zip(before.rounds, after.rounds, strict=True):
        found += _round_hindrances(was, becomes)
    return found


def data_hindrances(before: Ruleset, after: Ruleset) -> list[Words]:
    """The same of the tables alone, which may be drawn before anything was handed in."""
    if before.data == after.data and before.disclosure == after.disclosure:
        return []
    if before.data == after.data:
        return [
            _(
                "[disclosure] — parts of the hidden table are disclosed already — expected no change. "
                "Make a new contest for another disclosure."
            )
        ]
    return [
        _(
            "[data] — the tables are drawn and handed out already — expected no change. "
            "Make a new contest for other tables."
        )
    ]


def table_hindrances(before: Ruleset, after: Ruleset) -> list[Words]:
    """Why what was uploaded cannot be the table of these rules: tables of several times are no single one."""
    if format_of(before).suffix == format_of(after).suffix:
        return []
    return [
        _(
            "[data] — what was uploaded is %(got)s — expected %(expected)s. "
            "Make a new contest for such rules."
        )
        % {
            "got": _one_or_several(before),
            "expected": _one_or_several(after),
        }
    ]


def _one_or_several(rules: Ruleset) -> Words:
    return (
        _("one table")
        if format_of(rules).suffix == "csv"
        else _("a zip archive of tables, one for each time")
    )


FIXED = ("kind", "stage", "attacks", "gives", "epsilon")


def _round_hindrances(was: RoundSpec, becomes: RoundSpec) -> list[Words]:
    changed = [name for name in FIXED if getattr(was, name) != getattr(becomes, name)]
    for name in ("files", "criteria"):
        before, after = ([item.key for item in getattr(spec, name)] for spec in (was, becomes))
        if before != after:
            changed.append(name)
    return [
        _(
            "round “%(round)s” — its %(key)s is fixed once something was handed in — expected no change"
        )
        % {"round": was.key, "key": name}
        for name in changed
    ]
