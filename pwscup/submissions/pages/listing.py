# SPDX-License-Identifier: Apache-2.0
"""The organizer's list of all submissions, as a page and as CSV."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from django import forms
from django.core.paginator import Paginator
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from pwscup.contests.forms.common import RoundField
from pwscup.contests.organize.common import organizer_page
from pwscup.core.files.exports import Seconds, local_time
from pwscup.core.http.fields import choice_field, row_field
from pwscup.core.texts.problems import SEPARATOR, parts
from pwscup.submissions import selectors
from pwscup.submissions.models import Submission
from pwscup.submissions.results import finals
from pwscup.submissions.results.counting import Values, newest_results
from pwscup.submissions.states import State
from scoring.reporting.spreadsheets import ROWS_AT_A_TIME

if TYPE_CHECKING:
    from uuid import UUID
    from zoneinfo import ZoneInfo

    from django.db.models import QuerySet
    from django.http import HttpRequest

    from pwscup.accounts.models import Team
    from pwscup.contests.models import Contest
    from scoring.errors import Problem

PER_PAGE = 50
MARKS = ("n_records", "hits", "rate")


class FilterForm(forms.Form):
    """The filters of the list; an invalid filter is ignored."""

    team: forms.ModelChoiceField[Team] = forms.ModelChoiceField(
        None, to_field_name="slug", required=False, label=_("Team")
    )
    round = RoundField(None, to_field_name="key", required=False, label=_("Round"))
    state = forms.ChoiceField(required=False, label=_("Status"))

    def __init__(self, contest: Contest, data: Mapping[str, Any]) -> None:
        super().__init__(data)
        row_field(self, "team").queryset = contest.teams.order_by("name")
        row_field(self, "team").empty_label = _("all teams")
        row_field(self, "round").queryset = contest.rounds.select_related("contest")
        row_field(self, "round").empty_label = _("all rounds")
        choice_field(self, "state").choices = [("", _("all states")), *State.choices]

    def chosen(self) -> dict[str, Any]:
        """The active filters."""
        self.full_clean()
        return {name: value for name, value in self.cleaned_data.items() if value}


def found(contest: Contest, form: FilterForm) -> QuerySet[Submission]:
    """The contest's submissions that match the filters, the newest first."""
    return selectors.submissions_in(contest).filter(**form.chosen())


def submissions_page(request: HttpRequest, contest: Contest) -> dict[str, Any]:
    """One page of the list."""
    form = FilterForm(contest, request.GET)
    page = Paginator(found(contest, form), PER_PAGE).get_page(request.GET.get("page"))
    causes = selectors.causes(contest, page)
    kept = {key: value for key, value in request.GET.items() if key in form.fields and value}
    return organizer_page(request, contest, "submissions") | {
        "form": form,
        "page": page,
        "lines": [
            (submission, selectors.newest_evaluation(submission), _cause(submission, causes))
            for submission in page
        ],
        "query": urlencode(kept),
        "filtered": bool(form.chosen()),
        "n_failed": selectors.n_failed(contest),
    }


def _cause(submission: Submission, causes: Mapping[UUID, Problem]) -> str:
    cause = causes.get(submission.public_id)
    return SEPARATOR.join(parts(cause)) if cause else ""


# Export


def header(contest: Contest) -> list[str]:
    """The columns of the export, with the measures of the rules."""
    fixed = ["id", "team", "round", "number", "target", "state", "arrived_at", "finished_at"]
    more = ["submitted_by", "note", "n_problems", "reference", "seconds"]
    return [*fixed, *more, *contest.ruleset.measures, *MARKS]


COLUMNS = (
    "public_id",
    "team__name",
    "round__key",
    "number",
    "target__team__name",
    "state",
    Seconds("arrived_at"),
    Seconds("finished_at"),
    "submitted_by__display_name",
    "note",
    "n_problems",
    "reference",
)


def export_rows(contest: Contest, chosen: dict[str, Any]) -> Iterator[list[object]]:
    """One row per submission, the newest first, with times in the contest's zone; read in parts."""
    found = Submission.objects.filter(round__contest=contest, **chosen)
    keys = array("q", found.order_by(*selectors.NEWEST_FIRST).values_list("pk", flat=True))
    parts = [keys[start : start + ROWS_AT_A_TIME] for start in range(0, len(keys), ROWS_AT_A_TIME)]
    ends = {pk for part in parts for pk in (part[0], part[-1])}
    arrived_at = dict(found.filter(pk__in=ends).values_list("pk", "arrived_at"))
    zone = contest.tz
    measures, final = (*contest.ruleset.measures, *MARKS), finals.rounds_of(contest, timezone.now())
    for part in parts:
        between = Q(arrived_at__gte=arrived_at[part[-1]], arrived_at__lte=arrived_at[part[0]])
        results = newest_results(contest, found.filter(between), final, *COLUMNS)
        for pk in part:
            if pk in results:
                yield _export_row(zone, *results[pk], measures)


def _export_row(
    zone: ZoneInfo,
    cells: tuple[Any, ...],
    seconds: float | None,
    values: Values,
    measures: Sequence[str],
) -> list[object]:
    public_id, *start, target, state, arrived, finished, person, note, n_problems, reference = cells
    if state != State.SCORED:
        seconds, values = None, {}
    return [
        str(public_id),
        *start,
        target or "",
        state,
        local_time(arrived, zone),
        local_time(finished, zone) if finished else "",
        person or "",
        note,
        n_problems,
        reference,
        "" if seconds is None else seconds,
        *["" if (value := values.get(key)) is None else value for key in measures],
    ]
