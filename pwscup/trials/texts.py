# SPDX-License-Identifier: Apache-2.0
"""A trial in words: its methods with the values of their sliders."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from pwscup.core.texts.parts import listed

if TYPE_CHECKING:
    from pwscup.formats.trying import Method
    from pwscup.trials.models import Trial

NOTE_LENGTH = 200


def methods_of(trial: Trial) -> dict[str, Method]:
    """The methods on offer by their key."""
    trying = trial.round.format.trying
    return {} if trying is None else {m.key: m for m in trying.methods(trial.round)}


def steps_of(trial: Trial) -> list[str]:
    """Each step in the reader's language, such as "Groups of k (k = 3)"."""
    methods = methods_of(trial)
    return [_step(methods.get(step["method"]), step) for step in trial.steps]


def _step(method: Method | None, step: dict) -> str:
    if method is None:  # no longer on offer
        return str(step["method"])
    values = [
        f"{slider.symbol or slider.name} = {number_format(step['values'][slider.name])}"
        for slider in method.sliders
        if slider.name in step["values"]
    ]
    if not values:
        return str(method.title)
    return _("%(method)s (%(values)s)") % {"method": method.title, "values": listed(values)}


def note_of(trial: Trial) -> str:
    """The note of a submission."""
    note = " → ".join(steps_of(trial))
    return note if len(note) <= NOTE_LENGTH else f"{note[: NOTE_LENGTH - 1]}…"
