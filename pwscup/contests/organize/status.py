# SPDX-License-Identifier: Apache-2.0
"""The organizer's first page: warnings, what is missing, and the list of what to do after the last round."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from pwscup.accounts.policies import is_over
from pwscup.contests import policies, selectors, services
from pwscup.contests.organize.wizard import smallest_number_of_teams
from pwscup.contests.teams import tables

if TYPE_CHECKING:
    from datetime import datetime

    from django.http import HttpRequest

    from pwscup.accounts.models import OfficeInvitation
    from pwscup.contests.models import Contest, Dataset, TableDraft


@dataclass(frozen=True, slots=True)
class Item:
    """A line of the closing checklist: a page, and the state of what is done there."""

    title: str
    url: str
    state: str
    is_done: bool


def status(request: HttpRequest, contest: Contest, now: datetime) -> dict[str, Any]:
    """The context of the first page, apart from its forms."""
    dataset, draft = selectors.original_of(contest), selectors.draft_of(contest)
    n_teams, is_finished = contest.teams.count(), is_over(contest, now)
    fewest = smallest_number_of_teams(contest.ruleset)
    return {
        "dataset": dataset,
        "draft": draft,
        "missing": selectors.missing_for_publication(contest),
        "warnings": [] if contest.is_published else _warnings(contest, dataset, draft),
        "address": request.build_absolute_uri(reverse("contest", args=[contest.slug])),
        "is_over": is_finished,
        "closing": closing(contest, now) if is_finished and contest.is_published else [],
        "n_teams": n_teams,
        "fewest": fewest if n_teams < fewest != 1 and _may_add_teams(contest) else 0,
    }


def shows_judges(contest: Contest, invited: list[OfficeInvitation]) -> bool:
    """There are presentations to grade, or somebody is a judge already."""
    judged = any(round.format.is_judged for round in contest.rounds.all())
    asked = any(invitation.office == invitation.Office.JUDGE for invitation in invited)
    return judged or asked or contest.judges.exists()


def _warnings(contest: Contest, dataset: Dataset | None, draft: TableDraft | None) -> list[str]:
    """What is known about the columns of the confirmed table."""
    if dataset is None:
        return []
    seen = draft if selectors.is_confirmed(draft, dataset) else None
    return contest.format.setup.warnings(contest, dataset.schema, seen, dataset)


def _may_add_teams(contest: Contest) -> bool:
    return services.may_change_baseline_teams(contest) and tables.n_teams_left(contest) != 0


def closing(contest: Contest, now: datetime) -> list[Item]:
    """What is left to do after the last round, with its state."""
    rows = [
        ("organize-board", _("Freeze and ceremony"), _board(contest)),
        ("organize-debriefing", _("Debriefing"), _debriefing(contest)),
        ("organize-report", _("Final report"), _report(contest)),
        ("organize-report", _("Certificates"), _certificates(contest, now)),
        ("organize-events", _("Secret of the random draws"), _secret(contest, now)),
        ("organize-archive", _("Archive"), _archive(contest)),
    ]
    return [
        Item(title, reverse(page, args=[contest.slug]), *state)
        for page, title, state in rows
        if state is not None
    ]


State = tuple[str, bool]


def _board(contest: Contest) -> State:
    if contest.ceremonies.filter(finished_at=None).exists():
        return _("a ceremony is in progress"), False
    if contest.frozen_at is not None:
        return _("frozen: reveal it, with a ceremony or without"), False
    return _("the final order is shown"), True


def _debriefing(contest: Contest) -> State:
    found = getattr(contest, "debriefing", None)
    if found is not None and found.state == "done":
        return _("computed"), True
    return _("not computed yet"), False


def _report(contest: Contest) -> State:
    if contest.final_reports.exclude(published_at=None).exists():
        return pgettext("closing checklist", "published"), True
    if contest.final_reports.filter(state="done").exists():
        return _("written, not published yet"), False
    return _("not created yet"), False


def _certificates(contest: Contest, now: datetime) -> State:
    if contest.frozen_at is None and policies.are_results_complete(contest, now):
        return _("ready to download"), True
    return _("ready when the results are final and shown"), False


def _secret(contest: Contest, now: datetime) -> State | None:
    if not contest.commitment:
        return None
    if contest.revealed_at is not None:
        return pgettext("closing checklist", "published"), True
    if policies.is_settled(contest, now):
        return _("not published yet"), False
    return _("can be published when all uploads have arrived"), False


def _archive(contest: Contest) -> State:
    if contest.archives.filter(state="done").exists():
        return _("created"), True
    return _("not created yet"), False
