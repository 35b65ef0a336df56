# SPDX-License-Identifier: Apache-2.0
"""Measures of the library for pages, and the headings of their families."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from textwrap import dedent
from typing import TYPE_CHECKING, Any

from django.utils.translation import get_language, gettext
from django.utils.translation import gettext_lazy as _

from pwscup.accounts.policies import is_organizer
from pwscup.core.texts.foreign import translated
from scoring.registry import ALL_MEASURES, Measure
from scoring.rulesets import localized

if TYPE_CHECKING:
    from pwscup.contests.models import Contest
    from pwscup.contests.policies import Person
    from scoring.rulesets import Ruleset

FAMILIES = {
    "utility": _("Utility: the information loss"),
    "anonymity": _("Safety: the size of the equivalence classes"),
    "linkage": _("Attacks: the share of re-identified records"),
    "risk": _("Risk: the probability of re-identification"),
    "diversity": _("Diversity: the sensitive values within a class"),
    "similarity": _("Similarity: the remaining usefulness of the table"),
    "generalization": _("Generalization: what equal quasi-identifiers cost"),
    "disclosure": _("Disclosure: what is learned about members beyond non-members"),
}
"""Headings of the rules page."""
FAMILIES_OF_SERIES = {
    "utility": _("Utility: the information loss of the releases"),
    "risk": _("Risk: the attacker's confidence about an individual's value"),
}
"""The same, if they differ for the measures of a series of releases."""
SHORT_FAMILIES = {
    "utility": _("Utility"),
    "anonymity": _("Safety"),
    "linkage": _("Re-identification rates"),
    "risk": _("Re-identification risk"),
    "diversity": _("Diversity of sensitive values"),
    "similarity": _("Similarity"),
    "generalization": _("Generalization"),
    "disclosure": _("Disclosure"),
}
"""Headings in the table of a submission's measures."""
SHORT_FAMILIES_OF_SERIES = {"risk": _("Risk of a known value")}
"""The same, if they differ for the measures of a series of releases."""

STORED = (
    *("id", "name", "title", "summary", "address", "family", "direction"),
    *("low", "high", "best", "worst", "texts"),
)
"""The fields of a measure of a ruleset or a plugin that stored boards hold."""
_SECTION = re.compile(r"^(\w+)\n-+$\n?", re.MULTILINE)
LOSSES = ("utility", "similarity")
"""Families of information loss: 0 is none, where lower is better."""


COMPOSITE = "composite"
"""The name of every measure that rules make of others: a word, where other names are signs."""


@dataclass(frozen=True, slots=True)
class ShownMeasure:
    """A measure with its texts in the reader's language: title, summary, direction, best and worst value."""

    id: str
    name: str
    title: str
    summary: str
    family: str
    direction: str
    arrow: str
    better: str
    best: str
    worst: str
    is_rate: bool
    """The measure is the success rate of an attacker: shown as a percentage."""
    of: Measure

    @property
    def definition(self) -> str:
        """The exact definition, in English: the docstring of its function without parameters and examples."""
        return definition_in(self.of.description)

    @property
    def is_loss(self) -> bool:
        """0 means no loss."""
        return self.family in LOSSES and self.direction == "lower"

    def best_of(self, values: Iterable[float | None]) -> float | None:
        """The best of the known values."""
        return self.of.best_of(values)


def definition_in(docstring: str) -> str:
    """A docstring without its parameters and examples, and without marks of a format."""
    text, *sections = _SECTION.split(docstring.replace("\\|", "|"))
    bodies = dict(zip(sections[::2], sections[1::2], strict=True))
    returns = dedent(bodies.get("Returns", "").partition("\n")[2])  # after the line with the type
    parts = (text, returns, bodies.get("Notes", ""))
    return "\n\n".join(part.strip() for part in parts if part.strip())


def shown_measure(measure: Measure) -> ShownMeasure:
    """The measure for pages, in the reader's language."""
    lower = measure.direction == "lower"
    return ShownMeasure(
        id=measure.id,
        name=gettext(COMPOSITE) if measure.name == COMPOSITE else measure.name,
        title=_title(measure),
        summary=translated(measure.summary),
        family=measure.family,
        direction=measure.direction,
        arrow="↓" if lower else "↑",
        better=gettext("lower is better") if lower else gettext("higher is better"),
        best=translated(measure.best),
        worst=translated(measure.worst),
        is_rate=measure.is_rate,
        of=measure,
    )


def _title(measure: Measure) -> str:
    title = measure.texts.get("title")
    return localized(title, get_language() or "en") if title else gettext(measure.title)


def columns_of(ids: Iterable[str], ruleset: Ruleset) -> dict[str, Any]:
    """The measures of a stored board: their identifiers, and the texts of those that are not the library's."""
    measures = [ruleset.measure(id_) for id_ in ids]
    others = [m for m in measures if m.id not in ALL_MEASURES or m.is_foreign]
    own = {m.id: {n: getattr(m, n) for n in STORED} for m in others}
    return {"measures": [m.id for m in measures]} | ({"own_measures": own} if own else {})


def measures_in(section: Mapping[str, Any]) -> list[ShownMeasure]:
    """The measures of a stored board, for pages."""
    own = section.get("own_measures", {})
    ids = section.get("measures", [])
    return [shown_measure(Measure(**own[id_]) if id_ in own else ALL_MEASURES[id_]) for id_ in ids]


def hidden_measures(contest: Contest, viewer: Person) -> frozenset[str]:
    """The measures of the contest whose values are hidden from this viewer; none for its organizers."""
    hidden = frozenset(contest.hidden_measures)
    return frozenset() if not hidden or is_organizer(viewer, contest) else hidden


def visible_measures(contest: Contest, viewer: Person) -> tuple[str, ...]:
    """The measures of the contest whose values this viewer may see, in the order of its rules."""
    hidden = hidden_measures(contest, viewer)
    return tuple(measure for measure in contest.ruleset.measures if measure not in hidden)
