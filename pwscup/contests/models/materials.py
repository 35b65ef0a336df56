# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from django.db import models
from django.utils import translation
from django.utils.timezone import now
from django.utils.translation import gettext_lazy as _

from pwscup.contests.models.contest import Contest
from pwscup.core.models import StoredFile


class Material(models.Model):
    """Fact: a file or a link that the organizers add to a contest."""

    class Kind(models.TextChoices):
        FILE = "file", _("file")
        LINK = "link", _("link")
        HIERARCHIES = "hierarchies", _("generalization hierarchies")

    class Audience(models.TextChoices):
        EVERYBODY = "everybody", _("everybody")
        TEAMS = "teams", _("members of teams who have accepted the terms")

    contest = models.ForeignKey(Contest, on_delete=models.CASCADE, related_name="materials")
    kind = models.CharField(max_length=12, choices=Kind)
    title = models.CharField(_("title (English)"), max_length=100)
    title_ja = models.CharField(_("title (Japanese)"), max_length=100, blank=True)
    audience = models.CharField(
        _("who gets it"), max_length=10, choices=Audience, default=Audience.EVERYBODY
    )
    position = models.PositiveSmallIntegerField(default=0)
    url = models.CharField(_("link"), max_length=500, blank=True)
    file = models.OneToOneField(
        StoredFile, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    added_at = models.DateTimeField(default=now)

    class Meta:
        ordering = ["position", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["contest"],
                condition=models.Q(kind="hierarchies"),
                name="one_file_of_hierarchies",
            ),
            models.CheckConstraint(
                condition=models.Q(kind="link", file=None) & ~models.Q(url="")
                | ~models.Q(kind="link") & models.Q(file__isnull=False, url=""),
                name="material_is_a_file_or_a_link",
            ),
        ]

    def __str__(self) -> str:
        return self.local_title

    @property
    def local_title(self) -> str:
        """The title in the reader's language."""
        return self.title_ja if translation.get_language() == "ja" and self.title_ja else self.title
