"""Reports and certificates as this viewer may have them."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from pwscup.contests.policies import may_see_board
from pwscup.reports.models import FinalReport
from pwscup.reports.outcome import obstacles

if TYPE_CHECKING:
    from pwscup.contests.models import Contest
    from pwscup.contests.policies import Person
    from pwscup.core.texts.refusals import Words


def newest(contest: Contest) -> FinalReport | None:
    """The version that was asked for last."""
    return contest.final_reports.order_by("pk").last()


def published_versions(contest: Contest) -> list[FinalReport]:
    """Every version that was handed out, the newest first."""
    found = contest.final_reports.exclude(published_at=None).select_related("published_by")
    return list(found.order_by("-published_at", "-pk"))


def obstacles_to_report(contest: Contest, now: datetime) -> list[Words]:
    """Why no report may be made or shown now: it tells of every round."""
    return obstacles(contest, now, list(contest.rounds.all()))


def public_report(user: Person, contest: Contest, now: datetime) -> FinalReport | None:
    """The report as it was published last, for those who may see the boards that are in it.

    While the boards are frozen or a round is open again nobody gets it, nor one that shows a measure
    which was hidden since.
    """
    found = contest.final_reports.exclude(published_at=None).order_by("published_at", "pk").last()
    if found is None or not may_see_board(user, contest) or obstacles_to_report(contest, now):
        return None
    shows_hidden = set(contest.hidden_measures) - set(found.hidden_measures)
    return None if shows_hidden else found


def page_of(report: FinalReport, language: str) -> str | None:
    """The report in a language; None before it is written."""
    found = report.pages.filter(language=language).first() or report.pages.first()
    return found.html if found else None
