# SPDX-License-Identifier: Apache-2.0
"""Queries about reports and certificates, restricted to the viewer's permissions."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from pwscup.contests.policies import may_see_board
from pwscup.reports.models import FinalReport
from pwscup.reports.outcome import blockers

if TYPE_CHECKING:
    from pwscup.contests.models import Contest
    from pwscup.contests.policies import Person
    from pwscup.core.texts.refusals import Text


def newest(contest: Contest) -> FinalReport | None:
    """The version requested last."""
    return contest.final_reports.order_by("pk").last()


def published_versions(contest: Contest) -> list[FinalReport]:
    """Every published version, the newest first."""
    found = contest.final_reports.exclude(published_at=None).select_related("published_by")
    return list(found.order_by("-published_at", "-pk"))


def report_blockers(contest: Contest, now: datetime) -> list[Text]:
    """The reasons why no report may be written or shown now: it contains all rounds."""
    return blockers(contest, now, list(contest.rounds.all()))


def public_report(user: Person, contest: Contest, now: datetime) -> FinalReport | None:
    """The report published last, for users who may see its boards.

    It is hidden while the boards are frozen or a round is reopened, and if it contains a measure that was
    hidden later.
    """
    found = contest.final_reports.exclude(published_at=None).order_by("published_at", "pk").last()
    if found is None or not may_see_board(user, contest) or report_blockers(contest, now):
        return None
    shows_hidden = set(contest.hidden_measures) - set(found.hidden_measures)
    return None if shows_hidden else found


def page_of(report: FinalReport, language: str) -> str | None:
    """The report in a language; None before it is written."""
    found = report.pages.filter(language=language).first() or report.pages.first()
    return found.html if found else None
