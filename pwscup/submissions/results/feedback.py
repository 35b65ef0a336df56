# SPDX-License-Identifier: Apache-2.0
"""The feedback for a viewer: the exact result, a band, or nothing yet."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from django.utils.translation import get_language

from pwscup.contests.rules.measures import hidden_measures
from pwscup.core.texts.parts import percent
from pwscup.submissions import policies
from pwscup.submissions.results import finals
from scoring.rulesets.base import localized

if TYPE_CHECKING:
    from pwscup.contests.models import Round
    from pwscup.submissions.models import Evaluation, Submission
    from pwscup.submissions.policies import Person

Values = Mapping[str, float | int | None]
BAND_WIDTH = 10
BILLION = 10**9
"""Rates have nine decimals."""


@dataclass(frozen=True, slots=True)
class Band:
    """A rate in steps of ten percentage points: `low` ≤ 100 × rate < `high`, a rate of 1 in the last band."""

    low: int
    high: int

    @classmethod
    def of(cls, hits: int, n_records: int) -> Band:
        """The band of `hits` among `n_records`, in integers so that rounding moves no boundary."""
        step = min(100 // BAND_WIDTH - 1, hits * (100 // BAND_WIDTH) // max(n_records, 1))
        return cls(step * BAND_WIDTH, (step + 1) * BAND_WIDTH)

    def __str__(self) -> str:
        return percent(f"{self.low}–{self.high}")


@dataclass(frozen=True, slots=True)
class NamedBand:
    """A band of rates with a name of the rules."""

    title: Mapping[str, str]

    def __str__(self) -> str:
        return localized(self.title, get_language() or "en")


def band_of(of: Round, values: Values) -> Band | NamedBand:
    """The band of a rate: one that the rules name, or one of ten percentage points."""
    if not of.format.asks_questions:
        return Band.of(int(values["hits"] or 0), int(values["n_records"] or 0))
    rate = float(values["rate"] or 0)
    named = of.spec.band(rate)
    return NamedBand(named.title) if named else Band.of(round(rate * BILLION), BILLION)


@dataclass(frozen=True, slots=True)
class Visible:
    """The visible part of a result: the exact `values`, or only the `band` of the rate."""

    values: Values | None = None
    band: Band | NamedBand | None = None


def visible_values(
    submission: Submission, evaluation: Evaluation | None, viewer: Person, now: datetime
) -> Visible | None:
    """The part of the result that this viewer may see; None if nothing."""
    if evaluation is None or not policies.may_see(viewer, submission):
        return None
    exact = policies.may_see_rate(viewer, submission, now)
    hidden = hidden_measures(submission.round.contest, viewer)
    is_final = exact and finals.are_final(submission.round, now)
    return visible(submission, evaluation, exact=exact, hidden=hidden, is_final=is_final)


def visible(
    submission: Submission,
    evaluation: Evaluation | None,
    *,
    exact: bool,
    hidden: Collection[str] = (),
    is_final: bool = False,
) -> Visible | None:
    """The visible part for a user who may see the submission; lists compute the other arguments once per team.

    The values of `hidden` measures are always left out.
    """
    if evaluation is None:
        return None
    if exact:
        values = finals.values_of(evaluation, is_final=is_final) or {}
        # the value of a table that is part of a submission is named measure.table
        shown = {key: v for key, v in values.items() if key.partition(".")[0] not in hidden}
        return Visible(shown)
    round = submission.round
    values = evaluation.values or {}
    if round.feedback == round.Feedback.COARSE and "hits" in values:
        return Visible(band=band_of(round, values))
    return None
