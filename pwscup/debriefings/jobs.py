# SPDX-License-Identifier: Apache-2.0
"""Debriefings as jobs: a part for each team and round."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from django.utils import timezone

from pwscup.core import audit_log, jobs
from pwscup.core.jobs import Claim, job
from pwscup.debriefings import facts
from pwscup.debriefings.models import Debriefing, DebriefingPart
from pwscup.submissions.models import Release, Submission

if TYPE_CHECKING:
    from pwscup.debriefings.facts import Source

logger = logging.getLogger(__name__)


def _record(claim: Claim) -> None:
    found = Debriefing.objects.get(pk=claim.pk)
    audit_log.record(
        f"contest.debriefing_{found.state}",
        contest_id=found.contest_id,
        subject=found.contest.slug,
        **({"reference": found.reference} if found.reference else {}),
    )


@job(Debriefing, queue="audits", limit="AUDIT_TIME_LIMIT", failed=_record)
def compute(claim: Claim) -> bool:
    """Compute all parts from the facts of now."""
    contest = Debriefing.objects.select_related("contest").get(pk=claim.pk).contest
    rounds = facts.rounds_of(contest, facts.settings_of(contest), timezone.now())
    sources = facts.sources_of(contest, rounds)
    key = facts.key_of(sources, contest)
    parts = []
    for done, source in enumerate(sources):
        jobs.note(claim, done_parts=done, n_parts=len(sources))
        parts.append(
            DebriefingPart(
                debriefing_id=claim.pk,
                team_id=source.team,
                round_id=source.round,
                values=_values(source),
            )
        )
    logger.info("debriefing of contest %s computed: %d parts", contest.pk, len(parts))

    def keep(claim: Claim) -> None:
        DebriefingPart.objects.filter(debriefing=claim.pk).delete()
        DebriefingPart.objects.bulk_create(parts)
        _record(claim)

    return jobs.finish(claim, Debriefing.State.DONE, keep, key=key, done_parts=len(parts))


def _values(source: Source) -> dict[str, Any]:
    from pwscup.submissions import evaluation  # imports pandas, which only workers need

    rows = Submission.objects.select_related("round__contest", "team").prefetch_related(
        "files__file"
    )
    submissions = [rows.get(pk=pk) for pk in source.submissions]
    if source.release is None:
        return evaluation.debriefed_estimate(submissions[0])
    release = Release.objects.select_related("key", "table", "candidates", "team").get(
        pk=source.release
    )
    release.submission = rows.get(pk=release.submission_id)
    return evaluation.debriefed_table(release, submissions)
