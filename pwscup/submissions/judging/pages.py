# SPDX-License-Identifier: Apache-2.0
"""Context of the page of the judges' grades."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pwscup.accounts.models import User
from pwscup.contests.guidance import round_state
from pwscup.contests.selectors import contest_page
from pwscup.submissions import policies
from pwscup.submissions.judging import grades
from pwscup.submissions.judging.forms import MarksForm

if TYPE_CHECKING:
    from django.http import HttpRequest, QueryDict

    from pwscup.accounts.models import Team
    from pwscup.contests.models import Round


def form_for(request: HttpRequest, round: Round, data: QueryDict | None = None) -> MarksForm:
    """The judge's form with the current grades."""
    held = grades.own_marks(round, request.user)
    initial = {"seen": grades.last_of(round, request.user)}
    teams, criteria = grades.speakers(round), grades.titled_criteria(round)
    written = grades.own_comments(round, request.user)
    return MarksForm(teams, criteria, held, written, data, initial=initial)


def marks_page(request: HttpRequest, round: Round, form: MarksForm) -> dict[str, Any]:
    """The form, or the reason why there is none; missing grades; and, for organizers, all grades."""
    context = contest_page(request, round.contest, round.key)
    now = context["now"]
    missing = _missing(form)
    return context | {
        "round": round,
        "round_state": round_state(round, now),
        "form": form,
        "may_mark": policies.may_mark(request.user, round, now),
        "criteria": form.criteria,
        "missing": missing,
        "n_missing": sum(len(titles) for _team, titles in missing),
        "summary": summary_of(round) if context["is_organizer"] else None,
    }


def _missing(form: MarksForm) -> list[tuple[Team, list[str]]]:
    """The criteria by which the judge has not graded a team yet."""
    found = [
        (team, [title for key, title in form.criteria if (team.pk, key) not in form.held])
        for team in form.teams
    ]
    return [(team, titles) for team, titles in found if titles]


@dataclass(frozen=True, slots=True)
class Cell:
    """The grades of one team by one criterion, with their mean; None if there is none."""

    mean: float | None
    given: tuple[tuple[str, Any], ...]


@dataclass(frozen=True, slots=True)
class Row:
    team: Team
    cells: tuple[Cell, ...]
    comments: tuple[tuple[str, str], ...]


def summary_of(round: Round) -> list[Row]:
    """All grades, team by team, and their means."""
    criteria = grades.titled_criteria(round)
    given, means, written = grades.newest(round), grades.means(round), grades.comments(round)
    judges = {key[0] for key in (*given, *written) if key[0] is not None}
    people: dict[int | None, str] = dict(
        User.objects.filter(pk__in=judges).values_list("pk", "display_name")
    )
    cells: dict[grades.Key, list[tuple[str, Any]]] = {}
    for (judge, team, criterion), points in given.items():
        cells.setdefault((team, criterion), []).append((people.get(judge, "–"), points))
    return [
        Row(
            team,
            tuple(
                Cell(means.get((team.pk, key)), tuple(sorted(cells.get((team.pk, key), []))))
                for key, _title in criteria
            ),
            tuple(
                (people.get(judge, "–"), text)
                for (judge, pk), text in written.items()
                if pk == team.pk
            ),
        )
        for team in grades.speakers(round)
    ]
