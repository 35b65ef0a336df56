# SPDX-License-Identifier: Apache-2.0
"""The page of a result in tabs: the verdict and the bars, and the history of all attempts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.http import Http404
from django.utils import timezone
from django.utils.translation import gettext as _

from pwscup.accounts.selectors import team_of
from pwscup.contests.rules.measures import ShownMeasure, shown_measure, visible_measures
from pwscup.contests.selectors import contest_page
from pwscup.core.charts import Chart, Line, chart_of
from pwscup.leaderboards.history.places import Comparison, Places, comparison_of, verdict
from pwscup.participants.meaning import meaning_of
from pwscup.submissions import policies, selectors
from pwscup.submissions.pages import results
from pwscup.submissions.pages.lines import lines, worst_rate
from pwscup.submissions.states import State

if TYPE_CHECKING:
    from django.http import HttpRequest

    from pwscup.contests.models import Round
    from pwscup.submissions.models import Submission
    from pwscup.submissions.pages.lines import Line as Attempted
    from pwscup.submissions.policies import Person
    from pwscup.submissions.results.counting import Values
    from pwscup.submissions.results.feedback import Visible


def has_tabs(submission: Submission) -> bool:
    """The result is one of a table or series with measures: other results are one page."""
    return submission.target_id is None and submission.round.format.is_attacked


def page_of(request: HttpRequest, submission: Submission) -> dict[str, Any]:
    """The context of the result: that of `submissions`, with verdict and bars where the boards may be compared with."""
    page = results.result_page(request, submission)
    if not page.get("families") or not has_tabs(submission):
        return page
    comparison = comparison_of(submission, request.user, page["now"])
    page |= {
        "tab_of_result": "result",
        "meaning": meaning_of(
            submission, page["visible"].values, comparison, may_audit=page["may_audit"]
        ),
    }
    own = comparison.values_of(submission) if comparison else None
    if comparison is None or own is None:
        return page
    before = previous_of(submission)
    previous = comparison.values_of(before) if before else None
    return page | {
        "verdict": verdict(
            comparison.places(own),
            comparison.places(previous) if previous else None,
            before.number if before else None,
        ),
        "bars": {
            row.measure.id: bar
            for family in page["families"]
            for row in family.rows
            if (bar := comparison.bar(row.measure, own, previous)) is not None
        },
        "previous": before.number if before and previous else None,
    }


def previous_of(submission: Submission) -> Submission | None:
    """The team's scored submission before this one in the same round."""
    own = selectors.submissions_of_team(submission.team, submission.round)
    scored = own.filter(state=State.SCORED, number__lt=submission.number)
    return scored.order_by("-number").first()


def places_page(request: HttpRequest, round: Round) -> dict[str, Any]:
    """Rank and total of each scored submission of the viewer's team in a round, if it counted."""
    team = team_of(request.user, round.contest)
    own = list(selectors.submissions_of_team(team, round)) if team else []
    newest = next((s for s in own if s.state == State.SCORED), None)
    if newest is None or not has_tabs(newest):
        return {"attempts": []}
    return {"attempts": _attempts(newest, request.user, timezone.now(), [])}


# The history


@dataclass(frozen=True, slots=True)
class Attempt:
    """A scored submission of the team: its values in the order of the measures, and its places if it counted."""

    line: Attempted
    utility: float | None
    worst: float | None
    values: tuple[tuple[ShownMeasure, float | int | None], ...]
    places: Places | None


def history_page(request: HttpRequest, submission: Submission) -> dict[str, Any]:
    """The context of the history of all attempts in a round; Http404 where results have no tabs."""
    if not has_tabs(submission):
        raise Http404
    round = submission.round
    page = contest_page(request, round.contest, round.key)
    now, viewer = page["now"], request.user
    measures = [
        shown_measure(round.contest.ruleset.measure(id_))
        for id_ in visible_measures(round.contest, viewer)
    ]
    found = _attempts(submission, viewer, now, measures)
    return page | {
        "round": round,
        "submission": submission,
        "tab_of_result": "history",
        "may_audit": policies.may_audit(viewer, submission, now),
        "measures": measures,
        "attempts": found,
        "charts": _charts(found),
        "has_places": any(one.places and one.places.rank is not None for one in found),
        "has_utility": any(one.utility is not None for one in found),
        "has_rates": any(one.worst is not None for one in found),
    }


