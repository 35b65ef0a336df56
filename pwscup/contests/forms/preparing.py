# SPDX-License-Identifier: Apache-2.0
"""The page Prepare: a raw file, how it is read, and a step. Labels are those of the fields of the library's steps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.template.defaultfilters import filesizeformat
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from pwscup.core.http.fields import choice_field
from scoring.tables.raw_files import AUTO, ENCODINGS, MAX_HEADER, SEPARATORS, Reading
from scoring.tables.steps import MISSING

if TYPE_CHECKING:
    from django.core.files.uploadedfile import UploadedFile

    from scoring.tables.preparing import Field, StepKind

FOUND = _("found from the file")
STEP_TITLES: Mapping[str, Any] = {
    "drop": _("Drop columns"),
    "rename": _("Rename a column"),
    "numbers": _("Plain numbers"),
    "round": _("Round numbers"),
    "missing": _("Missing values"),
    "dates": _("Dates"),
    "merge-rare": _("Merge rare values"),
    "sample": _("Draw a sample"),
}
STEP_LEADS: Mapping[str, Any] = {
    "drop": _(
        "Leave out what the contest does not need, above all names, numbers and addresses of people."
    ),
    "rename": _("Teams write programs with these names: short ones are better."),
    "numbers": _("1,234, ¥1,234, △5, 12％, 1.5e3 and full-width digits become plain numbers."),
    "round": _(
        "A table of a contest has at most four decimals. Fewer decimals make fewer records unique."
    ),
    "missing": _(
        "Empty cells and signs such as NA or 不明 are dropped, kept as a category, or replaced."
    ),
    "dates": _("A date of birth becomes an age or an age class, another date its year or month."),
    "merge-rare": _("Values that few records have become one value."),
    "sample": _(
        "Records are drawn at random; the seed is drawn by the system and stays in the file of steps."
    ),
}
LABELS: Mapping[str, Any] = {
    "columns": _("Columns"),
    "column": _("Column"),
    "name": _("New name"),
    "decimal": _("Decimal sign"),
    "decimals": _("Decimals"),
    "how": _("What to do"),
    "signs": _("Cells that mean a missing value, one per line"),
    "label": _("Name of the category"),
    "to": _("Make of each date"),
    "on": _("Age on"),
    "width": _("Years in a class"),
    "order": _("Order in the cells"),
    "least": _("Smallest number of records of a value that stays"),
    "records": _("Records"),
}
HELP: Mapping[str, Any] = {
    "signs": _(
        "Leave it empty for the usual ones: NA, N/A, NaN, NULL, -, ?, 不明, 欠損 and others. Empty cells always count."
    ),
    "on": _("Needed for ages: the last day of the data, not today."),
    "order": _("Only for dates such as 3/4/1980, in which the year does not come first."),
}
CHOICES: Mapping[tuple[str, str], Any] = {
    ("decimal", "."): _("point (1,234.5)"),
    ("decimal", ","): _("comma (1.234,5)"),
    ("how", "drop"): _("drop these records"),
    ("how", "category"): _("a category of their own"),
    ("how", "empty"): _("empty cells"),
    ("how", "most-frequent"): _("the most frequent value"),
    ("how", "median"): _("the median"),
    ("how", "mean"): _("the mean"),
    ("to", "year"): pgettext_lazy("of a date", "year"),
    ("to", "month"): pgettext_lazy("of a date", "year and month"),
    ("to", "age"): _("age"),
    ("to", "age-class"): _("age class"),
    ("to", "date"): _("date such as 2025-04-01"),
    ("order", AUTO): FOUND,
    ("order", "ymd"): _("year, month, day"),
    ("order", "dmy"): _("day, month, year"),
    ("order", "mdy"): _("month, day, year"),
}
CATEGORIES: Mapping[str, Any] = {
    "missing": pgettext_lazy("value of a column", "missing"),
    "other": pgettext_lazy("value of a column", "other"),
}
"""The proposed names of categories, in the language of the reader."""
ENCODING_TITLES: Mapping[str, Any] = {"cp932": _("CP932 (Shift_JIS)")}
SEPARATOR_TITLES: Mapping[str, Any] = {
    "comma": _("comma"),
    "tab": _("tab"),
    "semicolon": _("semicolon"),
    "bar": _("vertical bar"),
}


class RawForm(forms.Form):
    """A raw file, and optionally the steps for it."""

    version = forms.IntegerField(widget=forms.HiddenInput(attrs={"id": False}), min_value=0)
    table = forms.FileField(
        label=_("Raw table (CSV, text or .xlsx)"),
        allow_empty_file=True,
        widget=forms.FileInput(attrs={"accept": ".csv,.tsv,.txt,.xlsx,text/csv,text/plain"}),
        error_messages={"required": _("Choose a file.")},
    )
    steps = forms.FileField(
        label=_("File of steps (.toml), if there is one"),
        required=False,
        widget=forms.FileInput(attrs={"accept": ".toml,.json", "class": "form-control"}),
        help_text=_(
            "From python -m scoring prepare --steps-out, or from the page Prepare of another contest."
        ),
    )

    n_sampled = forms.IntegerField(min_value=1, max_value=1_000_000, required=False)

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


class ReadingForm(forms.Form):
    """The way of reading a raw file."""

    encoding = forms.ChoiceField(
        label=_("Encoding"),
        choices=[
            (AUTO, FOUND),
            *((name, ENCODING_TITLES.get(name, name.upper())) for name in ENCODINGS),
        ],
    )
    separator = forms.ChoiceField(
        label=_("Separator"),
        choices=[(AUTO, FOUND), *((name, SEPARATOR_TITLES[name]) for name in SEPARATORS)],
    )
    sheet = forms.ChoiceField(label=_("Sheet"), required=False)
    header = forms.IntegerField(
        label=_("Line of the column names"),
        min_value=0,
        max_value=MAX_HEADER,
        help_text=_("0: found from the file. What is above it is left out."),
    )

    def __init__(self, *args: Any, sheets: Iterable[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        names = list(sheets)
        choice_field(self, "sheet").choices = [("", FOUND), *((name, name) for name in names)]
        if names:
            del self.fields["encoding"], self.fields["separator"]
        else:
            del self.fields["sheet"]
        for field in self.fields.values():
            is_choice = isinstance(field, forms.ChoiceField)
            field.widget.attrs["class"] = "form-select" if is_choice else "form-control"

    def reading(self) -> Reading:
        """The way as entered; the rest is found from the file."""
        return Reading(**{name: self.cleaned_data[name] for name in self.fields})


class StepForm(forms.Form):
    """One step, with the fields of its kind; seeds are drawn and never asked for."""

    def __init__(
        self,
        data: Any = None,
        *,
        kind: StepKind,
        columns: Iterable[str],
        given: Mapping[str, Any],
        **kwargs: Any,
    ) -> None:
        super().__init__(data, prefix="s", **kwargs)
        self.kind = kind
        self.number: int | None = None  # of the step that is changed
        names = [(name, name) for name in columns]
        for field in kind.fields:
            if field.kind == "seed":
                continue
            made = _MADE[field.kind](field, names)
            made.label = LABELS[field.name]
            made.required = field.is_required
            if field.kind == "choice":
                made.required = True
            made.help_text = HELP.get(field.name, "")
            if field.kind == "columns" and not field.is_required:
                made.help_text = _("None ticked: all columns.")
            first = given.get(field.name, None if field.is_required else field.default)
            made.initial = "\n".join(first) if field.kind == "texts" and first != MISSING else first
            if field.kind == "texts" and first == MISSING:
                made.initial = ""
            if field.name == "label" and field.name not in given:
                made.initial = CATEGORIES[field.default]
            self.fields[field.name] = made

    def step(self) -> dict[str, Any]:
        """The step as data; fields that were left empty are left out."""
        found: dict[str, Any] = {"do": self.kind.id}
        for name in self.fields:
            value = self.cleaned_data[name]
            if value in (None, "", []):
                continue
            found[name] = value.isoformat() if hasattr(value, "isoformat") else value
        return found


class LinesField(forms.CharField):
    """Texts, one per line."""

    widget = forms.Textarea(attrs={"rows": 3, "class": "form-control"})

    def to_python(self, value: Any) -> Any:
        return [line.strip() for line in str(value or "").splitlines() if line.strip()]


def _columns(_field: Field, names: list[tuple[str, str]]) -> forms.Field:
    return forms.MultipleChoiceField(choices=names, widget=forms.CheckboxSelectMultiple)


def _column(_field: Field, names: list[tuple[str, str]]) -> forms.Field:
    return forms.ChoiceField(choices=names, widget=forms.Select(attrs={"class": "form-select"}))


def _choice(field: Field, _names: list[tuple[str, str]]) -> forms.Field:
    choices = [(value, CHOICES[field.name, value]) for value in field.choices]
    return forms.ChoiceField(choices=choices, widget=forms.Select(attrs={"class": "form-select"}))


def _integer(field: Field, _names: list[tuple[str, str]]) -> forms.Field:
    widget = forms.NumberInput(attrs={"class": "form-control"})
    return forms.IntegerField(min_value=field.low, max_value=field.high, widget=widget)


_MADE: Mapping[str, Callable[[Any, list[tuple[str, str]]], forms.Field]] = {
    "columns": _columns,
    "column": _column,
    "choice": _choice,
    "integer": _integer,
    "text": lambda _field, _names: forms.CharField(
        max_length=100, widget=forms.TextInput(attrs={"class": "form-control"})
    ),
    "texts": lambda _field, _names: LinesField(),
    "date": lambda _field, _names: forms.DateField(
        widget=forms.DateInput(attrs={"type": "date", "class": "form-control"}, format="%Y-%m-%d"),
        input_formats=["%Y-%m-%d"],
    ),
}
