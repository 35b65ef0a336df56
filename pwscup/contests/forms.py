"""What organizers fill in: a contest, its table and columns, its rounds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo, available_timezones

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.template.defaultfilters import filesizeformat
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from pwscup.contests.models import Contest, Round
from pwscup.contests.rule_words import KINDS, ROLES
from pwscup.contests.services import RESERVED_SLUGS, RoundPlan, round_problems
from scoring.rulesets import load_ruleset, localized, ruleset_names
from scoring.schema import Column, Kind, Role, Schema

if TYPE_CHECKING:
    from django.core.files.uploadedfile import UploadedFile

DEFAULT_ZONE = "Asia/Tokyo"
REGIONS = ("Africa", "America", "Antarctica", "Arctic", "Asia", "Atlantic", "Australia", "Europe")
YEARS = range(2000, 2100)
EMPTY_CELL = '""'


def zone_choices() -> list[tuple[str, str]]:
    """The world's time zones by region and city, the zone without a region first."""
    regions = (*REGIONS, "Indian", "Pacific")
    named = sorted(zone for zone in available_timezones() if zone.startswith(regions))
    return [(zone, zone.replace("_", " ")) for zone in ("UTC", *named)]


# Moments


class MomentField(forms.Field):
    """A moment, typed and shown as the clock of `zone` shows it."""

    widget = forms.DateTimeInput(attrs={"type": "datetime-local", "step": "60"})
    default_error_messages = {
        "format": _("Enter a date and a time such as 2030-01-31 10:00."),
        "year": _("Enter a year from %(first)d to %(last)d."),
        "missing": _(
            "%(moment)s does not exist in %(zone)s: the clocks are put forward over it. "
            "Choose a time before or after the gap."
        ),
        "twice": _(
            "%(moment)s happens twice in %(zone)s: the clocks are put back. "
            "Choose a time outside the repeated hour."
        ),
    }

    def __init__(self, *, zone: ZoneInfo, **options: Any) -> None:
        super().__init__(**options)
        self.zone = zone

    def prepare_value(self, value: Any) -> Any:
        if isinstance(value, datetime):
            return value.astimezone(self.zone).strftime("%Y-%m-%dT%H:%M")
        return value

    def to_python(self, value: Any) -> datetime | None:
        if value in self.empty_values:
            return None
        try:
            naive = datetime.fromisoformat(str(value).strip())
        except ValueError as error:
            raise ValidationError(self.error_messages["format"], code="format") from error
        return self._moment(naive.replace(tzinfo=None))

    def _moment(self, naive: datetime) -> datetime:
        if naive.year not in YEARS:
            params = {"first": YEARS.start, "last": YEARS.stop - 1}
            raise ValidationError(self.error_messages["year"], code="year", params=params)
        moment = naive.replace(tzinfo=self.zone)
        if moment.utcoffset() == moment.replace(fold=1).utcoffset():
            return moment.astimezone(ZoneInfo("UTC"))
        shown_again = moment.astimezone(ZoneInfo("UTC")).astimezone(self.zone).replace(tzinfo=None)
        raise self._error("twice" if shown_again == naive else "missing", f"{naive:%Y-%m-%d %H:%M}")

    def _error(self, code: str, moment: str) -> ValidationError:
        params = {"moment": moment, "zone": self.zone.key}
        return ValidationError(self.error_messages[code], code=code, params=params)


# The contest


class VersionedForm(forms.Form):
    """Carries the version of the contest that the page was made from."""

    # Without an identifier: a page may hold several of these forms.
    version = forms.IntegerField(widget=forms.HiddenInput(attrs={"id": False}), min_value=0)


