# SPDX-License-Identifier: Apache-2.0
"""Texts of settings: the meaning of a choice, and the label of every figure."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from pwscup.core.texts.parts import noted

if TYPE_CHECKING:
    from pwscup.experiments.models import Experiment

AGGREGATES = {
    "rms": gettext_lazy("root mean square of the trials' L2, mean of their rank correlations"),
    "of_medians": gettext_lazy("L2 and rank correlation of the cells' medians over the trials"),
}
RULES = {
    "exact": gettext_lazy("exact: the root of the paper's equation 6"),
    "taylor": gettext_lazy("first term of the Taylor series, as the paper seems to have it"),
    "divided": gettext_lazy("separate for each attribute: ε is divided among the attributes"),
}
STARTS = {
    "uniform": gettext_lazy("the uniform table"),
    "observed": gettext_lazy("the released table"),
}
BATCH = {
    "BT": gettext_lazy("BT: a batch, counted directly"),
    "BR": gettext_lazy("BR: a batch, reconstructed"),
}
_AGGREGATES = {
    "rms": gettext_lazy("root mean square of trials"),
    "of_medians": gettext_lazy("of the cells' medians"),
}
_RULES = {
    "exact": gettext_lazy("exact"),
    "taylor": gettext_lazy("first Taylor term"),
    "divided": gettext_lazy("separate for each attribute"),
}


def data(experiment: Experiment) -> str:
    """The source of the counts."""
    origin = experiment.origin
    words = {
        "published": _("users of MovieLens 1M, as published"),
        "households": _("%(n_records)s pseudo households, seed %(seed)s"),
        "counts": _("counts of “%(name)s”"),
        "records": _("records of “%(name)s”"),
    }
    shown = {name: intcomma(v) if name == "n_records" else v for name, v in origin.items()}
    return words[experiment.source] % shown


def attributes(experiment: Experiment) -> str:
    """The attributes with their numbers of values."""
    counts = experiment.counts
    pairs = zip(counts["attributes"], counts["values"], strict=True)
    return " × ".join(f"{name} ({len(values)})" for name, values in pairs)


def n_cells(experiment: Experiment) -> int:
    return math.prod(map(len, experiment.counts["values"]))


def aggregate(setup: dict[str, Any]) -> str:
    return str(_AGGREGATES[setup["aggregate"]])


def rule(setup: dict[str, Any]) -> str:
    """The relation of ρ to ε, with the parts of ε if they are not equal."""
    found = str(_RULES[setup["rule"]])
    weights = ":".join(f"{weight:g}" for weight in setup.get("weights", ()))
    return noted(found, weights) if weights else found


def stopping(setup: dict[str, Any]) -> str:
    """The stopping rule of a reconstruction, and its starting point."""
    return _("from %(start)s, at most %(n)s iterations, tolerance %(tolerance)g") % {
        "start": STARTS[setup["start"]],
        "n": intcomma(setup["max_iterations"]),
        "tolerance": setup["tolerance"],
    }


def trials(setup: dict[str, Any]) -> str:
    n = setup["trials"]
    return ngettext("%(n)s trial, seed %(seed)s", "%(n)s trials, seed %(seed)s", n) % {
        "n": intcomma(n),
        "seed": setup["seed"],
    }


def label(setup: dict[str, Any]) -> str:
    """All settings that a figure depends on in addition to the data, ε and the method."""
    return _("Aggregate: %(aggregate)s; ρ: %(rule)s; reconstruction: %(stopping)s; %(trials)s.") % {
        "aggregate": aggregate(setup),
        "rule": rule(setup),
        "stopping": stopping(setup),
        "trials": trials(setup),
    }
