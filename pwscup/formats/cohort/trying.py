# SPDX-License-Identifier: Apache-2.0
"""The synthesizers that teams may try on their own cohort."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from pwscup.formats.trying import Method, Slider

if TYPE_CHECKING:
    from pwscup.contests.models import Round
    from pwscup.formats.trying import Attempt, Tried

METHODS = (
    Method(
        "trees",
        _("Decision trees"),
        _("Each column is drawn from records that are alike in the columns before it."),
        (Slider("leaf", _("Records that count as alike, at least"), 2, 100, 1, 10),),
    ),
    Method(
        "copula",
        _("Gaussian copula"),
        _("The columns keep their values and the correlations of their ranks."),
    ),
    Method(
        "bootstrap",
        _("Drawn records with noise"),
        _("Records are drawn with replacement; numbers get noise, and some categories change."),
        (
            Slider(
                "noise",
                _("Noise, as a share of the standard deviation"),
                0,
                1,
                0.05,
                0.2,
                _("noise"),
            ),
        ),
    ),
    Method(
        "independent",
        _("Independent columns"),
        _("Each column is drawn from its own values, whatever the other columns are."),
    ),
)


class SyntheticTrials:
    """Synthesizers on the team's own records."""

    chains = False

    def methods(self, _round: Round) -> tuple[Method, ...]:
        return METHODS

    def attacker(self, id_: str) -> str:
        return gettext(id_)

    def run(self, attempt: Attempt) -> Tried:
        from pwscup.formats.cohort import trials  # imports pandas, which pages do not load

        return trials.of_table(attempt)


TABLES = SyntheticTrials()
