# SPDX-License-Identifier: Apache-2.0
"""The form of an experiment: data, ε, methods. All errors are reported together, and an uploaded file is kept."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from django import forms
from django.core.exceptions import ValidationError
from django.http import QueryDict
from django.template.defaultfilters import filesizeformat
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from pwscup.core.files.headers import TooManyColumns, refuse_wide
from pwscup.core.files.names import plain_name
from pwscup.core.http.fields import choice_field
from pwscup.core.texts.problems import Shown, shown
from pwscup.experiments import tables
from pwscup.experiments.models import Experiment
from pwscup.experiments.setup import plans, texts
from pwscup.experiments.setup.fields import NumbersField
from scoring.errors import ProblemsFound, shorten

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from django.core.files.uploadedfile import UploadedFile
    from django.utils.datastructures import MultiValueDict

    from pwscup.experiments.models import Upload
    from scoring.privacy.experiments.counts import Counts

Source = Experiment.Source
EARLIER = "earlier"
HOUSEHOLDS = ("n_records", "households_seed", "households_columns")
DEFAULT_COLUMNS = ["sex", "age_class"]


@dataclass(frozen=True, slots=True)
class File:
    """A CSV file that was just received and is readable; `Upload` is a stored one."""

    name: str
    columns: list[str]
    data: bytes


class ExperimentForm(forms.Form):
    """An experiment; after `is_valid` its `counts`, its `setup` and the source of its data.

    `earlier` is an experiment whose settings are suggested, and whose data can be used again.
    """

    name = forms.CharField(label=gettext_lazy("Name"), max_length=60, required=False)
    source = forms.ChoiceField(label=gettext_lazy("Data"), widget=forms.RadioSelect)
    n_records = forms.IntegerField(
        label=gettext_lazy("Households"), min_value=100, max_value=100_000, required=False
    )
    households_seed = forms.IntegerField(
        label=gettext_lazy("Seed of the households"),
        min_value=0,
        max_value=plans.MAX_SEED,
        required=False,
    )
    households_columns = forms.MultipleChoiceField(
        label=gettext_lazy("Attributes of households"),
        widget=forms.CheckboxSelectMultiple,
        required=False,
    )
    file = forms.FileField(
        label=gettext_lazy("CSV file"),
        allow_empty_file=True,
        required=False,
        widget=forms.FileInput(attrs={"accept": ".csv,text/csv"}),
    )
    epsilons = NumbersField(
        label="ε",
        low=plans.MIN_EPSILON,
        high=plans.MAX_EPSILON,
        most=plans.MOST_EPSILONS,
        help_text=gettext_lazy("For the complete disclosure; separate several by commas."),
    )
    batch = forms.MultipleChoiceField(
        label=gettext_lazy("Batch methods"),
        choices=list(texts.BATCH.items()),
        widget=forms.CheckboxSelectMultiple,
        required=False,
    )
    queries = NumbersField(
        label=gettext_lazy("Interactive method IT: numbers of queries"),
        low=1,
        high=plans.MAX_QUERIES,
        most=plans.MOST_QUERIES,
        whole=True,
        required=False,
        help_text=gettext_lazy("X queries share ε: each is answered with Laplace noise for ε/X."),
    )
    trials = forms.IntegerField(
        label=gettext_lazy("Trials of each method"), min_value=1, max_value=plans.MAX_TRIALS
    )
    seed = forms.IntegerField(
        label=gettext_lazy("Seed"),
        min_value=0,
        max_value=plans.MAX_SEED,
        help_text=gettext_lazy("The same seed gives the same figures."),
    )
    aggregate = forms.ChoiceField(
        label=gettext_lazy("Aggregation of trials"),
        choices=list(texts.AGGREGATES.items()),
        widget=forms.RadioSelect,
    )
    rule = forms.ChoiceField(
        label=gettext_lazy("Relation of ρ to ε"),
        choices=list(texts.RULES.items()),
        widget=forms.RadioSelect,
    )
    weights = NumbersField(
        label=gettext_lazy("Parts of ε"),
        low=plans.MIN_WEIGHT,
        high=plans.MAX_WEIGHT,
        most=plans.MOST_WEIGHTS,
        repeated=True,
        required=False,
        help_text=gettext_lazy(
            "If each attribute has its own ρ: a number for each attribute, in the order of the data; equal parts "
            "if empty."
        ),
    )
    start = forms.ChoiceField(
        label=gettext_lazy("Starting point"),
        choices=list(texts.STARTS.items()),
        widget=forms.RadioSelect,
    )
    max_iterations = forms.IntegerField(
        label=gettext_lazy("Maximum number of iterations"),
        min_value=0,
        max_value=plans.MAX_ITERATIONS,
    )
    tolerance = forms.FloatField(
        label=gettext_lazy("Tolerance"),
        min_value=0,
        max_value=1,
        help_text=gettext_lazy(
            "It stops earlier if an iteration moves a smaller share of the records."
        ),
    )

    def __init__(
        self,
        data: QueryDict | None = None,
        files: MultiValueDict[str, UploadedFile] | None = None,
        *,
        kept: Upload | None = None,
        earlier: Experiment | None = None,
        blockers: Sequence[str] = (),
        initial: Mapping[str, Any] | None = None,
    ) -> None:
        proposed = initial or proposals(earlier)
        super().__init__(data, files, initial=dict(proposed), use_required_attribute=False)
        self.kept = kept
        self.received: File | None = None
        self.earlier, self.blockers = earlier, blockers
        self.counts: Counts | None = None
        self.setup: dict[str, Any] = {}
        self.origin: dict[str, Any] = {}
        self.problems: list[Shown] = []
        self.n_problems = 0
        sources: list[tuple[str, Any]] = list(Source.choices)
        if earlier is not None:
            sources.insert(0, (EARLIER, _("the data of “%(name)s”") % {"name": earlier.title}))
        choice_field(self, "source").choices = sources
        columns = tables.household_columns().items()
        choice_field(self, "households_columns").choices = [
            (name, f"{name} ({n})") for name, n in columns
        ]

    # The displayed part of a file

    @property
    def chosen_file(self) -> File | Upload | None:
        return self.received or self.kept

    @property
    def file_columns(self) -> list[tuple[str, bool]]:
        """The columns of the file, and their check boxes."""
        found = self.chosen_file
        chosen = self._chosen_columns()
        return [(name, name in chosen) for name in found.columns] if found else []

    def _chosen_columns(self) -> list[str]:
        if isinstance(self.data, QueryDict):
            return self.data.getlist("file_columns")
        return self.initial.get("file_columns", [])

    def unchecked(self, kept: Upload | None) -> ExperimentForm:
        """The same form with its input, without validation."""
        typed = {
            name: field.widget.value_from_datadict(self.data, self.files, name)
            for name, field in self.fields.items()
        }
        typed["file_columns"] = self._chosen_columns()
        return ExperimentForm(
            kept=kept, earlier=self.earlier, blockers=self.blockers, initial=typed
        )

    def request(self) -> dict[str, Any]:
        """The arguments of the request of a valid form."""
        source, earlier = self.cleaned_data["source"], self.earlier
        return {
            "name": self.cleaned_data["name"],
            "source": earlier.source if earlier and source == EARLIER else source,
            "origin": self.origin,
            "counts": self.counts,
            "setup": self.setup,
        }

    # Checks

    def clean_file(self) -> None:
        upload = self.cleaned_data["file"]
        if upload is None:
            return
        if upload.size > tables.MAX_BYTES:
            sizes = {
                "expected": filesizeformat(tables.MAX_BYTES),
                "got": filesizeformat(upload.size),
            }
            message = _("The file is too large — expected at most %(expected)s — got %(got)s")
            raise ValidationError(message % sizes)
        self.kept = None  # another file was chosen instead, readable or not
        data = upload.read()
        try:
            refuse_wide(data)
        except TooManyColumns as wide:
            raise ValidationError(str(wide)) from wide
        name = plain_name(upload.name)
        columns = self._read(partial(tables.header_of, data), name)
        if columns is not None:
            self.received = File(name, columns, data)

    def _read(self, read: Callable[[], Any], name: str) -> Any:
        """The result of a reader; None if the file is invalid, with all problems recorded."""
        try:
            return read()
        except ProblemsFound as found:
            self.problems = shown(found.problems, {tables.TABLE_FILE: name})
            self.n_problems = found.n_total
        message = ngettext(
            "%(n)d problem with the data: see the table.",
            "%(n)d problems with the data: see the table.",
            self.n_problems,
        )
        self.add_error(self._data_field(), message % {"n": self.n_problems})
        return None

    def _data_field(self) -> str:
        households = self.data.get("source") == Source.HOUSEHOLDS
        return "households_columns" if households else "file"

    def clean(self) -> dict[str, Any]:
        for blocker in self.blockers:
            self.add_error(None, blocker)
        self._forget_what_is_not_chosen()
        self.counts = self._counted(self.cleaned_data.get("source"))
        if self.counts is not None:
            self._check_counts(self.counts)
        self.setup = {name: self.cleaned_data.get(name) for name in plans.DEFAULTS}
        if not self.cleaned_data.get("batch") and self.cleaned_data.get("queries") == []:
            self.add_error(
                "queries", _("Choose a batch method, or at least one number of queries.")
            )
        if self.counts is not None and not self.errors.keys() & self.setup.keys():
            self._check_together(self.counts)
        return self.cleaned_data

    def _forget_what_is_not_chosen(self) -> None:
        source = self.cleaned_data.get("source")
        if source != Source.HOUSEHOLDS:
            for name in HOUSEHOLDS:
                self.errors.pop(name, None)
        if source not in (Source.COUNTS, Source.RECORDS):
            self.errors.pop("file", None)
            self.problems, self.n_problems = [], 0

    def _counted(self, source: str | None) -> Counts | None:
        if source == EARLIER and self.earlier is not None:
            self.origin = self.earlier.origin
            return tables.from_json(self.earlier.counts)
        if source == Source.PUBLISHED:
            return tables.published()
        if source == Source.HOUSEHOLDS:
            return self._households()
        if source in (Source.COUNTS, Source.RECORDS) and "file" not in self.errors:
            return self._from_file(source)
        return None

    def _households(self) -> Counts | None:
        for name in HOUSEHOLDS:
            if name not in self.errors and self.cleaned_data.get(name) in (None, []):
                self.add_error(name, self.fields[name].error_messages["required"])
        if self.errors.keys() & set(HOUSEHOLDS):
            return None
        n_records, seed, columns = (self.cleaned_data[name] for name in HOUSEHOLDS)
        self.origin = {"n_records": n_records, "seed": seed}
        return self._read(partial(tables.of_households, n_records, seed, columns), "")

    def _from_file(self, source: str) -> Counts | None:
        found = self.chosen_file
        if found is None:
            self.add_error("file", _("Choose a file."))
            return None
        self.origin = {"name": found.name, "sha256": hashlib.sha256(found.data).hexdigest()}
        if source == Source.COUNTS:
            return self._read(partial(tables.of_counts, found.data), found.name)
        columns = [name for name in found.columns if name in self._chosen_columns()]
        if not columns:
            self.add_error("file", _("Choose the columns of the file below."))
            return None
        return self._read(
            partial(tables.of_records, found.data, found.columns, columns), found.name
        )

    def _check_counts(self, counts: Counts) -> None:
        if counts.table.size > tables.MAX_CELLS:
            numbers = {"expected": tables.MAX_CELLS, "got": counts.table.size}
            message = _(
                "Too many combinations of values — expected at most %(expected)d — got %(got)d."
            )
            self.add_error(self._data_field(), message % numbers)
        values = (value for own in counts.values for value in own)
        longest = max((*counts.attributes, *values), key=len)
        if len(longest) > tables.MAX_VALUE:
            words = {"expected": tables.MAX_VALUE, "got": shorten(longest)}
            message = _(
                "A name or value is too long for the figures — expected at most %(expected)d "
                "characters — got “%(got)s”"
            )
            self.add_error(self._data_field(), message % words)

    def _check_together(self, counts: Counts) -> None:
        """Checks that depend on both the data and the settings."""
        setup, n_cells, n_values = self.setup, counts.table.size, sum(counts.sizes)
        if setup["rule"] == "taylor" and max(setup["epsilons"]) >= n_values:
            message = _(
                "With the first Taylor term every ε must be below %(n)d, the values of all attributes."
            )
            self.add_error("epsilons", message % {"n": n_values})
        if setup["weights"] and setup["rule"] != "divided":
            message = _("Parts of ε require the rule that each attribute has its own ρ.")
            self.add_error("weights", message)
        elif setup["weights"] and len(setup["weights"]) != len(counts.sizes):
            message = _("Expected one part for each of %(n)d attributes, got %(got)d.")
            numbers = {"n": len(counts.sizes), "got": len(setup["weights"])}
            self.add_error("weights", message % numbers)
        most = plans.most_trials(n_cells, setup)
        if setup["trials"] > most:
            message = _("At most %(most)d trials for so many cells, methods and ε.")
            self.add_error("trials", message % {"most": most})
        most = plans.most_iterations(n_cells, setup)
        if "BR" in setup["batch"] and setup["max_iterations"] > most:
            message = _("At most %(most)d iterations for so many cells, trials and ε.")
            self.add_error("max_iterations", message % {"most": most})


def proposals(earlier: Experiment | None) -> dict[str, Any]:
    """The initial values of the form: the paper's experiment, or an earlier one."""
    values: dict[str, Any] = plans.DEFAULTS | {
        "source": Source.PUBLISHED,
        "n_records": 10_000,
        "households_seed": 1,
        "households_columns": DEFAULT_COLUMNS,
    }
    if earlier is None:
        return values
    return values | earlier.setup | {"source": EARLIER, "name": earlier.name}
