# SPDX-License-Identifier: Apache-2.0
"""Texts of an audit of a series, for its page and its report: sentences from plain values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scoring.audits.numbers import percent
from scoring.errors import gettext_noop as _
from scoring.reporting.document import Translate

Values = Mapping[str, Any]

DEFINITIONS: dict[str, tuple[str, str]] = {
    "counting": (
        _("Row counting"),
        _(
            "The attacker counts rows: of the rows of the last release in the person's life whose region contains the "
            "person, those stay whose value such rows have in every release of that life. The risk is the share of the "
            "true value among them."
        ),
    ),
    "worlds": (
        _("Possible worlds"),
        _(
            "The attacker thinks of every way in which people and counterfeits can have the rows, each person one "
            "value through its life, and holds all equally likely. The risk is the share of those in which the person "
            "has its true value."
        ),
    ),
    "worlds-counterfeit-known": (
        _("Possible worlds, counterfeits known"),
        _("As with possible worlds; the attacker also knows how many counterfeits each group has."),
    ),
    "worlds-last": (
        _("Possible worlds, the column last read"),
        _(
            "As with possible worlds; the attacker also reads the column last and trusts it. Where a group has the "
            "number of a group of the release before, its people had the values of that group. Where it has none, "
            "it has nobody of the release before who is also in the region of another group with a common value."
        ),
    ),
    "m-invariance": (
        _("Possible worlds, m-invariance known"),
        _(
            "As with possible worlds; the attacker also knows that the values of a person's group never change. "
            "Where the series is m-invariant nobody is above 1/m, but for what sampling leaves open."
        ),
    ),
}
"""Title and explanation of each definition of risk, in the order in which they are shown."""
ATTACKERS: dict[str, str] = {
    "baseline": _("The most frequent value where the person may be in its first release"),
    "intersection": _(
        "The most frequent value of the rows that row counting leaves over the person's life"
    ),
}
"""Title of each attacker."""
_MISSING = {
    "worlds-counterfeit-known": _(
        "Not found: the series does not publish its numbers of counterfeits."
    ),
    "worlds-last": _(
        "Not found: the series has no column last that names groups of the release before."
    ),
    "m-invariance": _("Not found: the series is not m-invariant."),
}
_TOO_MUCH = _(
    "Not found: there are too many records, or each may be in too many rows, for possible worlds."
)


def verdict(values: Values, t: Translate) -> str:
    """The first sentence: the largest risk under the contest's definition, and who is above 1/m.

    Examples
    --------
    >>> after = {"max": 0.5, "n_people": 4, "n_above": 1}
    >>> found = {"definition": "counting", "m": 3, "findings": [{"definition": "counting", "after": [after]}]}
    >>> verdict(found, str)
    'Row counting: the largest risk is 50.00 %; 1 of 4 people (25.00 %) is above 1/m = 33.33 %.'
    """
    risks = chosen(values)["after"][-1]
    n_above, n_people = risks["n_above"], risks["n_people"]
    one = _(
        "%(definition)s: the largest risk is %(max)s; %(n)s of %(people)s people (%(share)s) is above 1/m = %(bound)s."
    )
    many = _(
        "%(definition)s: the largest risk is %(max)s; %(n)s of %(people)s people (%(share)s) are above 1/m = %(bound)s."
    )
    return t(one if n_above == 1 else many) % {
        "definition": t(DEFINITIONS[values["definition"]][0]),
        "max": percent(risks["max"] or 0.0),
        "n": f"{n_above:,}",
        "people": f"{n_people:,}",
        "share": percent(n_above / n_people if n_people else 0.0),
        "bound": percent(1 / values["m"]),
    }


def remarks(values: Values, t: Translate) -> list[str]:
    """The sentences after the first: certainty, what the better attacker hits, and m-invariance."""
    risks = chosen(values)["after"][-1]
    attacker = max(values["attackers"], key=lambda found: found["found"])
    hit = _(
        "The attacker %(name)s hits the values of %(found)s of the people, %(rate)s more than the guess that anyone "
        "can make."
    )
    invariant = (
        _("The series is m-invariant, as far as its files show.")
        if values["is_m_invariant"]
        else _("The series is not m-invariant.")
    )
    found, rate = percent(attacker["found"]), percent(attacker["rate"])
    return [
        t(_("People whose value is certain: %(n)s.")) % {"n": f"{risks['n_certain']:,}"},
        t(hit) % {"name": attacker["name"], "found": found, "rate": rate},
        t(invariant),
    ]


def chosen(values: Values) -> Values:
    """The finding under the definition that the verdict is about."""
    found: Values = next(f for f in values["findings"] if f["definition"] == values["definition"])
    return found


def not_found(values: Values, t: Translate) -> list[tuple[str, str]]:
    """The definitions under which nothing was found, and why."""
    found = {f["definition"]: f["after"] for f in values["findings"]}
    return [
        (t(title), t(_TOO_MUCH if name in found else _MISSING[name]))
        for name, (title, _text) in DEFINITIONS.items()
        if not found.get(name)
    ]


def how_found(risks: Values, t: Translate) -> str:
    """The method of risks: exact, or sampled from a number of possible worlds."""
    if not risks["n_sampled"]:
        return t(_("exact"))
    text = _("%(n)s people sampled from %(samples)s possible worlds; intervals at 95 %%")
    return t(text) % {"n": f"{risks['n_sampled']:,}", "samples": f"{risks['n_samples']:,}"}


def worlds_told(definition: str, risks: Values, t: Translate) -> str:
    """The number of possible worlds, as far as it is known.

    Examples
    --------
    >>> exact = {"worlds": 384, "log10_worlds": 2.58, "n_sampled": 0}
    >>> worlds_told("worlds", exact, str), worlds_told("counting", exact, str)
    ('384', '–')
    >>> worlds_told("worlds", exact | {"worlds": None, "log10_worlds": 40.2}, str)
    'about 10^40.2'
    """
    if definition == "counting":
        return "–"
    if risks["n_sampled"]:
        return t(_("unknown"))
    if risks["worlds"] is not None:
        return f"{risks['worlds']:,}"
    if risks["log10_worlds"] is None:
        return "0"
    return t(_("about 10^%(exponent)s")) % {"exponent": f"{risks['log10_worlds']:,.1f}"}


def above_told(risks: Values, t: Translate) -> list[str]:
    """The number of people above 1/m; if risks are sampled, also how many may be.

    Examples
    --------
    >>> above_told({"n_above": 2, "n_may_be_above": 5, "n_people": 8}, str)
    ['2 (25.00 %)', 'at most 5']
    """
    n, most, people = risks["n_above"], risks["n_may_be_above"], risks["n_people"]
    told = [f"{n:,} ({percent(n / people if people else 0.0)})"]
    return told if most == n else [*told, t(_("at most %(n)s")) % {"n": f"{most:,}"}]
