# SPDX-License-Identifier: Apache-2.0
"""All measures and attacks, by identifier."""

from collections.abc import Iterable

from scoring.addresses import function_at
from scoring.attacks.catalog import ATTACKS, Attack, Guess
from scoring.formats.sequential.catalog import RISKS, SERIES_MEASURES
from scoring.measures.catalog import MEASURES, PWSCUP_2015, Measure

__all__ = [
    "ALL_MEASURES",
    "ATTACKS",
    "MEASURES",
    "PWSCUP_2015",
    "SERIES_MEASURES",
    "Attack",
    "Guess",
    "Measure",
    "drawing",
    "function_at",
]

ALL_MEASURES = MEASURES | SERIES_MEASURES
"""Those of one table, and those of a series of releases."""


def drawing(measures: Iterable[str | Measure], definition: str | None = None) -> tuple[str, ...]:
    """Those of some measures whose values depend on a seed.

    Parameters
    ----------
    measures : iterable of str or Measure
        Unknown names are left out.
    definition : str, optional
        The definition of risk of a series; row counting draws no possible worlds.

    Examples
    --------
    >>> drawing(["U1", "pmse", "series-query-error", "series-risk-max"], "counting")
    ('pmse', 'series-query-error')
    """
    named = (m if isinstance(m, Measure) else ALL_MEASURES.get(m) for m in measures)
    found = [measure for measure in named if measure is not None]
    is_counted = definition == "counting"
    return tuple(m.id for m in found if m.draws and not (is_counted and m.id in RISKS))
