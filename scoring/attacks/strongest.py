# SPDX-License-Identifier: Apache-2.0
"""The strongest of the attackers that need no more than a second or two, for a first impression of a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from scoring.attacks.catalog import ATTACKS, REPLAY, Attack
from scoring.errors import PluginError, ProblemsFound
from scoring.reporting.intervals import Rate
from scoring.scores.prepared import Prepared
from scoring.scores.results import mark
from scoring.tables.equivalence import IntArray
from scoring.tables.schema import Schema

if TYPE_CHECKING:
    import pandas as pd

SLOW = (REPLAY, "learned-linkage")
"""Attackers that take minutes on a large table."""
SLOW_ON_LARGE_TABLES = ("greedy-assignment", "optimal-assignment")
LARGE = 1_000
N_SAMPLED = 500


@dataclass(frozen=True, slots=True)
class Strongest:
    """The most successful of several attackers.

    Attributes
    ----------
    attack : Attack
    found : Rate
        Right guesses out of the attacked records, with a Wilson interval.
    n_attackers : int
        The attackers that were compared.
    """

    attack: Attack
    found: Rate
    n_attackers: int


def strongest_attack(
    known: pd.DataFrame | Prepared,
    anonymized: pd.DataFrame,
    source: IntArray,
    schema: Schema,
    *,
    rng: np.random.Generator,
) -> Strongest | None:
    """Run the fast attackers on a table and find the most successful one.

    Above 1,000 records, only a sample of 500 anonymized records is attacked, and without the two attackers that
    assign all records together.

    Parameters
    ----------
    known : DataFrame or Prepared, n_known records
        What the attacker knows: the original, possibly followed by decoys.
    anonymized : DataFrame
    source : int array, shape (n_anonymized,)
        The 0-based row in `known` of each anonymized record.
    schema : Schema
    rng : numpy.random.Generator
        Shuffles the records, samples them, and feeds the attackers.

    Returns
    -------
    Strongest or None
        Of equally successful attackers the first of the catalog; None where no attacker has the columns it needs.

    Examples
    --------
    >>> from scoring.examples import SCHEMA, table
    >>> rng = np.random.default_rng(1)
    >>> found = strongest_attack(table("original"), table("noise"), np.arange(4), SCHEMA, rng=rng)
    >>> found.attack.id, found.found.value
    ('E2', 1.0)
    """
    prepared = known if isinstance(known, Prepared) else Prepared.of(known, schema)
    is_large = max(prepared.n_records, len(anonymized)) > LARGE
    left_out = (*SLOW, *SLOW_ON_LARGE_TABLES) if is_large else SLOW
    order = rng.permutation(len(anonymized))[: N_SAMPLED if is_large else None]
    seen = anonymized.iloc[order].reset_index(drop=True)
    declared = np.asarray(source, dtype=np.int64)[order]
    best: Strongest | None = None
    n_attackers = 0
    for id_, attack in ATTACKS.items():
        if id_ in left_out:
            continue
        try:
            guess = attack(prepared, seen, schema, rng=rng)
        except (ProblemsFound, PluginError, ValueError):  # a column that it uses is missing
            continue
        n_attackers += 1
        marked = mark(declared, guess)
        rate = Rate.of(marked.hits, marked.n_records)
        if best is None or rate.value > best.found.value:
            best = Strongest(attack, rate, n_attackers)
    return None if best is None else Strongest(best.attack, best.found, n_attackers)
