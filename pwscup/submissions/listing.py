"""The organizer's list of everything that was handed in, on a page and as CSV."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from django import forms
from django.core.paginator import Paginator
from django.utils.translation import gettext_lazy as _

from pwscup.contests.organizer_common import organizer_page
from pwscup.submissions import selectors
from pwscup.submissions.states import State

if TYPE_CHECKING:
    from django.db.models import QuerySet
    from django.http import HttpRequest, QueryDict

    from pwscup.contests.models import Contest
    from pwscup.submissions.models import Submission

PER_PAGE = 50
MARKS = ("n_records", "hits", "rate")


class FilterForm(forms.Form):
    """Which submissions are listed; a filter that is not understood filters nothing."""

    team = forms.ModelChoiceField(None, to_field_name="slug", required=False, label=_("Team"))
    round = forms.ModelChoiceField(None, to_field_name="key", required=False, label=_("Round"))
    state = forms.ChoiceField(required=False, label=_("State"))

    def __init__(self, contest: Contest, data: QueryDict) -> None:
        super().__init__(data)
        self.fields["team"].queryset = contest.teams.order_by("name")
        self.fields["team"].empty_label = _("all teams")
        self.fields["round"].queryset = contest.rounds.select_related("contest")
        self.fields["round"].empty_label = _("all rounds")
        self.fields["round"].label_from_instance = lambda round: round.local_title
        self.fields["state"].choices = [("", _("all states")), *State.choices]

    def chosen(self) -> dict[str, Any]:
        """The filters in use."""
        self.full_clean()
        return {name: value for name, value in self.cleaned_data.items() if value}


def found(contest: Contest, form: FilterForm) -> QuerySet[Submission]:
    """The contest's submissions that pass the filters, the newest first."""
    return selectors.submissions_in(contest).filter(**form.chosen())


def submissions_page(request: HttpRequest, contest: Contest) -> dict[str, Any]:
    """One page of the list."""
    form = FilterForm(contest, request.GET)
    page = Paginator(found(contest, form), PER_PAGE).get_page(request.GET.get("page"))
    kept = {key: value for key, value in request.GET.items() if key in form.fields and value}
    return organizer_page(request, contest, "submissions") | {
        "form": form,
        "page": page,
        "lines": [(submission, selectors.newest_evaluation(submission)) for submission in page],
        "query": urlencode(kept),
        "filtered": bool(form.chosen()),
        "n_failed": selectors.n_failed(contest),
    }


# Export


def header(contest: Contest) -> list[str]:
    """The columns of the export; measures as the rules name them."""
    fixed = ["id", "team", "round", "number", "target", "state", "arrived_at", "finished_at"]
    more = ["submitted_by", "note", "n_problems", "reference", "seconds"]
    return [*fixed, *more, *contest.ruleset.measures, *MARKS]


def export_rows(contest: Contest, submissions: QuerySet[Submission]) -> Iterator[list[object]]:
    """One row a submission, its times in the contest's zone."""
    for submission in submissions.iterator(chunk_size=500):
        yield _export_row(contest, submission)


def _export_row(contest: Contest, submission: Submission) -> list[object]:
    evaluation = selectors.latest_evaluation(submission)
    values = evaluation.values if evaluation else {}
    finished = submission.finished_at
    return [
        submission.public_id,
        submission.team.name,
        submission.round.key,
        submission.number,
        submission.target.team.name if submission.target else "",
        submission.state,
        submission.arrived_at.astimezone(contest.tz).isoformat(timespec="seconds"),
        finished.astimezone(contest.tz).isoformat(timespec="seconds") if finished else "",
        submission.submitted_by.display_name if submission.submitted_by else "",
        submission.note,
        submission.n_problems,
        submission.reference,
        evaluation.seconds if evaluation else "",
        *(
            "" if values.get(key) is None else values[key]
            for key in (*contest.ruleset.measures, *MARKS)
        ),
    ]
