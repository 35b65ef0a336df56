# SPDX-License-Identifier: Apache-2.0
"""The files of an experiment, and its figures as values for a page or for JSON."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from scoring.privacy.experiments.figures import figures
from scoring.privacy.experiments.run import Experiment, Step
from scoring.privacy.experiments.sheets import sheets
from scoring.privacy.experiments.summary import (
    BEST,
    L2,
    Crossing,
    Score,
    crossings,
    expected_l2,
    scores,
)


def files(experiment: Experiment, *, step: Step = lambda text: None) -> dict[str, bytes]:
    """Everything that is written: tables, figures, and a page of text that names them.

    Parameters
    ----------
    experiment
        What `run` found.
    step
        Called with what is being done.
    """
    step("finding the crossings of the methods")
    found, met = scores(experiment), crossings(experiment)
    tables = {f"tables/{name}": data for name, data in sheets(experiment, found, met).items()}
    step("drawing the figures")
    drawn = {f"figures/{name}": data for name, data in figures(experiment, found, met).items()}
    page = _page(experiment, found, met, [*tables, *drawn])
    return {"README.md": page.encode(), **tables, **drawn}


def summary(experiment: Experiment) -> dict[str, Any]:
    """The figures as JSON-able values; None for what is not there.

    Examples
    --------
    >>> from scoring.privacy.experiments.counts import published_counts
    >>> from scoring.privacy.experiments.run import Setup, run
    >>> found = summary(run(published_counts(), Setup(epsilons=(1.0,), queries=(1,), trials=2)))
    >>> list(found)
    ['n_records', 'domain', 'aggregate', 'rho', 'trials', 'seed', 'reconstruction', 'utility', 'crossings']
    >>> found["domain"], [row["method"] for row in found["utility"]]
    ([2, 7], ['BT', 'BR', 'IT1'])
    """
    setup = experiment.setup
    return {
        "n_records": experiment.counts.n_records,
        "domain": list(experiment.counts.sizes),
        "aggregate": setup.aggregate,
        "rho": setup.rates,
        "trials": setup.trials,
        "seed": setup.seed,
        "reconstruction": {
            "start": setup.start,
            "max_iterations": setup.max_iterations,
            "tolerance": setup.tolerance,
            "by_epsilon": [
                {
                    "epsilon": epsilon,
                    "mean_iterations": float(trials.iterations.mean()),
                    "converged": trials.converged,
                }
                for (epsilon, _), trials in experiment.trials.items()
                if trials.iterations is not None
            ],
        },
        "utility": [
            {
                "epsilon": epsilon,
                "method": method,
                "l2": own.l2,
                "rank_correlation": _known(own.rank_correlation),
                "expected_l2": expected_l2(experiment.counts, setup, epsilon, method),
            }
            for (epsilon, method), own in scores(experiment).items()
        ],
        "crossings": [
            {
                "epsilon": found.epsilon,
                "measure": found.measure,
                "batch": found.batch,
                "batch_value": _known(found.value),
                "queries": found.queries,
                "first": found.first,
            }
            for found in crossings(experiment)
        ],
    }


def utility_rows(
    experiment: Experiment, found: dict[tuple[float, str], Score]
) -> list[tuple[str, ...]]:
    """Table 5 as the paper lays it out: a row for each method, L2 and then rank correlation by ε."""
    epsilons = experiment.setup.epsilons
    head = ("method", *(f"L2, ε {e:g}" for e in epsilons), *(f"rank, ε {e:g}" for e in epsilons))
    rows = [
        (
            method,
            *(f"{found[e, method].l2:,.1f}" for e in epsilons),
            *(_rank(found[e, method].rank_correlation) for e in epsilons),
        )
        for method in experiment.setup.methods
    ]
    return [head, *rows]


def crossing_rows(met: Iterable[Crossing]) -> list[tuple[str, ...]]:
    """Table 6: from how many queries on the better batch is as good, by L2 and by rank correlation."""
    best = [crossing for crossing in met if crossing.batch == BEST]
    epsilons = dict.fromkeys(crossing.epsilon for crossing in best)
    rows: list[tuple[str, ...]] = [("ε", "L2", "rank correlation")]
    for epsilon in epsilons:
        own = {crossing.measure: crossing for crossing in best if crossing.epsilon == epsilon}
        words = [_queries(own[m]) if m in own else "–" for m in (L2, "rank_correlation")]
        rows.append((f"{epsilon:g}", *words))
    return rows


def _page(
    experiment: Experiment,
    found: dict[tuple[float, str], Score],
    met: list[Crossing],
    names: list[str],
) -> str:
    counts = experiment.counts
    parts = [
        "# Batch or interactive disclosure",
        f"{counts.n_records:,} records, {counts.table.size} combinations of "
        f"{', '.join(counts.attributes)}.",
        f"Every figure: {experiment.setup.label}.",
        "## Distance and rank correlation",
        _markdown(utility_rows(experiment, found)),
    ]
    if len(rows := crossing_rows(met)) > 1 and experiment.setup.queries:
        parts += ["## From how many queries on a batch is as good", _markdown(rows)]
    parts += ["## Files", "\n".join(f"- `{name}`" for name in names)]
    return "\n\n".join(parts) + "\n"


def _markdown(rows: Sequence[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([lines[0], "|" + "---|" * len(rows[0]), *lines[1:]])


def _queries(crossing: Crossing) -> str:
    if crossing.queries is None or crossing.first is None:
        return "never"
    return f"{crossing.first:,} ({crossing.queries:,.1f})"


def _rank(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.3f}"


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value
