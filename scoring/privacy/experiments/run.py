# SPDX-License-Identifier: Apache-2.0
"""The experiment itself: trials of every method at every ε; nothing is aggregated or written here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from scoring.privacy.domains import Floats, Integers, checked_epsilon
from scoring.privacy.experiments.counts import Counts
from scoring.privacy.mechanisms import laplace
from scoring.privacy.post_randomization import Rule, randomize_tables, rho_of, rhos_of
from scoring.privacy.reconstruction import (
    MAX_ITERATIONS,
    TOLERANCE,
    Start,
    iterative_bayes_each,
)
from scoring.privacy.sensitivity import histogram
from scoring.privacy.tables import l2_each, spearman_each

RateRule = Rule | Literal["divided"]
RATE_RULES: tuple[RateRule, ...] = ("exact", "taylor", "divided")
Aggregate = Literal["rms", "of_medians"]
AGGREGATES: tuple[Aggregate, ...] = ("rms", "of_medians")
BT, BR, IT = "BT", "BR", "IT"
BATCH = (BT, BR)
_BATCH, _INTERACTIVE = 1, 2
"""Streams of randomness: that of one method is the same whatever others are run."""
MAX_NUMBERS = 50_000_000
"""Estimated counts of all trials together, which are held in memory: 400 MB."""
Step = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Setup:
    """Settings of an experiment, and of its summary.

    Attributes
    ----------
    epsilons : tuple of float
        Above 0.
    queries : tuple of int
        Numbers X of queries among which the interactive method divides ε; may be empty.
    trials, seed : int
    aggregate : str
        "rms": the root mean square of the trials' L2 and the mean of their rank correlations.
        "of_medians": L2 and rank correlation of the table of the cells' medians over the trials.
    rule : str
        How ρ follows from ε: "exact" or "taylor", one ρ for all attributes, see `post_randomization.rho_of`; or
        "divided", where each attribute has a part of ε and a ρ of its own, see `post_randomization.rhos_of`.
    weights : tuple of float
        With "divided", the parts of ε in proportion, one for each attribute; equal parts where there are none.
    batch : tuple of str
        "BT" (counts as released) and "BR" (counts reconstructed), or one of them, or none.
    start, tolerance, max_iterations
        The stopping rule of the reconstruction, see `reconstruction.iterative_bayes`.
    """

    epsilons: tuple[float, ...] = (0.1, 1.0, 4.0)
    queries: tuple[int, ...] = (1, 10, 14, 55, 62, 89, 91, 109, 436)
    trials: int = 30
    seed: int = 1
    aggregate: Aggregate = "rms"
    rule: RateRule = "exact"
    weights: tuple[float, ...] = ()
    batch: tuple[str, ...] = BATCH
    start: Start = "uniform"
    tolerance: float = TOLERANCE
    max_iterations: int = MAX_ITERATIONS

    @property
    def methods(self) -> tuple[str, ...]:
        return (*self.batch, *(f"{IT}{x}" for x in self.queries))

    def rhos(self, epsilon: float, sizes: Sequence[int]) -> tuple[float, ...]:
        """The ρ of each attribute at one ε.

        Examples
        --------
        >>> [round(rho, 4) for rho in Setup().rhos(4, (2, 7))]
        [0.6243, 0.6243]
        >>> [round(rho, 4) for rho in Setup(rule="divided", weights=(1, 3)).rhos(4, (2, 7))]
        [0.4621, 0.7317]
        """
        if self.rule == "divided":
            return rhos_of(epsilon, sizes, self.weights or None)
        return (rho_of(epsilon, sizes, self.rule),) * len(sizes)

    @property
    def rates(self) -> str:
        """The text of how ρ follows from ε."""
        weights = ":".join(f"{weight:g}" for weight in self.weights)
        return f"{self.rule} {weights}" if self.rule == "divided" and weights else self.rule

    @property
    def stopping_rule(self) -> str:
        """A text for every figure."""
        return (
            f"start {self.start}, at most {self.max_iterations} iterations, "
            f"tolerance {self.tolerance:g}"
        )

    @property
    def label(self) -> str:
        """All settings of a figure other than ε and the method."""
        return (
            f"aggregate {self.aggregate}; ρ {self.rates}; reconstruction: {self.stopping_rule}; "
            f"{self.trials} trials, seed {self.seed}"
        )


@dataclass(frozen=True, slots=True)
class Trials:
    """One method at one ε.

    Attributes
    ----------
    estimates : float64 array
        The estimated tables, trial by trial along the first axis.
    l2, spearman : float64 arrays
        Of each trial; nan where all cells are equal.
    iterations : int64 array or None
        Of each reconstruction; None for other methods.
    converged : float or None
        Which share of the reconstructions reached the tolerance before the limit.
    """

    estimates: Floats
    l2: Floats
    spearman: Floats
    iterations: Integers | None = None
    converged: float | None = None


@dataclass(frozen=True, slots=True)
class Experiment:
    """The results, by ε and method."""

    counts: Counts
    setup: Setup
    trials: Mapping[tuple[float, str], Trials]


def most_trials(counts: Counts, setup: Setup) -> int:
    """The number of trials that fit in memory, for so many cells, methods and ε; it may be 0.

    Examples
    --------
    >>> from scoring.privacy.experiments.counts import published_counts
    >>> most_trials(published_counts(), Setup())
    108225
    """
    tables = max(1, len(setup.methods) * len(setup.epsilons))
    return MAX_NUMBERS // (counts.table.size * tables)


def run(counts: Counts, setup: Setup, *, step: Step = lambda text: None) -> Experiment:
    """Run every method at every ε.

    Parameters
    ----------
    counts
        The original table.
    setup
        What to run.
    step
        Called with what is being done, before each ε and kind of method; what it raises ends the run.

    Raises
    ------
    ValueError
        An ε is wrong, the first term is no ρ, there is not one weight for each attribute, or
        the trials are more than `most_trials`.

    Examples
    --------
    >>> from scoring.privacy.experiments.counts import published_counts
    >>> found = run(published_counts(), Setup(epsilons=(1.0,), queries=(1,), trials=2))
    >>> [(method, trials.estimates.shape) for (_, method), trials in found.trials.items()]
    [('BT', (2, 2, 7)), ('BR', (2, 2, 7)), ('IT1', (2, 2, 7))]
    """
    for epsilon in setup.epsilons:
        checked_epsilon(epsilon)
    most = most_trials(counts, setup)
    if not 1 <= setup.trials <= most:
        raise ValueError(f"trials: expected 1 to {most}, got {setup.trials}")
    trials: dict[tuple[float, str], Trials] = {}
    for epsilon in setup.epsilons:
        if setup.batch:
            step(f"ε = {epsilon:g}: randomizing and reconstructing")
            batch = _batch(counts, setup, epsilon)
            trials |= {(epsilon, method): batch[method] for method in setup.batch}
        if setup.queries:
            step(f"ε = {epsilon:g}: answering queries")
        for queries in setup.queries:
            trials[epsilon, f"{IT}{queries}"] = _interactive(counts, setup, epsilon, queries)
    return Experiment(counts, setup, trials)


def stream(setup: Setup, *key: int | float) -> np.random.Generator:
    """The randomness for one purpose; floating-point keys count to nine decimals."""
    numbers = (round(part * 10**9) if isinstance(part, float) else part for part in key)
    return np.random.default_rng((setup.seed, *numbers))


def _batch(counts: Counts, setup: Setup, epsilon: float) -> dict[str, Trials]:
    sizes = counts.sizes
    rho = setup.rhos(epsilon, sizes)
    rng = stream(setup, _BATCH, float(epsilon))
    released = randomize_tables(counts.table, sizes, rho, setup.trials, rng)
    found = {BT: _measured(counts, released.astype(np.float64))}
    if BR in setup.batch:
        rebuilt = iterative_bayes_each(
            released,
            sizes,
            rho,
            start=setup.start,
            tolerance=setup.tolerance,
            max_iterations=setup.max_iterations,
        )
        found[BR] = _measured(
            counts,
            np.array([each.table for each in rebuilt]),
            np.array([each.iterations for each in rebuilt]),
            float(np.mean([each.converged for each in rebuilt])),
        )
    return found


def _interactive(counts: Counts, setup: Setup, epsilon: float, queries: int) -> Trials:
    rng = stream(setup, _INTERACTIVE, float(epsilon), queries)
    exact = np.broadcast_to(counts.table, (setup.trials, *counts.sizes))
    return _measured(counts, laplace(exact, histogram("replace"), epsilon / queries, rng))


def _measured(
    counts: Counts,
    estimates: Floats,
    iterations: Integers | None = None,
    converged: float | None = None,
) -> Trials:
    distances, ranks = l2_each(estimates, counts.table), spearman_each(estimates, counts.table)
    return Trials(estimates, distances, ranks, iterations, converged)
