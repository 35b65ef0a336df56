# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from django.core.validators import RegexValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from pwscup.contests.branding.colours import COLOUR
from pwscup.contests.models.contest import Contest
from pwscup.core.models import StoredFile


class Branding(models.Model):
    """Fact: the accent colour and the pictures of a contest."""

    contest = models.OneToOneField(Contest, on_delete=models.CASCADE, related_name="branding")
    colour = models.CharField(
        _("accent colour"),
        max_length=7,
        blank=True,
        validators=[RegexValidator(rf"^{COLOUR.pattern}\Z")],
        help_text="blank for the colour of the site",
    )
    logo = models.OneToOneField(
        StoredFile, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    logo_width = models.PositiveSmallIntegerField(default=0)
    logo_height = models.PositiveSmallIntegerField(default=0)
    logo_alt = models.CharField(_("text alternative (English)"), max_length=200, blank=True)
    logo_alt_ja = models.CharField(_("text alternative (Japanese)"), max_length=200, blank=True)
    picture = models.OneToOneField(
        StoredFile, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    picture_width = models.PositiveSmallIntegerField(default=0)
    picture_height = models.PositiveSmallIntegerField(default=0)
    picture_alt = models.CharField(_("text alternative (English)"), max_length=200, blank=True)
    picture_alt_ja = models.CharField(_("text alternative (Japanese)"), max_length=200, blank=True)

    def __str__(self) -> str:
        return f"branding of {self.contest}"


class Sponsor(models.Model):
    """Fact: a sponsor whom the organizers show."""

    contest = models.ForeignKey(Contest, on_delete=models.CASCADE, related_name="sponsors")
    position = models.PositiveSmallIntegerField(default=0)
    name = models.CharField(_("name"), max_length=100)
    url = models.CharField(_("link"), max_length=500, blank=True)
    logo = models.OneToOneField(
        StoredFile, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    logo_width = models.PositiveSmallIntegerField(default=0)
    logo_height = models.PositiveSmallIntegerField(default=0)

    class Meta:
        ordering = ["position", "id"]

    def __str__(self) -> str:
        return self.name
