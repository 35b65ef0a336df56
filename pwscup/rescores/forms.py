"""Forms of organizers: rules as TOML, and a note about the change."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

from pwscup.contests.forms import VersionedForm
from pwscup.contests.models import RulesetVersion

MAX_TEXT = 200_000


class RulesForm(VersionedForm):
    """The complete text of the rules; the library finds all its problems."""

    text = forms.CharField(
        label=_("Rules (TOML)"),
        max_length=MAX_TEXT,
        strip=False,
        widget=forms.Textarea(
            attrs={"rows": 32, "class": "form-control rules-text", "spellcheck": "false"}
        ),
    )
    note = forms.CharField(
        label=_("What you changed, and why"),
        max_length=RulesetVersion._meta.get_field("note").max_length,
        required=False,
        help_text=_("It is shown next to the version; after the first submission also to teams."),
    )

    def clean_text(self) -> str:
        """Line ends as in the library's own files: browsers send others."""
        return self.cleaned_data["text"].replace("\r\n", "\n").replace("\r", "\n")