def csv_header(page: Mapping[str, Any]) -> list[str]:
    """The columns of the history as CSV."""
    fixed = ("submission", "arrived", "rank", "total", "utility", "worst_rate")
    return [*fixed, *(measure.id for measure in page["measures"])]


def csv_rows(page: Mapping[str, Any]) -> Iterator[list[object]]:
    """The attempts of a history, the oldest first; empty where there is no value."""
    zone = page["contest"].tz
    for one in page["attempts"]:
        sent, places = one.line.submission, one.places
        cells = [
            sent.number,
            sent.arrived_at.astimezone(zone).isoformat(),
            places and places.rank,
            places and places.total,
            one.utility,
            one.worst,
            *(value for _measure, value in one.values),
        ]
        yield ["" if cell is None else cell for cell in cells]


def _attempts(
    submission: Submission, viewer: Person, now: datetime, measures: Sequence[ShownMeasure]
) -> list[Attempt]:
    """The scored submissions whose exact values the viewer may see, the oldest first."""
    round = submission.round
    own = list(selectors.submissions_of_team(submission.team, round))
    counted = selectors.counted_submission(submission.team, round)
    listed = lines(own, viewer, now, [counted.pk] if counted else [])
    comparison = comparison_of(submission, viewer, now)
    return [
        _attempt(line, line.visible, line.visible.values, comparison, measures)
        for line in sorted(listed, key=lambda line: line.submission.number)
        if line.visible is not None and line.visible.values
    ]


def _attempt(
    line: Attempted,
    visible: Visible,
    values: Values,
    comparison: Comparison | None,
    measures: Sequence[ShownMeasure],
) -> Attempt:
    ruleset = line.submission.round.contest.ruleset
    own = comparison.values_of(line.submission) if comparison else None
    shown = {measure.id for measure in measures}
    hidden = set(ruleset.measures) - shown
    return Attempt(
        line=line,
        utility=ruleset.ranking.utility_in(values),
        worst=worst_rate(visible, ruleset, hidden),
        values=tuple((measure, values.get(measure.id)) for measure in measures),
        places=comparison.places(own) if comparison and own else None,
    )


def _charts(attempts: Sequence[Attempt]) -> list[Chart]:
    """Ranks over the attempts; utility and the highest rate over the attempts."""
    if len(attempts) < 2:
        return []
    numbers = [one.line.submission.number for one in attempts]
    names = [f"#{number}" for number in numbers]
    ranks = [one.places.rank if one.places else None for one in attempts]
    n = max((one.places.n for one in attempts if one.places), default=2)
    drawn = [
        chart_of(
            [Line(_("Rank"), "own", ranks)],
            numbers,
            names,
            label=_(
                "The rank that each attempt would have now; the same numbers are in the table."
            ),
            text=lambda rank: str(round(rank)),
            low=1,
            high=max(2, n),
            is_down=True,
            is_whole=True,
        ),
        chart_of(
            [
                Line(_("Utility"), "utility", [one.utility for one in attempts]),
                Line(
                    _("Highest re-identification rate"),
                    "attack",
                    [None if one.worst is None else 100 * one.worst for one in attempts],
                ),
            ],
            numbers,
            names,
            label=_(
                "Utility and the highest re-identification rate of each attempt, 0 to 100; the same numbers are in the "
                "table."
            ),
            text=lambda value: f"{value:.0f}",
            low=0,
            high=100,
        ),
    ]
    return [chart for chart in drawn if chart is not None]
