# SPDX-License-Identifier: Apache-2.0
"""The measures of a series, computed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scoring.addresses import function_at
from scoring.formats.sequential.catalog import SERIES_MEASURES
from scoring.formats.sequential.risk import Definition
from scoring.formats.sequential.scored import SEED, Scored
from scoring.formats.sequential.series import Series
from scoring.formats.sequential.tables import Microdata
from scoring.scores.options import DECIMALS


def score_series(
    original: Microdata,
    series: Series,
    *,
    m: int,
    definition: str,
    measures: Sequence[str] = tuple(SERIES_MEASURES),
    seed: int = SEED,
) -> dict[str, float | int | None]:
    """Measure a series that `read_series` has found to be one.

    Parameters
    ----------
    original : Microdata
        The tables in full.
    series : Series
    m : int
    definition : {"counting", "worlds", "worlds-counterfeit-known", "m-invariance"}
        The definition of risk; see `scoring.formats.sequential.risk`. With possible worlds the attacker knows the
        numbers of counterfeits of each group if the series publishes them.
    measures : sequence of str
        Of `SERIES_MEASURES`.
    seed : int
        Seed of queries and possible worlds. In a contest it follows from its secret.

    Returns
    -------
    dict
        "n_people", "n_tuples" of all tables, "n_rows" and "n_groups" of all releases, and each measure by its
        identifier, rounded to 9 decimals.

    Raises
    ------
    ValueError
        Where a measure or the definition is unknown.

    Examples
    --------
    >>> from scoring.formats.sequential.examples import SMALL
    >>> from scoring.formats.sequential.publishing import Options, publish
    >>> from scoring.formats.sequential.series import of_publication
    >>> series = of_publication(publish(SMALL, Options(m=2)))
    >>> score_series(SMALL, series, m=2, definition="counting", measures=["series-risk-share"])
    {'n_people': 5, 'n_tuples': 7, 'n_rows': 8, 'n_groups': 4, 'series-risk-share': 0.2}
    """
    if unknown := [name for name in measures if name not in SERIES_MEASURES]:
        raise ValueError(
            f"measures: expected some of {', '.join(SERIES_MEASURES)}, got {unknown[0]}"
        )
    scored = Scored(original, series, m, Definition(definition), seed)
    found: dict[str, float | int | None] = {
        "n_people": len(original.ids),
        "n_tuples": scored.n_tuples,
        "n_rows": scored.n_rows,
        "n_groups": sum(len(np.unique(release.group)) for release in series.releases),
    }
    for name in measures:
        value = function_at(SERIES_MEASURES[name].address)(scored)
        found[name] = round(value, DECIMALS)
    return found