class DescriptionForm(forms.ModelForm):
    """How a contest presents itself."""

    timezone = forms.ChoiceField(
        label=_("Time zone"),
        choices=zone_choices,
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
        """What the ruleset allows."""
        return self.instance.ruleset.limits.max_team_size

    def clean_max_team_size(self) -> int:
        size, largest = self.cleaned_data["max_team_size"], self.largest_team()
        if size > largest:
            raise ValidationError(
                _("The rules allow teams of at most %(largest)d."), params={"largest": largest}
            )
        return size


class SettingsForm(DescriptionForm, VersionedForm):
    """The settings of a contest that exists."""


class NewContestForm(DescriptionForm):
    """A new contest by one of the library's rulesets."""

    ruleset = forms.ChoiceField(label=_("Rules"))
    slug = forms.SlugField(
        label=_("Address"),
        max_length=50,
        required=False,
        help_text=_(
            "The last part of the contest's address; made from the title where left empty."
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
    field_order = ["ruleset", "title", "title_ja", "slug", "summary", "summary_ja", "timezone"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        language = get_language() or "en"
        self.fields["ruleset"].choices = [
            (name, localized(load_ruleset(name).title, language)) for name in ruleset_names()
        ]
        self.fields["starts_at"].initial = suggested_start(ZoneInfo(DEFAULT_ZONE))
        self.fields["slug"].widget.attrs["data-slug-from"] = "id_title"

    def largest_team(self) -> int:
        name = self.cleaned_data.get("ruleset") or ruleset_names()[0]
        return load_ruleset(name).limits.max_team_size

    def clean_slug(self) -> str:
        slug = self.cleaned_data["slug"].lower()
        if slug in RESERVED_SLUGS or Contest.objects.filter(slug=slug).exists():
            raise ValidationError(_("This address is taken. Choose another one."))
        return slug

    def clean(self) -> dict[str, Any]:
        """Read the start on the clock of the chosen zone."""
        cleaned = super().clean() or self.cleaned_data
        if "timezone" in cleaned and "starts_at" in cleaned:
            field = MomentField(zone=ZoneInfo(cleaned["timezone"]))
            try:
                cleaned["starts_at"] = field.clean(cleaned["starts_at"])
            except ValidationError as error:
                self.add_error("starts_at", error)
        return cleaned


def suggested_start(zone: ZoneInfo) -> str:
    """Ten o'clock a week from now."""
    day = timezone.now().astimezone(zone) + timedelta(days=7)
    return day.strftime("%Y-%m-%dT10:00")


class OrganizerForm(forms.Form):
    email = forms.EmailField(label=_("E-mail address of the account"))


# The table


class TableForm(VersionedForm):
    """The organizer's own CSV."""

    table = forms.FileField(
        label=_("Original table (CSV)"),
        allow_empty_file=True,
        widget=forms.FileInput(attrs={"accept": ".csv,text/csv"}),
        error_messages={"required": _("Choose a file.")},
    )

    def clean_table(self) -> UploadedFile:
        upload = self.cleaned_data["table"]
        if upload.size > settings.MAX_UPLOAD_BYTES:
            raise ValidationError(
                _("The file is too large — expected at most %(expected)s — got %(got)s"),
                params={
                    "expected": filesizeformat(settings.MAX_UPLOAD_BYTES),
                    "got": filesizeformat(upload.size),
                },
            )
        return upload


class BoundField(forms.Field):
    """A finite number, an integer where it is written as one; or nothing."""

    widget = forms.TextInput(attrs={"inputmode": "decimal", "size": 8})

    def to_python(self, value: Any) -> int | float | None:
        text = str(value or "").strip()
        if not text:
            return None
        if not re.fullmatch(r"-?\d{1,15}(\.\d{1,9})?", text, re.ASCII):
            raise ValidationError(_("Enter digits such as 1234 or -0.5."))
        return float(text) if "." in text else int(text)


class ValuesField(forms.Field):
    """The values of a category, one a line, spaces kept; nothing where any value is allowed."""

    widget = forms.Textarea(attrs={"rows": 6, "cols": 24})

    def prepare_value(self, value: Any) -> Any:
        if isinstance(value, tuple | list):
            return "\n".join(item or EMPTY_CELL for item in value)
        return value

    def to_python(self, value: Any) -> tuple[str, ...] | None:
        lines = [line for line in re.split(r"\r\n|\n|\r", str(value or "")) if line]
        return tuple("" if line == EMPTY_CELL else line for line in lines) or None


class ColumnForm(forms.Form):
    """One column of the table, as in the schema file."""

    role = forms.ChoiceField(label=_("Role"), choices=ROLES.items())
    kind = forms.ChoiceField(label=_("Kind"), choices=KINDS.items())
    cross = forms.BooleanField(label=_("Cross"), required=False)
    min = BoundField(label=_("Least"), required=False)
    max = BoundField(label=_("Greatest"), required=False)
    values = ValuesField(label=_("Values"), required=False)

    def __init__(self, *args: Any, column: Column, **kwargs: Any) -> None:
        fields = ("role", "kind", "cross", "min", "max", "values")
        initial = {name: getattr(column, name) for name in fields}
        super().__init__(*args, initial=initial, use_required_attribute=False, **kwargs)
        self.column_name = column.name
        for bound in self.fields.values():
            kind = "form-select" if isinstance(bound, forms.ChoiceField) else "form-control"
            is_tick = isinstance(bound, forms.BooleanField)
            bound.widget.attrs["class"] = "form-check-input" if is_tick else f"{kind} {kind}-sm"

    def column(self) -> Column:
        """The column as filled in; what its kind cannot have is left out."""
        data = self.cleaned_data
        kind = Kind(data["kind"])
        numeric = kind is not Kind.CATEGORY
        return Column(
            name=self.column_name,
            role=Role(data["role"]),
            kind=kind,
            cross=data["cross"],
            min=data["min"] if numeric else None,
            max=data["max"] if numeric else None,
            values=None if numeric else data["values"],
        )


class AttackColumnsForm(VersionedForm):
    """The amounts that the attackers of one column look at."""

    e2_column = forms.ChoiceField(label=_("Column of attack E2"), required=False)
    e4_column = forms.ChoiceField(label=_("Column of attack E4"), required=False)

    def __init__(self, *args: Any, schema: Schema, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choices = [("", _("none")), *((name, name) for name in schema.names)]
        for key in ("e2_column", "e4_column"):
            self.fields[key].choices = choices
            self.fields[key].initial = getattr(schema, key) or ""
            self.fields[key].widget.attrs["class"] = "form-select"


class ColumnsForm:
    """All columns of a draft in one form: a row for each, and the attack columns."""

    def __init__(self, schema: Schema, *, version: int, data: Any = None) -> None:
        self.columns = [
            ColumnForm(data, column=column, prefix=f"c{position}")
            for position, column in enumerate(schema.columns)
        ]
        self.attacks = AttackColumnsForm(data, schema=schema, initial={"version": version})

    def is_valid(self) -> bool:
        valid = [form.is_valid() for form in (*self.columns, self.attacks)]
        return all(valid)

    def schema(self) -> Schema:
        """The schema as filled in; ProblemsFound where its columns do not fit together."""
        return Schema(
            tuple(form.column() for form in self.columns),
            e2_column=self.attacks.cleaned_data["e2_column"] or None,
            e4_column=self.attacks.cleaned_data["e4_column"] or None,
        )


# The rounds


class RoundForm(forms.Form):
    """The dates and limits of one round, on the contest's clock."""

    tries = forms.IntegerField(min_value=1, max_value=10_000)
    feedback = forms.ChoiceField(label=_("Feedback"), choices=Round.Feedback.choices)

    def __init__(self, *args: Any, round: Round, **kwargs: Any) -> None:
        initial = {
            name: getattr(round, name) for name in ("opens_at", "closes_at", "tries", "feedback")
        }
        super().__init__(*args, initial=initial, prefix=round.key, **kwargs)
        self.round = round
        zone = round.contest.tz
        self.fields["opens_at"] = MomentField(zone=zone, label=_("Opens"))
        self.fields["closes_at"] = MomentField(zone=zone, label=_("Closes"))
        per_target = round.spec.tries_per_target is not None
        self.fields["feedback"].choices = feedback_choices(round)
        self.fields["tries"].label = _("Guesses per target") if per_target else _("Tries per team")
        self.order_fields(["opens_at", "closes_at", "tries", "feedback"])
        for field in self.fields.values():
            is_choice = isinstance(field, forms.ChoiceField)
            # Each round's panel holds its buttons' forms too, so its fields name theirs.
            field.widget.attrs |= {
                "class": "form-select" if is_choice else "form-control",
                "form": "rounds-form",
            }

    def clean(self) -> dict[str, Any]:
        """Keep the seconds of a moment whose minute was not changed."""
        cleaned = super().clean() or self.cleaned_data
        for name in ("opens_at", "closes_at"):
            before, typed = getattr(self.round, name), cleaned.get(name)
            if typed is not None and typed == before.replace(second=0, microsecond=0):
                cleaned[name] = before
        return cleaned

    def plan(self) -> RoundPlan:
        return RoundPlan(key=self.round.key, **self.cleaned_data)


def feedback_choices(round: Round) -> list[tuple[str, Any]]:
    """What may be told, and when; a band exists for rates only."""
    has_band = round.phase == "attack"
    return [
        (value, label)
        for value, label in Round.Feedback.choices
        if has_band or value in (round.feedback, Round.Feedback.EXACT, Round.Feedback.AFTER_CLOSE)
    ]


class RoundsForm(VersionedForm):
    """All rounds of a contest in one form."""

    def __init__(self, rounds: Sequence[Round], *, version: int, data: Any = None) -> None:
        super().__init__(data, initial={"version": version})
        self.rounds = [RoundForm(data, round=round) for round in rounds]

    def is_valid(self) -> bool:
        valid = [super().is_valid(), *(form.is_valid() for form in self.rounds)]
        if all(valid):
            for problem in round_problems(self._titled()):
                self.add_error(None, problem)
        return all(valid) and not self.errors

    def _titled(self) -> Iterable[tuple[str, RoundPlan]]:
        return [(form.round.local_title, form.plan()) for form in self.rounds]

    def plans(self) -> list[RoundPlan]:
        return [form.plan() for form in self.rounds]
