# SPDX-License-Identifier: Apache-2.0
"""The table of a contest and its columns."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.template.defaultfilters import filesizeformat
from django.utils.translation import gettext_lazy as _

from pwscup.contests.forms.common import VersionedForm
from pwscup.contests.rules.texts import COLUMN_KINDS, ROLES
from pwscup.core.http.fields import choice_field
from pwscup.formats.spec import NOTHING_TICKED
from scoring.errors import ProblemsFound
from scoring.tables.schema import DECIMALS, MOST_DECIMALS, Column, Kind, Role, Schema

if TYPE_CHECKING:
    from django.core.files.uploadedfile import UploadedFile

    from pwscup.formats.spec import Ticked

EMPTY_CELL = '""'
NO_TICKS: Mapping[str, Any] = MappingProxyType({})


class FileForm(VersionedForm):
    """The organizer's own file."""

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


class SeriesForm(FileForm):
    """The organizer's tables of all times in one archive; individuals are assigned to teams later, so nothing
    is sampled now."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["table"].label = _("Tables of all times (zip)")
        self.fields["table"].widget.attrs["accept"] = ".zip,application/zip"


class TableForm(FileForm):
    """The organizer's own CSV; other files are prepared first."""

    n_sampled = forms.IntegerField(
        label=_("Number of records to draw at random"),
        min_value=4,
        max_value=1_000_000,
        required=False,
        help_text=_("Leave it empty to take the whole table."),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["table"].widget.attrs["accept"] = ".csv,.tsv,.txt,.xlsx,text/csv,text/plain"


class GenerateForm(VersionedForm):
    """A synthetic table."""

    n_records = forms.IntegerField(label=_("Records"), min_value=100, max_value=200_000)


class GenerateSeriesForm(VersionedForm):
    """Synthetic tables of all times."""

    n_records = forms.IntegerField(
        label=_("Patients in each table"), min_value=100, max_value=100_000, initial=2_000
    )
    n_tables = forms.IntegerField(label=_("Tables"), min_value=2, max_value=20, initial=4)


class BoundField(forms.Field):
    """A finite number, an integer if written as one; or nothing."""

    widget = forms.TextInput(attrs={"inputmode": "decimal", "size": 8})

    def to_python(self, value: Any) -> int | float | None:
        text = str(value or "").strip()
        if not text:
            return None
        if not re.fullmatch(r"-?\d{1,15}(\.\d{1,9})?", text, re.ASCII):
            raise ValidationError(_("Enter digits such as 1234 or -0.5."))
        return float(text) if "." in text else int(text)


class ValuesField(forms.Field):
    """The values of a category, one per line, spaces kept; nothing if any value is allowed."""

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
    kind = forms.ChoiceField(label=_("Kind"), choices=COLUMN_KINDS.items())
    cross = forms.BooleanField(label=_("Cross-tabulate"), required=False)
    min = BoundField(label=_("Min"), required=False)
    max = BoundField(label=_("Max"), required=False)
    decimals = forms.IntegerField(
        label=_("Decimals"),
        min_value=0,
        max_value=MOST_DECIMALS,
        required=False,
        widget=forms.NumberInput(attrs={"placeholder": DECIMALS}),
    )
    values = ValuesField(label=_("Values"), required=False)

    def __init__(
        self,
        data: Any = None,
        *,
        column: Column,
        roles: Mapping[Role, Any] = ROLES,
        ticks: Mapping[str, Any] = NO_TICKS,
        ticked: Ticked = NOTHING_TICKED,
        **kwargs: Any,
    ) -> None:
        fields = ("role", "kind", "cross", "min", "max", "decimals", "values")
        initial = {name: getattr(column, name) for name in fields}
        super().__init__(data, initial=initial, use_required_attribute=False, **kwargs)
        self.before, self.column_name = column, column.name
        self._ticks = tuple(ticks)
        for tick, title in ticks.items():
            initially = column.name in ticked.get(tick, ())
            self.fields[tick] = forms.BooleanField(label=title, required=False, initial=initially)
        choice_field(self, "role").choices = roles.items()
        for bound in self.fields.values():
            kind = "form-select" if isinstance(bound, forms.ChoiceField) else "form-control"
            is_tick = isinstance(bound, forms.BooleanField)
            bound.widget.attrs["class"] = "form-check-input" if is_tick else f"{kind} {kind}-sm"

    @property
    def ticks(self) -> list[forms.BoundField]:
        """The further ticks of the format."""
        return [self[tick] for tick in self._ticks]

    def column(self) -> Column:
        """The column as entered, without the settings that its kind cannot have."""
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
            decimals=data["decimals"] if numeric else None,
            values=None if numeric else data["values"],
        )


class AttackColumnsForm(VersionedForm):
    """The amounts used by the attacks with a single column."""

    e2_column = forms.ChoiceField(
        label=_("Column of attack E2"),
        required=False,
        help_text=_(
            "E2 links a record to the one with the nearest value in this column, among those with the same "
            "quasi-identifiers."
        ),
    )
    e4_column = forms.ChoiceField(
        label=_("Column of attack E4"),
        required=False,
        help_text=_(
            "E4 links a record to the one with the nearest value in this column, among all records."
        ),
    )

    def __init__(self, *args: Any, schema: Schema, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choices = [("", _("none")), *((name, name) for name in schema.names)]
        for key in ("e2_column", "e4_column"):
            choice_field(self, key).choices = choices
            self.fields[key].initial = getattr(schema, key) or ""
            self.fields[key].widget.attrs["class"] = "form-select"


class ColumnsForm:
    """All columns of a draft in one form: a row for each, and the attack columns."""

    def __init__(
        self,
        schema: Schema,
        *,
        version: int,
        data: Any = None,
        roles: Mapping[Role, Any] = ROLES,
        ticks: Mapping[str, Any] = NO_TICKS,
        ticked: Ticked = NOTHING_TICKED,
    ) -> None:
        self.ticks = ticks
        self.columns = [
            ColumnForm(
                data,
                column=column,
                prefix=f"c{position}",
                roles=roles,
                ticks=ticks,
                ticked=ticked,
            )
            for position, column in enumerate(schema.columns)
        ]
        self.attacks = AttackColumnsForm(data, schema=schema, initial={"version": version})

    def is_valid(self) -> bool:
        valid = [form.is_valid() for form in (*self.columns, self.attacks)]
        if all(valid):
            for tick, names in self.ticked().items():
                if not names:
                    problem = _("Tick at least one column as “%(tick)s”.")
                    self.attacks.add_error(None, problem % {"tick": self.ticks[tick]})
        return all(valid) and not self.attacks.errors

    def ticked(self) -> dict[str, list[str]]:
        """The names of the ticked columns, by tick."""
        return {
            tick: [form.column_name for form in self.columns if form.cleaned_data.get(tick)]
            for tick in self.ticks
        }

    def entered(self) -> Schema | None:
        """The columns as far as they were entered without a fault, the others as before; None if they do not fit
        together."""
        columns = tuple(form.column() if form.is_valid() else form.before for form in self.columns)
        attacks = self.attacks.cleaned_data if self.attacks.is_valid() else {}
        try:
            return Schema(
                columns, attacks.get("e2_column") or None, attacks.get("e4_column") or None
            )
        except ProblemsFound:
            return None

    def schema(self) -> Schema:
        """The schema as entered; ProblemsFound if its columns are inconsistent."""
        return Schema(
            tuple(form.column() for form in self.columns),
            e2_column=self.attacks.cleaned_data["e2_column"] or None,
            e4_column=self.attacks.cleaned_data["e4_column"] or None,
        )
