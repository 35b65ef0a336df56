"""What is run: its defaults, its bounds, its steps, and how a row of the database keeps it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext as _

if TYPE_CHECKING:
    from scoring.privacy.experiments.counts import Counts
    from scoring.privacy.experiments.run import Setup

# Plain values: the library's `Setup` comes with numpy, which the web server starts without.
DEFAULTS: dict[str, Any] = {
    "epsilons": [0.1, 1.0, 4.0],
    "queries": [1, 10, 14, 55, 62, 89, 91, 109, 436],
    "trials": 30,
    "seed": 1,
    "aggregate": "rms",
    "rule": "exact",
    "batch": ["BT", "BR"],
    "start": "uniform",
    "tolerance": 1e-9,
    "max_iterations": 1000,
}
"""The experiment of the paper."""

MIN_EPSILON, MAX_EPSILON, MOST_EPSILONS = 0.001, 100, 8
MAX_QUERIES, MOST_QUERIES = 1_000_000, 20
MAX_TRIALS, MAX_ITERATIONS, MAX_SEED = 1_000, 100_000, 2**32 - 1
SHARE_OF_MEMORY = 10
"""Of what fits in the library's memory, an experiment beside others gets one part in so many."""
MAX_TRIAL_CELLS = 100_000
"""Trials × cells: each point of a curve ranks as many numbers."""
MAX_RECONSTRUCTION = 4 * 10**9
"""Trials × ε × iterations × cells of reconstruction: some minutes."""
LEAST_CELLS = 64
"""An iteration over fewer takes as long."""


def setup_of(kept: dict[str, Any]) -> Setup:
    """The library's setup from what a row of the database keeps."""
    from scoring.privacy.experiments.run import Setup

    lists = {name: tuple(kept[name]) for name in ("epsilons", "queries", "batch")}
    return Setup(**(kept | lists))


def most_trials(counts: Counts, setup: Setup) -> int:
    """How many trials an experiment may have; it may be none."""
    from scoring.privacy.experiments import run

    by_memory = run.most_trials(counts, setup) // SHARE_OF_MEMORY
    return min(by_memory, MAX_TRIAL_CELLS // counts.table.size, MAX_TRIALS)


def most_iterations(counts: Counts, setup: Setup) -> int:
    """How many iterations each reconstruction may have."""
    tables = setup.trials * len(setup.epsilons) * max(counts.table.size, LEAST_CELLS)
    return min(MAX_RECONSTRUCTION // tables, MAX_ITERATIONS)


def steps(kept: dict[str, Any]) -> list[str]:
    """The steps of a run in words, in the order in which the library announces them."""
    found = []
    for epsilon in kept["epsilons"]:
        if kept["batch"]:
            found.append(
                _("ε = %(epsilon)g: randomizing and reconstructing") % {"epsilon": epsilon}
            )
        if kept["queries"]:
            found.append(_("ε = %(epsilon)g: answering queries") % {"epsilon": epsilon})
    return [*found, _("finding where the methods cross"), _("drawing the figures")]
