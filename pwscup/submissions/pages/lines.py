# SPDX-License-Identifier: Apache-2.0
"""Lines of lists of submissions: results as far as the viewer may see them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from pwscup.contests.rules.measures import ShownMeasure, hidden_measures, shown_measure
from pwscup.formats import format_of
from pwscup.submissions import policies, selectors
from pwscup.submissions.models import Submission
from pwscup.submissions.results import feedback, finals
from pwscup.submissions.states import UNFINISHED, State

if TYPE_CHECKING:
    from pwscup.submissions.policies import Person
    from pwscup.submissions.results.feedback import Visible
    from scoring.rulesets import Ruleset


REFUSED = (State.REJECTED, State.CANCELLED)


@dataclass(frozen=True, slots=True)
class Line:
    """A submission in a list, with the viewer's information and actions."""

    submission: Submission
    visible: Visible | None
    headline: tuple[tuple[ShownMeasure, float | None], ...]
    worst: float | None
    counts: bool
    may_choose: bool

    @property
    def is_refused(self) -> bool:
        """It used no attempt and has no result: the files were refused, or the team withdrew them."""
        return self.submission.state in REFUSED

    @property
    def unfinished(self) -> bool:
        return self.submission.state in UNFINISHED


def lines(
    submissions: Sequence[Submission], viewer: Person, now: datetime, counting: Iterable[int]
) -> list[Line]:
    """Lines for one team's submissions in one round; decides once for all of them what is visible."""
    scored = next((s for s in submissions if s.state == State.SCORED), None)
    hidden: frozenset[str] = frozenset()
    if scored is None:
        exact = may_choose = is_final = False
    else:
        hidden = hidden_measures(scored.round.contest, viewer)
        exact = policies.may_see_rate(viewer, scored, now)
        may_choose = policies.may_choose(viewer, scored, now)
        is_final = exact and finals.are_final(scored.round, now)
    bands = {} if scored is None or exact else feedback.ladder(scored.team, scored.round)
    counting = set(counting)
    found = []
    for submission in submissions:
        evaluation = selectors.latest_evaluation(submission)
        visible = feedback.visible(
            submission, evaluation, exact=exact, hidden=hidden, is_final=is_final, bands=bands
        )
        found.append(
            Line(
                submission=submission,
                visible=visible,
                headline=headline(visible, submission.round.contest.ruleset, hidden),
                worst=worst_rate(visible, submission.round.contest.ruleset, hidden),
                counts=submission.pk in counting,
                may_choose=may_choose
                and submission.state == State.SCORED
                and submission.pk not in counting,
            )
        )
    return found


def folded(found: Sequence[Line]) -> dict[str, list[Line]]:
    """The lines of a history, and those of refused files, which a page folds."""
    return {
        "history": [line for line in found if not line.is_refused],
        "refused": [line for line in found if line.is_refused],
    }


def headline_of(ruleset: Ruleset, hidden: Collection[str] = ()) -> list[str]:
    """The headline measures of the ruleset; components of utility come first.

    For estimates all measures are shown.
    """
    first = ruleset.ranking.utility_measure
    shown = [key for key in ruleset.measures if key not in hidden]
    usual = format_of(ruleset).rules.HEADLINE
    if usual is None:
        return shown
    if first is None:
        return [key for key in usual if key in shown]
    if not format_of(ruleset).declares_rows:
        shown = [key for key in shown if key in (first, *usual)]
    return sorted(shown, key=lambda key: key != first)[: len(usual)]


def headline(
    visible: Visible | None, ruleset: Ruleset, hidden: Collection[str] = ()
) -> tuple[tuple[ShownMeasure, float | None], ...]:
    """The values of the headline measures; None for hidden ones."""
    values = (visible.values if visible else None) or {}
    return tuple(
        (shown_measure(ruleset.measure(key)), values.get(key))
        for key in headline_of(ruleset, hidden)
    )


def worst_rate(
    visible: Visible | None, ruleset: Ruleset, hidden: Collection[str] = ()
) -> float | None:
    """The highest re-identification rate over the ruleset's attacks; None if one of them is hidden."""
    values = (visible.values if visible else None) or {}
    if any(key in hidden for key in ruleset.ranking.linkage):
        return None
    found = (values.get(key) for key in ruleset.ranking.linkage)
    rates = [rate for rate in found if rate is not None]
    return max(rates, default=None)
