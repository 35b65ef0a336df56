# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING

from django.db import models
from django.utils.timezone import now

from pwscup.contests.models.contest import Contest
from pwscup.core.models import StoredFile
from scoring.tables.schema import Schema

if TYPE_CHECKING:
    from scoring.tables.preparing import Steps


class Dataset(models.Model):
    """Fact: a table of the organizer, or the part of it that was drawn for one team.

    `sealed` is the complete table, `public` the part that participants may have. The organizer's table can be
    replaced only until the first submission; a team's is drawn once.

    For a series it is an archive of the tables of all times, with `n_records` in total. A draw has the `part`
    of the individuals, counted from 1, that no other team has; the organizer's table has the last assigned
    part.
    """

    contest = models.ForeignKey(Contest, on_delete=models.CASCADE, related_name="datasets")
    team = models.ForeignKey(
        "accounts.Team", null=True, blank=True, on_delete=models.CASCADE, related_name="datasets"
    )
    key = models.SlugField(max_length=30, default="original")
    sealed = models.ForeignKey(StoredFile, on_delete=models.PROTECT, related_name="+")
    public = models.ForeignKey(StoredFile, null=True, on_delete=models.PROTECT, related_name="+")
    schema_text = models.TextField()
    n_records = models.PositiveIntegerField()
    n_tables = models.PositiveSmallIntegerField(null=True)
    n_people = models.PositiveIntegerField(null=True)
    part = models.PositiveIntegerField(null=True)
    created_at = models.DateTimeField(default=now)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["contest", "part"],
                condition=models.Q(team__isnull=False),
                name="one_team_per_part",
            ),
            models.UniqueConstraint(
                fields=["contest", "key"],
                condition=models.Q(team__isnull=True),
                name="one_common_dataset_per_key",
            ),
            models.UniqueConstraint(
                fields=["contest", "team", "key"], name="one_dataset_per_team_and_key"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.key} of {self.contest}"

    @cached_property
    def schema(self) -> Schema:
        return Schema.from_toml(self.schema_text)


class TableDraft(models.Model):
    """Work in progress: an uploaded table whose columns have not been confirmed."""

    contest = models.OneToOneField(Contest, on_delete=models.CASCADE, related_name="draft")
    file = models.ForeignKey(StoredFile, on_delete=models.PROTECT, related_name="+")
    schema_text = models.TextField()
    columns = models.JSONField(
        help_text="for the organizer only: distinct cells and examples by column"
    )
    n_records = models.PositiveIntegerField()
    uploaded_at = models.DateTimeField(default=now)

    def __str__(self) -> str:
        return f"draft table of {self.contest}"

    def ticked(self, ticks: Iterable[str]) -> dict[str, list[str]]:
        """The names of the ticked columns, by tick; nothing if none was ever ticked."""
        named = list(zip(self.schema.names, self.columns, strict=True))
        if not any("ticks" in column for _name, column in named):
            return {}
        return {
            tick: [name for name, column in named if tick in column.get("ticks", ())]
            for tick in ticks
        }

    @cached_property
    def schema(self) -> Schema:
        return Schema.from_toml(self.schema_text)


class Preparation(models.Model):
    """Work in progress: a raw file of an organizer, and the steps that make a table of it.

    `raw` is the file as uploaded, `parsed` its cells and `result` those after the steps, both packed by
    `scoring.tables.coded`. All are deleted with the draft of the table.
    """

    contest = models.OneToOneField(Contest, on_delete=models.CASCADE, related_name="preparation")
    raw = models.ForeignKey(StoredFile, on_delete=models.PROTECT, related_name="+")
    parsed = models.ForeignKey(StoredFile, on_delete=models.PROTECT, related_name="+")
    result = models.ForeignKey(StoredFile, on_delete=models.PROTECT, related_name="+")
    steps_text = models.TextField(help_text="TOML, with the seeds of samples")
    seen = models.JSONField(
        help_text="for organizers only: the effect of each step, previews of columns, chosen roles"
    )
    revision = models.PositiveIntegerField(default=1)
    uploaded_at = models.DateTimeField(default=now)
    applied_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"preparation of the table of {self.contest}"

    @cached_property
    def steps(self) -> Steps:
        from scoring.tables.preparing import Steps  # imports numpy, which other pages do not need

        return Steps.from_toml(self.steps_text)


class Sample(models.Model):
    """Derived: a file of the sample submission, which can be downloaded and submitted unchanged."""

    contest = models.ForeignKey(Contest, on_delete=models.CASCADE, related_name="samples")
    key = models.SlugField(max_length=30, help_text="the name in the ruleset: anonymized, rows")
    file = models.ForeignKey(StoredFile, on_delete=models.PROTECT, related_name="+")

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["contest", "key"], name="one_sample_per_key")
        ]

    def __str__(self) -> str:
        return f"sample {self.key} of {self.contest}"
