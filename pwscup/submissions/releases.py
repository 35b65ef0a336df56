# SPDX-License-Identifier: Apache-2.0
"""Publishing the tables of an anonymization round when the attack on them opens."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils import timezone

from pwscup.contests import faults
from pwscup.contests.models import Round
from pwscup.contests.teams.tables import team_file
from pwscup.core import audit_log
from pwscup.core.files import storage
from pwscup.formats import kinds_where
from pwscup.submissions import selectors
from pwscup.submissions.intake import inflight
from pwscup.submissions.models import Release, Submission
from pwscup.submissions.states import State

if TYPE_CHECKING:
    from pwscup.accounts.models import Team
    from pwscup.core.models import StoredFile

logger = logging.getLogger(__name__)


def is_due(attack: Round, now: datetime) -> bool:
    """The attack has opened, its tables are final, and every one that arrived in time is scored.

    A failed submission that would count delays publication until organizers retry or withdraw it.
    """
    attacked = selectors.attacked_round(attack)
    if attacked is None or not attack.has_opened(now):
        return False
    if not attacked.is_settled(now) or inflight.is_worked_on(attacked, now):
        return False
    if selectors.has_unfinished(attacked):
        return False
    return not selectors.failed_that_would_count(attacked)


def unpublished(attack: Round) -> list[Submission]:
    """The counting submission of each team that has no release yet."""
    attacked = selectors.attacked_round(attack)
    if attacked is None:
        return []
    done = set(Release.objects.filter(round=attack).values_list("team_id", flat=True))
    scored = Submission.objects.filter(round=attacked, state=State.SCORED).exclude(team__in=done)
    if not scored.exists():
        return []  # the sweeper asks every few seconds, also about finished contests
    counted = selectors.counted_submissions(attacked)
    return [submission for team, submission in counted.items() if team not in done]


def publish_due(now: datetime | None = None) -> int:
    """Publish all tables that are due in any contest; return their number."""
    now = now or timezone.now()
    opened = Round.objects.filter(
        kind__in=kinds_where("has_targets"), opens_at__lte=now, contest__is_published=True
    )
    return sum(_published_alone(attack, now) for attack in opened.select_related("contest"))


def _published_alone(attack: Round, now: datetime) -> int:
    """Publish for one contest, and record for its organizers what delays its tables."""
    published: list[Release] = []
    with faults.alone(attack.contest, faults.PUBLISH, attack.key):
        published = publish(attack, now)
        _note_failed(attack, now)
    return len(published)


def _note_failed(attack: Round, now: datetime) -> None:
    attacked = selectors.attacked_round(attack)
    if (
        attacked is not None
        and attacked.has_closed(now)
        and selectors.failed_that_would_count(attacked)
    ):
        faults.note(attack.contest, faults.FAILED, attack.key)
    else:
        faults.forget(attack.contest, faults.FAILED, attack.key)


def publish(attack: Round, now: datetime | None = None) -> list[Release]:
    """Publish the counting table of every team, shuffled, all at the same time.

    Safe to call at any time and concurrently: tables that are not due or already published are not changed.
    """
    if not is_due(attack, now or timezone.now()):
        return []
    # The tables are prepared before the transaction, which stays short.
    drafts = [_draft(attack, submission) for submission in unpublished(attack)]
    if not drafts:
        return []
    published: list[Release] = []
    try:
        with transaction.atomic():
            attacked = Round.objects.filter(contest=attack.contest_id, key=attack.spec.attacks)
            attacked.select_for_update(no_key=True).get()
            current = {submission.pk for submission in unpublished(attack)}
            published = [
                _enter(draft)
                for draft in drafts
                if draft.submission_id in current and is_due(attack, now or timezone.now())
            ]
    except BaseException:
        published = []
        raise
    finally:
        _discard(draft for draft in drafts if draft not in published)
    logger.info("%s tables of contest %s published", len(published), attack.contest_id)
    return published


def _draft(attack: Round, submission: Submission) -> Release:
    from pwscup.submissions import evaluation  # imports pandas, which only workers need

    shuffled = evaluation.shuffled_table(submission, attack)
    team = submission.team
    candidates = None
    if shuffled.candidates is not None:
        name = given_name(attack, team)
        candidates = storage.publish(shuffled.candidates, name=name)
    return Release(
        round=attack,
        team=team,
        submission=submission,
        table=storage.publish(shuffled.table, name=table_name(attack, team)),
        candidates=candidates,
        key=storage.write(shuffled.key, area=storage.Area.SEALED, name="key.json"),
        n_records=shuffled.n_records,
    )


def given_name(attack: Round, team: Team) -> str:
    """The file name of what is published next to a table."""
    suffix = attack.format.given_suffix or attack.contest.format.suffix
    names = attack.format.release_names
    assert names is not None
    return team_file(team, names[1], suffix=suffix)


def table_name(attack: Round, team: Team) -> str:
    """The file name of a published table."""
    names = attack.format.release_names
    return team_file(team, names[0]) if names else f"{team.slug}.csv"


def _enter(draft: Release) -> Release:
    for file in _files(draft):
        file.save()
    draft.save()
    audit_log.record(
        "release.published",
        contest_id=draft.round.contest_id,
        subject=str(draft.public_id),
        team=draft.team.slug,
        submission=str(draft.submission.public_id),
        n_records=draft.n_records,
        sha256=draft.table.sha256,
        **({"candidates_sha256": draft.candidates.sha256} if draft.candidates else {}),
    )
    return draft


def _discard(drafts: Iterable[Release]) -> None:
    for draft in drafts:
        for file in _files(draft):
            storage.discard(file)


def _files(draft: Release) -> list[StoredFile]:
    files = (draft.table, draft.candidates, draft.key)
    return [file for file in files if file is not None]
