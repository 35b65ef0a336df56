# SPDX-License-Identifier: Apache-2.0
"""Failures that concern one contest: recorded for its organizers, separately for each contest."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils.translation import gettext_lazy as _

from pwscup.contests.models import Fault
from pwscup.core import audit_log
from pwscup.core.jobs import AWAY, new_reference

if TYPE_CHECKING:
    from datetime import datetime

    from pwscup.contests.models import Contest
    from pwscup.core.texts.refusals import Text

logger = logging.getLogger(__name__)
EVENT = "contest.fault"

PUBLISH, DRAW, RELEASE, ERASE = "publish", "draw", "release", "erase"
NOTICES, PLAY, FAILED, ARCHIVE = "notices", "play", "failed", "archive"
DEBRIEF, HINT = "debrief", "hint"
BASELINE = "baseline"
TASKS: dict[str, Text] = {
    PUBLISH: _("The tables for “%(subject)s” cannot be published."),
    DRAW: _("The table of the team “%(subject)s” cannot be drawn."),
    RELEASE: _("The randomized table of “%(subject)s” cannot be published."),
    ERASE: _("The data of the contest cannot be deleted."),
    DEBRIEF: _("The debriefing cannot be started."),
    HINT: _("A hint for “%(subject)s” cannot be published."),
    NOTICES: _("Notices about “%(subject)s” cannot be written."),
    PLAY: _("The platform's own teams cannot play in “%(subject)s”."),
    BASELINE: _("The baseline team “%(subject)s” cannot play."),
    ARCHIVE: _("No archive can be written: the file %(subject)s is missing or damaged."),
    FAILED: _(
        "The tables for “%(subject)s” wait: scoring failed for a submission that would count. Retry it, or withdraw "
        "it, and they are published without it."
    ),
}


@contextmanager
def alone(contest: Contest, task: str, subject: str = "") -> Iterator[None]:
    """Catch failures inside, so that nothing else stops: a failure is recorded, and deleted when the task works again.

    An unavailable database concerns no contest in particular, and is raised.
    """
    try:
        yield
    except AWAY:
        raise
    except Exception as error:
        note(contest, task, subject, error)
    else:
        forget(contest, task, subject)


def note(contest: Contest, task: str, subject: str = "", error: Exception | None = None) -> None:
    """Record a failure once, with a reference to the log, an event in the trail, and a text for organizers."""
    reference, name = new_reference(), type(error).__name__ if error else ""
    with transaction.atomic():
        _found, is_new = Fault.objects.get_or_create(
            contest=contest,
            task=task,
            subject=subject,
            defaults={"reference": reference, "error": name},
        )
        if is_new:
            audit_log.record(
                EVENT,
                contest_id=contest.pk,
                subject=subject or contest.slug,
                task=task,
                reference=reference,
                **({"error": name} if name else {}),
            )
    if is_new:
        logger.error(
            "%s of contest %s (%s) failed [%s]",
            task,
            contest.pk,
            subject,
            reference,
            exc_info=error,
        )


def forget(contest: Contest, task: str, subject: str = "") -> None:
    """Delete a failure that is resolved; without one it only reads."""
    found = Fault.objects.filter(contest=contest, task=task, subject=subject)
    if found.exists():
        found.delete()
        logger.info("%s of contest %s (%s) works again", task, contest.pk, subject)


@dataclass(frozen=True, slots=True)
class Shown:
    """A failure as shown to organizers."""

    words: str
    since: datetime
    reference: str
    is_failed: bool


def words(contest: Contest, task: str, subject: str) -> str:
    """The failed task, in the reader's language."""
    titles = {round.key: round.local_title for round in contest.rounds.all()}
    return str(TASKS[task]) % {"subject": titles.get(subject, subject) or contest.local_title}


def of(contest: Contest) -> list[Shown]:
    """The unresolved failures of a contest, the oldest first."""
    return [
        Shown(
            words(contest, fault.task, fault.subject),
            fault.since,
            fault.reference,
            fault.task == FAILED,
        )
        for fault in contest.faults.order_by("pk")
    ]
