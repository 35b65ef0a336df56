# SPDX-License-Identifier: Apache-2.0
"""The form of a trial: a method, the numbers of its sliders, and a target in an attack round."""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from django import forms
from django.utils.translation import gettext_lazy as _

from pwscup.core.http.fields import choice_field

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pwscup.formats.trying import Method, Slider
    from pwscup.submissions.models import Release


@dataclass(frozen=True, slots=True)
class Choice:
    """A method of the form, with a bound field for each slider."""

    method: Method
    is_chosen: bool
    fields: tuple[forms.BoundField, ...]


class TrialForm(forms.Form):
    """The chosen method and its values; the fields of the other methods are ignored."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    method = forms.ChoiceField(label=_("Method"))
    base = forms.IntegerField(required=False, min_value=1)

    def __init__(
        self,
        methods: Sequence[Method],
        targets: Iterable[Release],
        original: forms.Field | None,
        *args: Any,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.offered = {method.key: method for method in methods}
        self.targets = {release.team.slug: release for release in targets}
        choice_field(self, "method").choices = [(key, m.title) for key, m in self.offered.items()]
        if self.targets:
            names = [(slug, release.team.name) for slug, release in self.targets.items()]
            self.fields["target"] = forms.ChoiceField(label=_("Target"), choices=names)
            self.fields["target"].widget.attrs["class"] = "form-select"
        if original:
            self.fields["original"] = original
        for method in methods:
            for slider in method.sliders:
                self.fields[name_of(method, slider)] = _number(slider)

    @property
    def chosen(self) -> str:
        """The key of the method that is chosen now, the first one at the beginning."""
        value = self["method"].value()
        return value if value in self.offered else next(iter(self.offered))

    def choices(self) -> list[Choice]:
        """All methods with their fields."""
        return [
            Choice(
                method,
                key == self.chosen,
                tuple(self[name_of(method, slider)] for slider in method.sliders),
            )
            for key, method in self.offered.items()
        ]

    def clean(self) -> dict[str, Any]:
        """Drop the errors of methods that are not chosen."""
        cleaned = super().clean() or self.cleaned_data
        chosen = self.offered.get(cleaned.get("method", ""))
        needed = {name_of(chosen, slider) for slider in chosen.sliders} if chosen else set()
        for name in {*self.errors} - needed - {"method", "target", "base", "original", "__all__"}:
            del self.errors[name]
        return cleaned

    def values(self) -> Mapping[str, float]:
        """The values of the chosen method by slider."""
        method = self.offered[self.cleaned_data["method"]]
        return {s.name: self.cleaned_data[name_of(method, s)] for s in method.sliders}

    def request(self) -> dict[str, Any]:
        """The arguments of `services.request_trial`."""
        return {
            "method": self.offered[self.cleaned_data["method"]],
            "values": self.values(),
            "target": self.targets.get(self.cleaned_data.get("target", "")),
            "base": self.cleaned_data["base"],
            "original": self.cleaned_data.get("original"),
        }


def name_of(method: Method, slider: Slider) -> str:
    return f"{method.key}-{slider.name}"


def _number(slider: Slider) -> forms.Field:
    """A number between the ends of the slider; the page makes a slider of it where scripts run."""
    field: Any = forms.IntegerField if slider.is_whole else forms.FloatField
    attrs = {
        "class": "form-control",
        "step": f"{slider.step:g}",
        "inputmode": "numeric" if slider.is_whole else "decimal",
    }
    made: forms.Field = field(
        label=slider.title,
        min_value=int(slider.low) if slider.is_whole else slider.low,
        max_value=int(slider.high) if slider.is_whole else slider.high,
        initial=int(slider.default) if slider.is_whole else slider.default,
        widget=forms.NumberInput(attrs=attrs),
    )
    return made


def initial_of(steps: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The initial values that repeat the last step of a trial."""
    if not steps:
        return {}
    last = steps[-1]
    return {
        "method": last["method"],
        **{f"{last['method']}-{name}": value for name, value in last["values"].items()},
    }
