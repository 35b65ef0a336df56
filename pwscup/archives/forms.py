# SPDX-License-Identifier: Apache-2.0
"""Forms for exporting and importing archives."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.template.defaultfilters import filesizeformat
from django.utils.translation import gettext_lazy as _

from pwscup.archives.models import Archive
from pwscup.contests.forms import VersionedForm
from pwscup.core.files import space


class ArchiveForm(VersionedForm):
    """The content of an archive; the contest's address again if the answer key is exported early."""

    names = forms.ChoiceField(
        label=_("Names of teams"),
        choices=Archive.Names.choices,
        initial=Archive.Names.CONSENT,
        widget=forms.RadioSelect,
    )
    with_key = forms.BooleanField(
        label=_("With the answer key: everything, for another installation"),
        required=False,
        help_text=_(
            "Originals, all submissions, the answer key, the secret and decisions. Only such an archive can be "
            "imported. Without it the archive has what is or was public."
        ),
    )
    with_members = forms.BooleanField(
        label=_("With names and email addresses of the members"),
        required=False,
        help_text=_("Only together with the answer key and the names of all teams."),
    )
    address = forms.CharField(
        label=_("The contest is not over: type its address to export the answer key anyway"),
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )

    def __init__(self, *args: Any, slug: str, is_over: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["address"].help_text = slug
        if is_over:
            del self.fields["address"]


class ImportForm(forms.Form):
    """An archive of another installation."""

    archive = forms.FileField(
        label=_("Archive (zip)"), widget=forms.ClearableFileInput(attrs={"accept": ".zip"})
    )

    def clean_archive(self) -> Any:
        upload = self.cleaned_data["archive"]
        if upload.size > settings.MAX_ARCHIVE_BYTES:
            raise ValidationError(
                _("The archive is too large — expected at most %(expected)s — got %(got)s.")
                % {
                    "expected": filesizeformat(settings.MAX_ARCHIVE_BYTES),
                    "got": filesizeformat(upload.size),
                }
            )
        if not space.has_room_for(upload.size):
            raise ValidationError(
                _(
                    "Too little disk space: imports leave %(reserve)s of the disk free for the uploads of teams. "
                    "Ask the operators to free space."
                )
                % {"reserve": filesizeformat(settings.DISK_RESERVE_BYTES)}
            )
        return upload
