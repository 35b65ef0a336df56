# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.utils import timezone


class StoredFile(models.Model):
    """Fact: bytes that were received or generated, stored under a random name outside the web root."""

    class Area(models.TextChoices):
        SEALED = "sealed"  # uploads, originals, release keys: read only through contests.truth
        PUBLISHED = "published"  # for participants
        DRAFT = "draft"  # an organizer's upload that is not yet a contest's table
        ARCHIVE = "archive"  # a whole contest in one file, for its organizers only

    area = models.CharField(max_length=10, choices=Area)
    path = models.CharField(max_length=100, unique=True)
    name = models.CharField(
        max_length=150, help_text="the name shown to people; never used as a path"
    )
    sha256 = models.CharField(max_length=64)
    size_bytes = models.PositiveBigIntegerField()
    created_at = models.DateTimeField(default=timezone.now)
    erased_at = models.DateTimeField(
        null=True, blank=True, help_text="the bytes were deleted; name, size and hash stay"
    )

    class Meta:
        indexes = [
            models.Index(
                fields=["erased_at"],
                condition=models.Q(erased_at__isnull=False),
                name="erased_files",
            )
        ]

    def __str__(self) -> str:
        return self.name


class StorageProbe(models.Model):
    """Fact: the name of a file by which processes recognize their shared folder; one row."""

    token = models.UUIDField(unique=True)
    created_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return str(self.token)


class Job(models.Model):
    """Job: a row that waits for a worker, runs under a lease, and ends in a final state.

    Its life cycle is in `pwscup.core.jobs`. A concrete model adds `state`, whose values `waiting`, `running`
    and `failed` all jobs have in common, and its own final ones.
    """

    WAITING, RUNNING, FAILED = "waiting", "running", "failed"
    UNFINISHED = (WAITING, RUNNING)
    QUEUE_ORDER: tuple[str, ...] = ("id",)

    objects: ClassVar[models.Manager[Any]]
    state: models.CharField
    sent_at = models.DateTimeField(null=True, help_text="when the broker was last notified")
    attempts = models.PositiveSmallIntegerField(default=0)
    fence = models.PositiveIntegerField(
        default=0, help_text="incremented by every claim; the result of a stale worker is refused"
    )
    lease_until = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    put_off_at = models.DateTimeField(
        null=True, help_text="since when an unavailable database or storage delays it"
    )
    reference = models.CharField(
        max_length=12, blank=True, help_text="leads to the log if the platform failed"
    )

    class Meta:
        abstract = True

    @property
    def is_final(self) -> bool:
        return self.state not in self.UNFINISHED


class AppendOnlyError(TypeError):
    """Code tried to change or delete append-only rows."""


class AppendOnly(models.QuerySet):
    """Rows that are only added and read; the database itself also refuses changes."""

    def update(self, **values: Any) -> int:
        raise AppendOnlyError(f"{self.model.__name__} rows are never changed")

    def delete(self) -> tuple[int, dict[str, int]]:
        raise AppendOnlyError(f"{self.model.__name__} rows are never deleted")


class Event(models.Model):
    """Fact: an event, ordered by `id`; never changed, never deleted."""

    at = models.DateTimeField(default=timezone.now)
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    contest_id = models.BigIntegerField(null=True, db_index=True)
    kind = models.CharField(max_length=50)
    subject = models.CharField(max_length=100, blank=True)
    data = models.JSONField(default=dict)

    objects = AppendOnly.as_manager()

    class Meta:
        ordering = ["id"]
        indexes = [models.Index(fields=["contest_id", "kind", "subject"], name="event_by_subject")]

    def __str__(self) -> str:
        return f"{self.kind} {self.subject}"


class Revision(models.Model):
    """Derived: numbers that change with the events of a contest, see `pwscup.core.db.revisions`."""

    contest_id = models.BigIntegerField(primary_key=True)
    number = models.BigIntegerField()
    gate = models.BigIntegerField(default=0)

    def __str__(self) -> str:
        return f"contest {self.contest_id} at {self.number}"


class Seal(models.Model):
    """Fact: the position of an event in the chain of its contest, and the hash that links it to the previous one.

    Events without a contest have a separate chain. `pwscup.core.seals` writes and reads these rows.
    """

    event = models.OneToOneField(Event, on_delete=models.PROTECT, related_name="seal")
    contest_id = models.BigIntegerField(null=True)
    position = models.PositiveBigIntegerField(help_text="numbers the chain from 1 without gaps")
    previous = models.CharField(max_length=64, help_text="the hash of the previous event")
    hash = models.CharField(max_length=64, help_text="SHA-256, as computed by scoring.proof.trail")

    objects = AppendOnly.as_manager()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["contest_id", "position"], name="one_event_at_each_position"
            ),
            models.UniqueConstraint(
                fields=["position"],
                condition=models.Q(contest_id=None),
                name="one_event_at_each_position_of_no_contest",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.position}: {self.hash}"
