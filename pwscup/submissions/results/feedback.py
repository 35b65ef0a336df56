# SPDX-License-Identifier: Apache-2.0
"""The feedback for a viewer: the exact result, a band, or nothing yet."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import TYPE_CHECKING

from django.utils.translation import get_language

from pwscup.contests.rules.measures import hidden_measures
from pwscup.core.texts.parts import percent
from pwscup.submissions import policies
from pwscup.submissions.models import Submission
from pwscup.submissions.results import counting, finals
from pwscup.submissions.states import UNFINISHED
from scoring.rulesets.base import localized
from scoring.scores.ladder import coarse_range, range_of, rung_of

if TYPE_CHECKING:
    from pwscup.accounts.models import Team
    from pwscup.contests.models import Round
    from pwscup.submissions.models import Evaluation
    from pwscup.submissions.policies import Person

Values = Mapping[str, float | int | None]


@dataclass(frozen=True, slots=True)
class Band:
    """A range of rates in per cent: `low` ≤ 100 × rate < `high`, a rate of 1 in the last one."""

    low: int
    high: int

    def __str__(self) -> str:
        return percent(f"{self.low}–{self.high}")


@dataclass(frozen=True, slots=True)
class NamedBand:
    """A band of rates with a name of the rules."""

    title: Mapping[str, str]

    def __str__(self) -> str:
        return localized(self.title, get_language() or "en")


NO_BANDS: Mapping[int, Band] = MappingProxyType({})


def band_of(of: Round, values: Values) -> Band | NamedBand:
    """The band of a rate: one that the rules name, or one of ten percentage points."""
    rate = float(values["rate"] or 0)
    named = of.spec.band(rate)
    return NamedBand(named.title) if named else Band(*coarse_range(rate, of.spec.chance))


def ladder(team: Team, round: Round) -> dict[int, Band]:
    """For each scored guess of a team, by key: the range of the best rate up to it against the same target.

    Withdrawn guesses stay, so that a decision of organizers about one discloses nothing about others. A guess that was
    scored before an earlier one has no range until that one is scored.
    """
    if round.feedback != round.Feedback.LADDER:
        return {}
    guesses = Submission.objects.filter(team=team, round=round, target__isnull=False)
    oldest_first = guesses.order_by("arrived_at", "pk").values_list("pk", "state", "target")
    values = counting.accepted_values(round.contest, guesses)
    best: dict[int, int] = {}
    waiting, found = set[int](), dict[int, Band]()
    for pk, state, target in oldest_first:
        if state in UNFINISHED:
            waiting.add(target)
        scored = values.get(pk)
        if scored is None or target in waiting:
            continue
        n, chance = int(scored["n_records"] or 0), round.spec.chance
        rung = rung_of(float(scored["rate"] or 0), n, chance)
        best[target] = max(rung, best.get(target, 0))
        found[pk] = Band(*range_of(best[target], n, chance))
    return found


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
    bands = {} if exact else ladder(submission.team, submission.round)
    hidden = hidden_measures(submission.round.contest, viewer)
    is_final = exact and finals.are_final(submission.round, now)
    return visible(
        submission, evaluation, exact=exact, hidden=hidden, is_final=is_final, bands=bands
    )


def visible(
    submission: Submission,
    evaluation: Evaluation | None,
    *,
    exact: bool,
    hidden: Collection[str] = (),
    is_final: bool = False,
    bands: Mapping[int, Band] = NO_BANDS,
) -> Visible | None:
    """The visible part for a user who may see the submission; lists compute the other arguments once per team.

    The values of `hidden` measures are always left out. `bands` are those of `ladder`.
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
    band = bands.get(submission.pk)
    return None if band is None else Visible(band=band)
