# SPDX-License-Identifier: Apache-2.0
"""The plan of an experiment: defaults, bounds, steps, and its stored form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext as _

if TYPE_CHECKING:
    from scoring.privacy.experiments.run import Setup

# Plain values: the library's `Setup` imports numpy, which the web server does not load at its start.
DEFAULTS: dict[str, Any] = {
    "epsilons": [0.1, 1.0, 4.0],
    "queries": [1, 10, 14, 55, 62, 89, 91, 109, 436],
    "trials": 30,
    "seed": 1,
    "aggregate": "rms",
    "rule": "exact",
    "weights": [],
    "batch": ["BT", "BR"],
    "start": "uniform",
    "tolerance": 1e-9,
    "max_iterations": 1000,
}
"""The experiment of the paper."""

MIN_EPSILON, MAX_EPSILON, MOST_EPSILONS = 0.001, 100, 8
MAX_QUERIES, MOST_QUERIES = 1_000_000, 20
MIN_WEIGHT, MAX_WEIGHT, MOST_WEIGHTS = 0.001, 1_000, 20
MAX_TRIALS, MAX_ITERATIONS, MAX_SEED = 1_000, 100_000, 2**32 - 1
MAX_NUMBERS = 5_000_000
"""The maximum of cells × methods × ε × trials, which are in memory together: a tenth of the library's limit."""
MAX_TRIAL_CELLS = 100_000
"""The maximum of trials × cells: each point of a curve ranks as many numbers."""
MAX_RECONSTRUCTION = 4 * 10**9
"""The maximum of trials × ε × iterations × cells of reconstruction: some minutes."""
LEAST_CELLS = 64
"""The minimum of cells for this bound: an iteration over fewer takes as long."""


def setup_of(kept: dict[str, Any]) -> Setup:
    """The library's setup from its stored form."""
    from scoring.privacy.experiments.run import Setup

    lists = {name: tuple(kept[name]) for name in ("epsilons", "queries", "batch")}
    lists["weights"] = tuple(kept.get("weights", ()))  # missing in older rows
    return Setup(**(kept | lists))


def methods_of(kept: dict[str, Any]) -> list[str]:
    """The methods by name, in the order of tables."""
    return [*kept["batch"], *(f"IT{x}" for x in kept["queries"])]


def most_trials(n_cells: int, kept: dict[str, Any]) -> int:
    """The maximum number of trials of an experiment; it may be zero."""
    tables = max(1, len(methods_of(kept)) * len(kept["epsilons"]))
    return min(MAX_NUMBERS // (n_cells * tables), MAX_TRIAL_CELLS // n_cells, MAX_TRIALS)


def most_iterations(n_cells: int, kept: dict[str, Any]) -> int:
    """The maximum number of iterations of each reconstruction."""
    tables = kept["trials"] * len(kept["epsilons"])
    return min(MAX_RECONSTRUCTION // (tables * max(n_cells, LEAST_CELLS)), MAX_ITERATIONS)


def steps(kept: dict[str, Any]) -> list[str]:
    """The steps of a run as text, in the order of the library's progress messages."""
    found = []
    for epsilon in kept["epsilons"]:
        if kept["batch"]:
            found.append(
                _("ε = %(epsilon)g: randomizing and reconstructing") % {"epsilon": epsilon}
            )
        if kept["queries"]:
            found.append(_("ε = %(epsilon)g: answering queries") % {"epsilon": epsilon})
    return [*found, _("finding the crossings of the methods"), _("drawing the figures")]
