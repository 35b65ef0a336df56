# SPDX-License-Identifier: Apache-2.0
"""The methods that teams may try on their series of tables, and the first guesses of values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy as _

from pwscup.formats.trying import Method, Slider

if TYPE_CHECKING:
    from pwscup.contests.models import Round
    from pwscup.formats.trying import Attempt, Tried

LARGEST_MORE = 4
"""Groups may have so many more values than the rules require."""
TITLES = {
    "m-invariance": (
        _("m-invariance"),
        _("Each group has m different values, and individuals keep the values of their group."),
    ),
    "improved": (
        _("m-invariance, improved"),
        _(
            "Regions are also changed where counting rows would give a value away; individuals for whom none is safe "
            "are left out."
        ),
    ),
    "last": (
        _("m-invariance with previous groups"),
        _("Each group also names the group of the release before that its individuals were in."),
    ),
}


GUESSERS = (
    Method(
        "intersection",
        _("Intersection of releases"),
        _("The values that remain possible in all releases, and of those the most frequent."),
    ),
    Method(
        "baseline",
        _("Most frequent value"),
        _("The most frequent value of the rows that could be the individual's at first."),
    ),
)


def attacker(id_: str) -> str:
    """The title of an attacker."""
    return next((str(method.title) for method in GUESSERS if method.key == id_), id_)


class SeriesTrials:
    """Methods of publication on the tables of a team."""

    chains = False

    def methods(self, round: Round) -> tuple[Method, ...]:
        spec = round.contest.ruleset.sequential
        least = 2 if spec is None else spec.m
        slider = Slider(
            "m", _("m: different values in a group"), least, least + LARGEST_MORE, 1, least
        )
        return tuple(Method(key, *texts, (slider,)) for key, texts in TITLES.items())

    def attacker(self, id_: str) -> str:
        return attacker(id_)

    def run(self, attempt: Attempt) -> Tried:
        from pwscup.formats.series import trials  # imports pandas, which pages do not load

        return trials.of_series(attempt)


class ValueTrials:
    """First guesses of values."""

    chains = False

    def methods(self, _round: Round) -> tuple[Method, ...]:
        return GUESSERS

    def attacker(self, id_: str) -> str:
        return attacker(id_)

    def run(self, attempt: Attempt) -> Tried:
        from pwscup.formats.series import trials

        return trials.of_values(attempt)


SERIES, VALUES = SeriesTrials(), ValueTrials()
