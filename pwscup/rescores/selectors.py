# SPDX-License-Identifier: Apache-2.0
"""Queries about rules and re-scorings, for organizers only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db.models import Exists, OuterRef, QuerySet

from pwscup.contests.models import Contest, RulesetVersion
from pwscup.submissions.models import Evaluation, Rescore, Submission, SubmissionFile
from pwscup.submissions.selectors import too_slow
from pwscup.submissions.states import State

if TYPE_CHECKING:
    from collections.abc import Iterable

JUDGED = (State.SCORED, State.REJECTED)


def versions(contest: Contest) -> QuerySet[RulesetVersion]:
    """All stored versions of the rules, the newest first."""
    return contest.ruleset_versions.select_related("created_by").order_by("-number")


def undecided(contest: Contest) -> Rescore | None:
    """The re-scoring that waits, runs, has failed, or waits for a decision."""
    decided = (Rescore.State.APPLIED, Rescore.State.DROPPED)
    open_ones = contest.rescores.exclude(state__in=decided)
    return open_ones.select_related("rules", "requested_by", "contest").order_by("-pk").first()


def rescores(contest: Contest) -> QuerySet[Rescore]:
    """All re-scorings, the newest first."""
    return contest.rescores.select_related("rules", "requested_by", "decided_by").order_by("-pk")


def missing(rescore: Rescore) -> QuerySet[Submission]:
    """Evaluated submissions without an evaluation in this re-scoring, in the order of arrival.

    Submissions rejected so long ago that their files are deleted stay rejected, and so do those that took too
    long to score.
    """
    made = Evaluation.objects.filter(rescore=rescore, submission=OuterRef("pk"))
    gone = SubmissionFile.objects.filter(submission=OuterRef("pk"), file__erased_at__isnull=False)
    judged = Submission.objects.filter(round__contest=rescore.contest_id, state__in=JUDGED)
    judged = judged.exclude(Exists(gone), state=State.REJECTED)
    judged = judged.exclude(pk__in=too_slow().values("pk"))
    return judged.exclude(Exists(made)).order_by("arrived_at", "id")


def scored_by(contest: Contest) -> Iterable[str]:
    """The versions of the library of the current evaluations."""
    made = Evaluation.objects.filter(submission__round__contest=contest, rescore=None)
    return sorted(set(made.order_by().values_list("scoring_version", flat=True)))
