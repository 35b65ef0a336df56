# SPDX-License-Identifier: Apache-2.0
"""The materials of a contest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.template.defaultfilters import filesizeformat
from django.utils.translation import gettext_lazy as _

from pwscup.contests.forms.common import OneTitleSuffices, VersionedForm
from pwscup.contests.materials import TYPES, suffix_of
from pwscup.contests.models import Material
from pwscup.contests.services.materials import MAX_BYTES, MAX_HIERARCHY_BYTES, is_web_address
from pwscup.core.db.columns import longest
from pwscup.core.texts.parts import listed

if TYPE_CHECKING:
    from django.core.files.uploadedfile import UploadedFile

LONGEST_URL = longest(Material, "url")


class MaterialForm(OneTitleSuffices, VersionedForm):
    """The titles of a material, and who gets it."""

    title = forms.CharField(label=_("Title (English)"), max_length=100)
    title_ja = forms.CharField(label=_("Title (Japanese)"), max_length=100, required=False)
    audience = forms.ChoiceField(label=_("Who gets it"), choices=Material.Audience)

    def given(self) -> dict[str, Any]:
        """The arguments of the service."""
        return dict(self.cleaned_data)


class LinkForm(MaterialForm):
    """A link to a page of the web."""

    url = forms.CharField(
        label=_("Link"),
        max_length=LONGEST_URL,
        widget=forms.URLInput(attrs={"placeholder": "https://"}),
    )

    def clean_url(self) -> str:
        url = self.cleaned_data["url"]
        if not is_web_address(url):
            raise ValidationError(_("Enter a link that begins with http:// or https://."))
        return url


class MaterialFileForm(MaterialForm):
    """A file to download."""

    MOST = MAX_BYTES
    SUFFIXES = tuple(TYPES)

    file = forms.FileField(label=_("File"), error_messages={"required": _("Choose a file.")})

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["file"].widget.attrs["accept"] = ",".join(f".{one}" for one in self.SUFFIXES)

    def clean_file(self) -> UploadedFile:
        upload = self.cleaned_data["file"]
        most = min(self.MOST, settings.MAX_UPLOAD_BYTES)
        if upload.size > most:
            sizes = {"expected": filesizeformat(most), "got": filesizeformat(upload.size)}
            raise ValidationError(
                _("The file is too large — expected at most %(expected)s — got %(got)s"),
                params=sizes,
            )
        if suffix_of(upload.name) not in self.SUFFIXES:
            raise ValidationError(
                _("Files of this kind are not accepted — expected %(expected)s — got “%(got)s”."),
                params={"expected": listed(self.SUFFIXES), "got": upload.name},
            )
        return upload

    def given(self) -> dict[str, Any]:
        given = super().given()
        upload = given.pop("file")
        return given | {"name": upload.name, "data": upload.read()}


class HierarchiesForm(MaterialFileForm):
    """Generalization hierarchies, which are checked against the contest's table."""

    MOST = MAX_HIERARCHY_BYTES
    SUFFIXES = ("json",)
