"""What organizers write: rules as TOML, and a word on what they changed."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

from pwscup.contests.forms import VersionedForm
from pwscup.contests.models import RulesetVersion

MAX_TEXT = 200_000


class RulesForm(VersionedForm):
    """The whole text of the rules; every problem of it is found by the library."""

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
        help_text=_(
            "It stands beside the version; once something was handed in, teams read it too."
        ),
    )

    def clean_text(self) -> str:
        """Line ends as the library's own files have them: a browser sends others."""
        return self.cleaned_data["text"].replace("\r\n", "\n").replace("\r", "\n")
