# SPDX-License-Identifier: Apache-2.0
"""The copy of a contest for bots: created, and removed without changing the original."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils import timezone
from django.utils.text import slugify

from pwscup.accounts.models import Team
from pwscup.bots.cast import BOTS, CAST
from pwscup.contests.models import Contest, Dataset, Round
from pwscup.contests.selectors import original_of
from pwscup.contests.services.retention import files_of
from pwscup.contests.services.rule_versions import write_down
from pwscup.contests.teams import tables as team_tables
from pwscup.core import audit_log
from pwscup.core.files import storage
from pwscup.disclosure.models import Answer, BatchRelease
from pwscup.submissions.judging.models import JudgeComment
from pwscup.submissions.models import JudgeMark, Release, Submission

if TYPE_CHECKING:
    from pwscup.accounts.models import User
    from pwscup.core.models import StoredFile

N_BOTS = 4
CHEATING = CAST
ROUND_LENGTH = timedelta(minutes=30)
COPIED = ("title", "title_ja", "timezone", "ruleset_text", "max_team_size", "hidden_measures")


@transaction.atomic
def copy_for_bots(contest: Contest, *, actor: User | None) -> Contest:
    """A copy of the contest with rounds in the past, one after the other, and bots as teams."""
    copy = Contest.objects.create(
        slug=f"dry-run-{contest.pk}-{contest.dry_runs.count()}",
        rehearsal_of=contest,
        is_published=True,
        **{name: getattr(contest, name) for name in COPIED},
    )
    copy.organizers.set(contest.organizers.all())
    write_down(copy, copy.ruleset, applied_at=timezone.now())
    _copy_table(contest, copy)
    _copy_rounds(contest, copy, timezone.now())
    for bot in (*BOTS[: n_bots(contest)], *CHEATING):
        slug = slugify(bot.name)
        Team.objects.create(contest=copy, name=bot.name, slug=slug, is_house=True)
    audit_log.record(
        "contest.dry_run_started", actor=actor, contest_id=contest.pk, subject=f"copy {copy.slug}"
    )
    return copy


def n_bots(contest: Contest) -> int:
    """The number of bots: fewer if each needs its own individuals and there are not enough of them."""
    original = original_of(contest)
    parts = team_tables.n_parts(original) if original else None
    return N_BOTS if parts is None else min(N_BOTS, parts)


def _copy_table(contest: Contest, copy: Contest) -> None:
    """The same files with another row: bytes are never stored twice."""
    original = original_of(contest)
    if original is None:
        raise LookupError(f"contest {contest.pk} has no table")
    Dataset.objects.create(
        contest=copy,
        key=original.key,
        sealed=original.sealed,
        public=original.public,
        schema_text=original.schema_text,
        n_records=original.n_records,
        n_tables=original.n_tables,
        n_people=original.n_people,
    )


def _copy_rounds(contest: Contest, copy: Contest, now: datetime) -> None:
    """All rounds are over, long enough ago that all uploads have arrived."""
    rounds = list(contest.rounds.order_by("position"))
    opens_at = now - (len(rounds) + 1) * ROUND_LENGTH
    for round in rounds:
        Round.objects.create(
            contest=copy,
            key=round.key,
            kind=round.kind,
            position=round.position,
            opens_at=opens_at,
            closes_at=opens_at + ROUND_LENGTH,
            tries=round.tries,
            tries_per_day=round.tries_per_day,
            feedback=round.feedback,
        )
        opens_at += ROUND_LENGTH


@transaction.atomic
def discard(copy: Contest) -> None:
    """Remove a copy with all its submissions; its events stay, like all events."""
    if copy.rehearsal_of_id is None:
        raise ValueError(f"contest {copy.pk} is no copy")
    files = _files_of(copy)
    Submission.objects.filter(round__contest=copy).exclude(target=None).delete()
    Release.objects.filter(round__contest=copy).delete()
    Submission.objects.filter(round__contest=copy).delete()
    for model in (JudgeMark, JudgeComment, Answer, BatchRelease):
        model.objects.filter(round__contest=copy).delete()
    copy.delete()
    storage.forget(files)


def _files_of(copy: Contest) -> list[StoredFile]:
    """The files that only the copy uses: the organizer's table belongs to the original."""
    tables = Dataset.objects.filter(contest=copy.rehearsal_of).values_list("sealed", "public")
    shared = {pk for row in tables for pk in row}
    its_own = [file for file in files_of(copy) if file.pk not in shared]
    return its_own + [file for file in (copy.secret, copy.reveal) if file is not None]
