# SPDX-License-Identifier: Apache-2.0
"""The tables and the points of the figures as CSV, with the printed figures for the paper's table."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from scoring.privacy.experiments import paper
from scoring.privacy.experiments.counts import Counts, published_counts
from scoring.privacy.experiments.run import BATCH, BR, BT, IT, Experiment
from scoring.privacy.experiments.summary import (
    BEST,
    L2,
    RANK,
    Crossing,
    Curve,
    Score,
    expected_l2,
)
from scoring.privacy.mechanisms import scale
from scoring.privacy.post_randomization import epsilon_of, k_of, k_of_rho, rho_of
from scoring.privacy.sensitivity import histogram

Row = Sequence[object]
LABELS = ("aggregate", "rho_rule", "stopping_rule", "trials", "seed")
PAPER2 = ("paper_k", "paper_rho", "paper_lambda")
PAPER5 = ("paper_l2", "paper_rank_correlation")
QUARTILES = ("minimum", "first_quartile", "median", "third_quartile", "maximum")
FIGURES = {BT: "figure5-bt", BR: "figure6-br", IT: "figure7"}
_POINTS = 60


def sheets(
    experiment: Experiment, scores: dict[tuple[float, str], Score], crossings: list[Crossing]
) -> dict[str, bytes]:
    """File names and contents."""
    files = {
        "table2-parameters.csv": _csv(
            ("epsilon", "k", "rho_exact", "rho_taylor", "epsilon_of_rho_taylor", "lambda", *PAPER2),
            parameters(experiment),
        ),
        "table2-rates.csv": _csv(
            ("epsilon", "attribute", "values", "rho", "epsilon_of_attribute"), rates(experiment)
        ),
        "table3-methods.csv": _csv(("disclosure", "processing", "method"), methods(experiment)),
        "table5-utility.csv": _csv(
            ("epsilon", "method", L2, RANK, "expected_l2", *PAPER5, *LABELS),
            _labelled(experiment, utilities(experiment, scores)),
        ),
        "table6-crossing.csv": _csv(
            ("epsilon", "measure", "batch", "value", "queries", "first", "paper_first", *LABELS),
            _labelled(experiment, _crossed(experiment, crossings)),
        ),
        "figure3-rho.csv": _csv(("rho", "epsilon", "k"), rho_curve(experiment.counts)),
        "figures8-9-curves.csv": _csv(
            ("epsilon", "queries", L2, RANK, *LABELS),
            _labelled(experiment, curve_points(experiment)),
        ),
        "trials.csv": _csv(
            ("epsilon", "method", "trial", L2, RANK, "iterations"), _trials(experiment)
        ),
    }
    for method in distributed(experiment):
        files[f"{figure_name(method)}.csv"] = _csv(
            ("epsilon", *experiment.counts.attributes, "original", *QUARTILES, *LABELS),
            _labelled(experiment, _distribution(experiment, method)),
        )
    return files


def distributed(experiment: Experiment) -> list[str]:
    """The methods whose estimates are drawn cell by cell: each batch, and the fewest queries."""
    queries = experiment.setup.queries
    return [*experiment.setup.batch, *([f"{IT}{min(queries)}"] if queries else [])]


def figure_name(method: str) -> str:
    """Under which name the estimates of a method are written and drawn.

    Examples
    --------
    >>> figure_name("BT"), figure_name("IT1")
    ('figure5-bt', 'figure7-it1')
    """
    return FIGURES[method] if method in BATCH else f"{FIGURES[IT]}-{method.lower()}"


def is_published(experiment: Experiment) -> bool:
    """True if the table is the paper's, so that its printed figures can be compared."""
    own, theirs = experiment.counts, published_counts()
    return own.sizes == theirs.sizes and bool((own.table == theirs.table).all())


def parameters(experiment: Experiment) -> Iterator[Row]:
    """Table 2: k, ρ by both rules and λ for every ε; for the paper's table also for all ε of its own."""
    counts, beside = experiment.counts, is_published(experiment)
    epsilons = {float(epsilon) for epsilon in experiment.setup.epsilons}
    for epsilon in sorted(epsilons | set(paper.EPSILONS if beside else ())):
        taylor = rho_of(epsilon, counts.sizes, "taylor") if epsilon < sum(counts.sizes) else None
        printed = paper.TABLE2.get(epsilon) if beside else None
        yield (
            epsilon,
            k_of(epsilon, counts.n_records),
            rho_of(epsilon, counts.sizes),
            taylor,
            None if taylor is None else epsilon_of(taylor, counts.sizes),
            scale(histogram("replace"), epsilon),
            *(printed or (None, None, None)),
        )


