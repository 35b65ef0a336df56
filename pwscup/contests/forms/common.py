# SPDX-License-Identifier: Apache-2.0
"""Times in a time zone, and the base of all forms about a contest."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from functools import lru_cache
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

from babel.dates import get_timezone_location
from django import forms
from django.core.exceptions import ValidationError
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

REGIONS = ("Africa", "America", "Antarctica", "Arctic", "Asia", "Atlantic", "Australia", "Europe")
YEARS = range(2000, 2100)


def zone_choices() -> list[tuple[str, str]]:
    """The world's time zones with the city in the reader's language; first UTC, for readers of Japanese Tokyo."""
    return list(_zones((get_language() or "en")[:2]))


@lru_cache(maxsize=8)
def _zones(language: str) -> tuple[tuple[str, str], ...]:
    regions = (*REGIONS, "Indian", "Pacific")
    named = sorted(zone for zone in available_timezones() if zone.startswith(regions))
    first = ("Asia/Tokyo", "UTC") if language == "ja" else ("UTC",)
    ordered = dict.fromkeys((*first, *named))
    return tuple((zone, _city(zone, language)) for zone in ordered)


def _city(zone: str, language: str) -> str:
    if language == "en" or "/" not in zone:
        return zone.rpartition("/")[2].replace("_", " ")
    return get_timezone_location(zone, locale=language, return_city=True)


class RoundField(forms.ModelChoiceField):
    """A choice of rounds, by their titles in the reader's language."""

    def label_from_instance(self, obj: Any) -> str:
        title: str = obj.local_title
        return title


class ZoneInput(forms.TextInput):
    """A text field that proposes time zones while somebody types."""

    choices: Iterable[tuple[str, str]] = ()

    def __init__(self, attrs: dict[str, Any] | None = None) -> None:
        given = {"autocomplete": "off", "spellcheck": "false", "data-select-all": ""}
        super().__init__(given | (attrs or {}))

    def render(self, name: str, value: Any, attrs: Any = None, renderer: Any = None) -> SafeString:
        listed = f"{(attrs or {}).get('id', f'id_{name}')}-zones"
        field = super().render(name, value, {**(attrs or {}), "list": listed}, renderer)
        options = format_html_join("", '<option value="{}">{}</option>', self.choices)
        return format_html('{}<datalist id="{}">{}</datalist>', field, listed, options)


class ZoneField(forms.ChoiceField):
    """A time zone by its name, or by a city that only one zone has, in the reader's language."""

    widget = ZoneInput
    default_error_messages = {
        "invalid_choice": _(
            "There is no time zone “%(value)s”. Choose one of the list, such as Asia/Tokyo."
        ),
    }

    def __init__(self, **options: Any) -> None:
        super().__init__(choices=zone_choices, **options)

    def to_python(self, value: Any) -> str:
        """The name of the zone; what is unknown stays as typed."""
        typed = str(super().to_python(value)).strip()
        wanted = typed.casefold().replace(" ", "_")
        zones = zone_choices()
        names = [zone for zone, _city in zones if zone.casefold() == wanted]
        cities = [zone for zone, city in zones if city.casefold().replace(" ", "_") == wanted]
        found = names or cities
        return found[0] if len(found) == 1 else typed


class OneTitleSuffices(forms.BaseForm):
    """Titles in English and Japanese; without the English one, the Japanese one stands for both."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["title"].required = False
        self.fields["title_ja"].help_text = _("A title in one of the two languages suffices.")

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if not cleaned.get("title") and not self.errors.keys() & {"title", "title_ja"}:
            if not cleaned.get("title_ja"):
                self.add_error("title", self.fields["title"].error_messages["required"])
            cleaned["title"] = cleaned.get("title_ja", "")
        return cleaned


def clean_moment(form: forms.BaseForm, cleaned: dict[str, Any], name: str) -> None:
    """Interpret a time that was entered as text in the zone that the same form chooses."""
    if not (cleaned.get("timezone") and cleaned.get(name)):
        return
    try:
        cleaned[name] = MomentField(zone=ZoneInfo(cleaned["timezone"])).clean(cleaned[name])
    except ValidationError as error:
        form.add_error(name, error)


class MomentField(forms.Field):
    """A time, entered and shown in `zone`."""

    widget = forms.DateTimeInput(attrs={"type": "datetime-local", "step": "60"})
    default_error_messages = {
        "format": _("Enter a date and a time such as 2030-01-31 10:00."),
        "year": _("Enter a year from %(first)d to %(last)d."),
        "missing": _(
            "%(time)s does not exist in %(zone)s: the clocks are put forward over it. "
            "Choose a time before or after the gap."
        ),
        "twice": _(
            "%(time)s happens twice in %(zone)s: the clocks are put back. "
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
        if (
            isinstance(value, datetime) and value.tzinfo is not None
        ):  # of a program: it means one time
            return self._in_range(value).astimezone(ZoneInfo("UTC"))
        try:
            naive = datetime.fromisoformat(str(value).strip())
        except ValueError as error:
            raise ValidationError(self.error_messages["format"], code="format") from error
        return self._moment(naive.replace(tzinfo=None))

    def _moment(self, naive: datetime) -> datetime:
        self._in_range(naive)
        moment = naive.replace(tzinfo=self.zone)
        if moment.utcoffset() == moment.replace(fold=1).utcoffset():
            return moment.astimezone(ZoneInfo("UTC"))
        shown_again = moment.astimezone(ZoneInfo("UTC")).astimezone(self.zone).replace(tzinfo=None)
        raise self._error("twice" if shown_again == naive else "missing", f"{naive:%Y-%m-%d %H:%M}")

    def _in_range(self, time: datetime) -> datetime:
        if time.year not in YEARS:
            params = {"first": YEARS.start, "last": YEARS.stop - 1}
            raise ValidationError(self.error_messages["year"], code="year", params=params)
        return time

    def _error(self, code: str, moment: str) -> ValidationError:
        params = {"time": moment, "zone": self.zone.key}
        return ValidationError(self.error_messages[code], code=code, params=params)


class VersionedForm(forms.Form):
    """Contains the version of the contest for which the page was rendered."""

    # Without an HTML id: a page may contain several of these forms.
    version = forms.IntegerField(widget=forms.HiddenInput(attrs={"id": False}), min_value=0)
