"""A measure of the library as pages show it, and the headings of its families."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from pwscup.accounts.policies import is_organizer
from scoring.registry import ALL_MEASURES

if TYPE_CHECKING:
    from pwscup.contests.models import Contest
    from pwscup.contests.policies import Person

FAMILIES = {
    "utility": _("Utility: what was lost"),
    "anonymity": _("Safety: how large the crowd is"),
    "linkage": _("Attacks: how many records are found"),
    "risk": _("Risk: how likely somebody is found"),
    "diversity": _("Diversity: what a class tells of its members"),
    "similarity": _("Similarity: what the table can still be used for"),
    "generalization": _("Generalization: what equal quasi-identifiers cost"),
    "disclosure": _("Disclosure: what is learned about members more than about strangers"),
}
"""Headings of the rules page."""
FAMILIES_OF_SERIES = {
    "utility": _("Utility: what the releases have lost"),
    "risk": _("Risk: how sure an attacker may be of a person's value"),
}
"""The same, where they differ for the measures of a series of releases."""
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
"""The same, where they differ for the measures of a series of releases."""

LOSSES = ("utility", "similarity")
"""Families of what a table has lost: 0 is nothing, where lower is better."""


@dataclass(frozen=True, slots=True)
class ShownMeasure:
    """A measure with its texts in the reader's language: the title, a sentence, the better way and both ends."""

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
    """Whether it says how often an attacker succeeds: shown as a percentage."""

    @property
    def is_loss(self) -> bool:
        """Whether 0 means that nothing is lost."""
        return self.family in LOSSES and self.direction == "lower"

    def best_of(self, values: Iterable[float | None]) -> float | None:
        """The best of the values that are known."""
        return ALL_MEASURES[self.id].best_of(values)


def shown_measure(id_: str) -> ShownMeasure:
    """The measure with that identifier; KeyError where there is none."""
    measure = ALL_MEASURES[id_]
    lower = measure.direction == "lower"
    return ShownMeasure(
        id=measure.id,
        name=measure.name,
        title=gettext(measure.title),
        summary=gettext(measure.summary),
        family=measure.family,
        direction=measure.direction,
        arrow="↓" if lower else "↑",
        better=gettext("lower is better") if lower else gettext("higher is better"),
        best=gettext(measure.best),
        worst=gettext(measure.worst),
        is_rate=measure.is_rate,
    )


def hidden_measures(contest: Contest, viewer: Person) -> frozenset[str]:
    """The measures of the contest whose values this viewer is not shown; none for its organizers."""
    hidden = frozenset(contest.hidden_measures)
    return frozenset() if not hidden or is_organizer(viewer, contest) else hidden


def visible_measures(contest: Contest, viewer: Person) -> tuple[str, ...]:
    """The measures of the contest whose values this viewer may see, in the order of its rules."""
    hidden = hidden_measures(contest, viewer)
    return tuple(measure for measure in contest.ruleset.measures if measure not in hidden)