def rates(experiment: Experiment) -> Iterator[Row]:
    """The ρ of each attribute by the experiment's rule, and its part of ε."""
    counts, setup = experiment.counts, experiment.setup
    for epsilon in setup.epsilons:
        rhos = setup.rhos(epsilon, counts.sizes)
        for name, size, rho in zip(counts.attributes, counts.sizes, rhos, strict=True):
            yield epsilon, name, size, rho, epsilon_of(rho, (size,))


def methods(experiment: Experiment) -> Iterator[Row]:
    """Table 3: the names of the methods."""
    processing = {BT: "randomization and counting", BR: "randomization and reconstruction"}
    yield from (("batch", processing[method], method) for method in experiment.setup.batch)
    for queries in experiment.setup.queries:
        words = f"counting and Laplace noise for each of {queries} queries"
        yield "interactive", words, f"{IT}{queries}"


def utilities(experiment: Experiment, scores: dict[tuple[float, str], Score]) -> Iterator[Row]:
    """Table 5: both measures of every method at every ε."""
    beside = is_published(experiment)
    for (epsilon, method), own in scores.items():
        theory = expected_l2(experiment.counts, experiment.setup, epsilon, method)
        printed = paper.TABLE5.get((epsilon, method)) if beside else None
        yield epsilon, method, own.l2, own.rank_correlation, theory, *(printed or (None, None))


def _crossed(experiment: Experiment, crossings: list[Crossing]) -> Iterator[Row]:
    """Table 6: where the interactive curve meets each batch method and the better of them."""
    beside = is_published(experiment)
    for found in crossings:
        printed = paper.TABLE6.get(found.epsilon) if beside and found.batch == BEST else None
        theirs = printed[0 if found.measure == L2 else 1] if printed else None
        where = (found.epsilon, found.measure, found.batch)
        yield *where, found.value, found.queries, found.first, theirs


def rho_curve(counts: Counts) -> Iterator[Row]:
    """Figure 3: ε and k for ρ from 0 to nearly 1."""
    for rho in np.linspace(0, 0.99, 100).tolist():
        yield rho, epsilon_of(rho, counts.sizes), k_of_rho(rho, counts.sizes, counts.n_records)


def query_axis(experiment: Experiment) -> list[float]:
    """Numbers of queries at which the curves of Figures 8 and 9 are drawn."""
    most = max((*experiment.setup.queries, 100))
    return [float(x) for x in np.geomspace(1, most, _POINTS)]


def curve_points(experiment: Experiment) -> Iterator[Row]:
    """Figures 8 and 9: the interactive method by the number of queries."""
    axis = query_axis(experiment)
    for epsilon in experiment.setup.epsilons:
        curve = Curve.of(experiment.counts, experiment.setup, epsilon)
        yield from ((epsilon, x, curve.l2(x), curve.rank_correlation(x)) for x in axis)


def _trials(experiment: Experiment) -> Iterator[Row]:
    for (epsilon, method), found in experiment.trials.items():
        iterations = [None] * len(found.l2) if found.iterations is None else found.iterations
        for number, each in enumerate(zip(found.l2, found.spearman, iterations, strict=True), 1):
            yield epsilon, method, number, *each


def _distribution(experiment: Experiment, method: str) -> Iterator[Row]:
    """Figures 5 to 7: the quartiles of each cell's estimates over the trials."""
    counts = experiment.counts
    for epsilon in experiment.setup.epsilons:
        estimates = experiment.trials[epsilon, method].estimates.reshape(-1, counts.table.size)
        quartiles = np.quantile(estimates, [0, 0.25, 0.5, 0.75, 1], axis=0).T
        for cell, original, own in zip(
            counts.cells(), counts.table.ravel(), quartiles, strict=True
        ):
            yield epsilon, *cell, int(original), *own


def _labelled(experiment: Experiment, rows: Iterable[Row]) -> Iterator[Row]:
    setup = experiment.setup
    label = (setup.aggregate, setup.rates, setup.stopping_rule, setup.trials, setup.seed)
    return ((*row, *label) for row in rows)


def _csv(head: Row, rows: Iterable[Row]) -> bytes:
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(head)
    writer.writerows([_cell(value) for value in row] for row in rows)
    return file.getvalue().encode()


def _cell(value: object) -> object:
    """Nothing for what is not there; ten digits of what is measured."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return f"{value:.10g}" if isinstance(value, float) else value
