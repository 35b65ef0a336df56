# SPDX-License-Identifier: Apache-2.0
"""The appearance of a contest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from pwscup.contests.branding.colours import is_colour
from pwscup.contests.branding.pictures import KINDS, LOGO, TYPES, Cleaned, PictureRefused, cleaned
from pwscup.contests.forms.common import VersionedForm
from pwscup.contests.models import Branding, Sponsor
from pwscup.contests.services.branding import WRONG_COLOUR, WRONG_LINK
from pwscup.contests.services.materials import is_web_address
from pwscup.core.db.columns import longest

if TYPE_CHECKING:
    from pwscup.contests.branding.pictures import Kind

LONGEST_ALT = longest(Branding, "logo_alt")


class ColourField(forms.CharField):
    """A colour of six hexadecimal digits, or nothing."""

    def __init__(self, **options: Any) -> None:
        super().__init__(
            required=False,
            widget=forms.TextInput(
                attrs={
                    "placeholder": "#2457c5",
                    "autocomplete": "off",
                    "spellcheck": "false",
                    "class": "colour-input",
                    "data-colour": "",
                }
            ),
            **options,
        )

    def clean(self, value: Any) -> str:
        colour: str = super().clean(value).lower()
        if colour and not is_colour(colour):
            raise ValidationError(WRONG_COLOUR)
        return colour


class PictureField(forms.FileField):
    """An uploaded picture, of which only the pixels are kept."""

    def __init__(self, kind: Kind, **options: Any) -> None:
        super().__init__(
            required=False,
            widget=forms.FileInput(attrs={"accept": ",".join(TYPES.values())}),
            **options,
        )
        self.kind = kind

    def clean(self, data: Any, initial: Any = None) -> Cleaned | None:
        upload = super().clean(data, initial)
        if not upload:
            return None
        try:
            return cleaned(upload.file, upload.size, self.kind)
        except PictureRefused as refused:
            raise ValidationError([*refused.messages]) from refused


class ColourForm(VersionedForm):
    """The accent colour of the pages of a contest."""

    colour = ColourField(
        label=_("Accent colour"),
        help_text=_("# and six hexadecimal digits. Leave it blank for the colour of the site."),
    )


class AlternativesForm(ColourForm):
    """All values of the appearance that are not files."""

    logo_alt = forms.CharField(max_length=LONGEST_ALT, required=False)
    logo_alt_ja = forms.CharField(max_length=LONGEST_ALT, required=False)
    picture_alt = forms.CharField(max_length=LONGEST_ALT, required=False)
    picture_alt_ja = forms.CharField(max_length=LONGEST_ALT, required=False)

    def given(self) -> dict[str, Any]:
        """The values without the version."""
        return {name: value for name, value in self.cleaned_data.items() if name != "version"}


class PictureForm(VersionedForm):
    """A picture with its text alternative; without a file, the present picture stays."""

    file = PictureField(LOGO, label=_("File"))
    alt = forms.CharField(
        label=_("Text alternative (English)"),
        max_length=LONGEST_ALT,
        required=False,
        help_text=_("What the picture shows, for readers who cannot see it. Blank: decoration."),
    )
    alt_ja = forms.CharField(
        label=_("Text alternative (Japanese)"), max_length=LONGEST_ALT, required=False
    )

    def __init__(self, which: str, *args: Any, has_picture: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.which, self.has_picture = which, has_picture
        file: Any = self.fields["file"]
        file.kind = KINDS[which]

    def clean(self) -> dict[str, Any]:
        found = super().clean() or self.cleaned_data
        if not self.has_picture and not found.get("file") and "file" not in self.errors:
            self.add_error("file", _("Choose a file."))
        return found

    def given(self) -> dict[str, Any]:
        """The arguments of the service."""
        given = dict(self.cleaned_data)
        picture = given.pop("file")
        return given | {"which": self.which, "picture": picture}


class SponsorForm(VersionedForm):
    """A sponsor."""

    name = forms.CharField(label=_("Name"), max_length=longest(Sponsor, "name"))
    url = forms.CharField(
        label=_("Link"),
        max_length=longest(Sponsor, "url"),
        required=False,
        widget=forms.URLInput(attrs={"placeholder": "https://"}),
    )
    logo = PictureField(LOGO, label=_("Logo"))

    def clean_url(self) -> str:
        url: str = self.cleaned_data["url"]
        if url and not is_web_address(url):
            raise ValidationError(WRONG_LINK)
        return url

    def given(self) -> dict[str, Any]:
        """The arguments of the service."""
        return dict(self.cleaned_data)
