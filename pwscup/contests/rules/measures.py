"""A measure of the library as pages show it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

from pwscup.accounts.policies import is_organizer
from scoring.registry import ALL_MEASURES

if TYPE_CHECKING:
    from pwscup.contests.models import Contest
    from pwscup.contests.policies import Person

LOSSES = ("utility", "similarity")
"""Families of what a table has lost: 0 is nothing, where lower is better."""


@dataclass(frozen=True, slots=True)
class ShownMeasure:
    """A measure with its title and the way that is better, in the reader's language."""

    id: str
    name: str
    title: str
    family: str
    direction: str
    arrow: str
    better: str
    is_rate: bool
    """Whether it says how often an attacker succeeds: shown as a percentage."""

    @property
    def is_loss(self) -> bool:
        """Whether 0 means that nothing is lost."""
        return self.family in LOSSES and self.direction == "lower"

    def best(self, values: Iterable[float | None]) -> float | None:
        """The best of the values that are known."""
        known = [value for value in values if value is not None]
        return (min if self.direction == "lower" else max)(known, default=None)


def shown_measure(id_: str) -> ShownMeasure:
    """The measure with that identifier; KeyError where there is none."""
    measure = ALL_MEASURES[id_]
    lower = measure.direction == "lower"
    return ShownMeasure(
        id=measure.id,
        name=measure.name,
        title=_(measure.title),
        family=measure.family,
        direction=measure.direction,
        arrow="↓" if lower else "↑",
        better=_("lower is better") if lower else _("higher is better"),
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
