# SPDX-License-Identifier: Apache-2.0
"""The methods that teams may try on their own tables, and the first attacks among candidates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy as _

from pwscup.formats.common.trying import (
    EUCLIDEAN,
    GOWER,
    LEVELS,
    MONDRIAN,
    ONE_EACH,
    RANK_SWAP,
    RESPONSE,
    RowTrials,
    TableTrials,
)
from pwscup.formats.trying import Method, Slider

if TYPE_CHECKING:
    from pwscup.contests.models import Round
    from pwscup.formats.trying import Attempt, Tried

EXPOSED = Method(
    "exposed",
    _("Delete the most exposed records"),
    _("The records that differ most from all others are left blank."),
    (Slider("n", _("Number of records"), 1, 50, 1, 5),),
)
LAPLACE = Method(
    "laplace",
    _("Laplace noise"),
    _("Every number gets noise, and becomes the nearest number that occurs in its column."),
    (Slider("epsilon", _("ε of each value: the smaller, the more noise"), 1, 50, 1, 10, "ε"),),
)


class OwnTableTrials(TableTrials):
    """Methods on a team's own table, whose values it may not invent."""

    def methods(self, round: Round) -> tuple[Method, ...]:
        deletes = (EXPOSED,) if round.contest.ruleset.validity.blank_records else ()
        return (LEVELS, MONDRIAN, *deletes, LAPLACE, RESPONSE, RANK_SWAP)

    def run(self, attempt: Attempt) -> Tried:
        from pwscup.formats.per_team import trials  # imports pandas, which pages do not load

        return trials.of_table(attempt)


class CandidateTrials(RowTrials):
    """First guesses among the candidates of a release."""

    def methods(self, _round: Round) -> tuple[Method, ...]:
        return (GOWER, EUCLIDEAN, ONE_EACH)

    def run(self, attempt: Attempt) -> Tried:
        from pwscup.formats.per_team import trials

        return trials.of_candidates(attempt)


TABLES, CANDIDATES = OwnTableTrials(), CandidateTrials()
