# SPDX-License-Identifier: Apache-2.0
"""Forms for the description of a contest, and for creating one."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django import forms
from django.core.exceptions import ValidationError
from django.template.defaultfilters import filesizeformat
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from pwscup.contests.forms.common import (
    MomentField,
    OneTitleSuffices,
    VersionedForm,
    ZoneField,
    clean_moment,
)
from pwscup.contests.models import Contest
from pwscup.contests.services import RESERVED_SLUGS
from pwscup.core.http.fields import choice_field
from pwscup.core.texts.problems import parts
from scoring.errors import ProblemsFound
from scoring.rulesets import Ruleset, load_ruleset, localized, parse_ruleset, ruleset_names

DEFAULT_ZONE = "Asia/Tokyo"
MAX_RULESET_BYTES = 200_000
MOST_MEMBERS = 1_000


class DescriptionForm(OneTitleSuffices, forms.ModelForm):
    """The public description of a contest."""

    timezone = ZoneField(
        label=_("Time zone"),
        initial=DEFAULT_ZONE,
        help_text=_("All times of the contest are shown in it. Changing it moves no deadline."),
    )

    class Meta:
        model = Contest
        fields = ["title", "title_ja", "summary", "summary_ja", "timezone", "max_team_size"]
        widgets = {
            "summary": forms.Textarea(attrs={"rows": 3}),
            "summary_ja": forms.Textarea(attrs={"rows": 3}),
        }

    def largest_team(self) -> int:
        """The maximum of the ruleset."""
        return self.instance.ruleset.limits.max_team_size

    def clean_max_team_size(self) -> int:
        size, largest = self.cleaned_data["max_team_size"], self.largest_team()
        if size > largest:
            raise ValidationError(
                _("The rules allow teams of at most %(largest)d."), params={"largest": largest}
            )
        return size


class SettingsForm(DescriptionForm, VersionedForm):
    """The settings of an existing contest."""

    class Meta(DescriptionForm.Meta):
        fields = [
            *DescriptionForm.Meta.fields,
            "admission",
            "has_late_teams",
            "has_trials",
            "epsilon_cap",
        ]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not self.instance.format.hides_table:
            del self.fields["epsilon_cap"]
        if not self.instance.offers_trials():
            del self.fields["has_trials"]


class NewContestForm(DescriptionForm):
    """A new contest from a ruleset of the library or an uploaded one."""

    ruleset = forms.ChoiceField(
        label=_("Format"), widget=forms.RadioSelect, required=False, initial="pwscup2015"
    )
    ruleset_file = forms.FileField(
        label=_("Or your own rules (TOML)"),
        required=False,
        allow_empty_file=True,
        widget=forms.FileInput(attrs={"accept": ".toml"}),
        help_text=_("A ruleset file; it overrides the format chosen above."),
    )
    slug = forms.SlugField(
        label=_("URL"),
        max_length=50,
        required=False,
        help_text=_(
            "The last part of the contest's address; derived from the title if left empty."
        ),
    )
    starts_at = forms.CharField(
        label=_("First round opens"),
        widget=MomentField.widget,
        help_text=_(
            "In the contest's time zone. The rounds follow one another, each as long as the rules "
            "suggest; all dates can be changed before you publish."
        ),
    )
    field_order = [
        "ruleset",
        "ruleset_file",
        "title",
        "title_ja",
        "slug",
        "summary",
        "summary_ja",
        "timezone",
    ]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        language = get_language() or "en"
        choice_field(self, "ruleset").choices = [
            (name, localized(load_ruleset(name).title, language)) for name in ruleset_names()
        ]
        self.fields["starts_at"].initial = suggested_start(ZoneInfo(DEFAULT_ZONE))
        self.fields["slug"].widget.attrs["data-slug-from"] = "id_title"

    def largest_team(self) -> int:
        rules = self.cleaned_data.get("ruleset_file") or self.cleaned_data.get("ruleset")
        return rules.limits.max_team_size if rules else MOST_MEMBERS

    def clean_ruleset(self) -> Ruleset | None:
        """The chosen format."""
        name = self.cleaned_data["ruleset"]
        return load_ruleset(name) if name else None

    def clean_ruleset_file(self) -> Ruleset | None:
        """The uploaded rules; the errors name every invalid key."""
        upload = self.cleaned_data["ruleset_file"]
        if upload is None:
            return None
        if upload.size > MAX_RULESET_BYTES:
            raise ValidationError(
                _("The file is too large — expected at most %(expected)s — got %(got)s"),
                params={
                    "expected": filesizeformat(MAX_RULESET_BYTES),
                    "got": filesizeformat(upload.size),
                },
            )
        try:
            return parse_ruleset(upload.read().decode("utf-8-sig").replace("\r\n", "\n"))
        except UnicodeDecodeError as error:
            raise ValidationError(_("The file is not UTF-8 text.")) from error
        except ProblemsFound as found:
            raise ValidationError(
                [" — ".join(parts(problem)) for problem in found.problems]
            ) from found

    def clean_slug(self) -> str:
        slug = self.cleaned_data["slug"].lower()
        if slug in RESERVED_SLUGS or Contest.objects.filter(slug=slug).exists():
            raise ValidationError(_("This address is taken. Choose another one."))
        return slug

    def clean(self) -> dict[str, Any]:
        """Interpret the start in the chosen zone."""
        cleaned = super().clean() or self.cleaned_data
        if own := cleaned.pop("ruleset_file", None):
            cleaned["ruleset"] = own
        elif not cleaned.get("ruleset") and not self.errors:
            self.add_error("ruleset", _("Choose a format, or a file with your own rules."))
        clean_moment(self, cleaned, "starts_at")
        return cleaned


def suggested_start(zone: ZoneInfo) -> str:
    """Ten o'clock a week from now."""
    day = timezone.now().astimezone(zone) + timedelta(days=7)
    return day.strftime("%Y-%m-%dT10:00")
