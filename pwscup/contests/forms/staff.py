# SPDX-License-Identifier: Apache-2.0
"""Forms for organizers, judges and teams: addresses, divisions and lists of teams."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.template.defaultfilters import filesizeformat
from django.utils.translation import gettext_lazy as _

from pwscup.accounts.forms import NameField
from pwscup.accounts.models import ClassCode
from pwscup.contests.forms.common import VersionedForm
from pwscup.contests.models import Division
from pwscup.contests.teams import lists
from pwscup.core.db.columns import longest

LONGEST_TITLE = longest(Division, "title")


class OrganizerForm(forms.Form):
    """The address of a new organizer."""

    email = forms.EmailField(
        label=_("Email address"),
        help_text=_("The person gets an invitation by email, and is added when it is accepted."),
    )


class JudgeForm(OrganizerForm):
    """The address of a new judge."""


class ReadmissionForm(forms.Form):
    """The address of a user who was in another team and may play again."""

    email = forms.EmailField(label=_("Email address"))


class ClassCodeForm(forms.ModelForm):
    """The most people who may join by a new class code."""

    class Meta:
        model = ClassCode
        fields = ["seats"]


class DivisionForm(forms.Form):
    """The titles of a division."""

    title = NameField(label=_("Title (English)"), max_length=LONGEST_TITLE)
    title_ja = NameField(label=_("Title (Japanese)"), max_length=LONGEST_TITLE, required=False)


class TeamListForm(VersionedForm):
    """A list of teams: a file, or the corrected text."""

    file = forms.FileField(
        label=_("List of teams (CSV)"),
        required=False,
        allow_empty_file=True,
        widget=forms.FileInput(attrs={"accept": ".csv,text/csv,text/plain"}),
    )
    text = forms.CharField(
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 12, "class": "form-control mono"}),
    )

    def clean_file(self) -> str:
        """The text of the file."""
        upload = self.cleaned_data["file"]
        if upload is None:
            return ""
        if upload.size > lists.MAX_BYTES:
            raise ValidationError(
                _("The file is too large — expected at most %(expected)s — got %(got)s"),
                params={
                    "expected": filesizeformat(lists.MAX_BYTES),
                    "got": filesizeformat(upload.size),
                },
            )
        text = lists.decoded(upload.read())
        if text is None:
            raise ValidationError(_("The file is not text. Save the list as CSV in UTF-8."))
        return text

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if not self.errors and not (cleaned["file"] or cleaned["text"]).strip():
            raise ValidationError(_("Choose a file."))
        return cleaned

    def words(self) -> str:
        """The list as text."""
        return self.cleaned_data["file"] or self.cleaned_data["text"]


class InviteForm(forms.Form):
    """An additional member of a team."""

    team = forms.IntegerField(min_value=1, max_value=2**62)
    email = forms.EmailField()
