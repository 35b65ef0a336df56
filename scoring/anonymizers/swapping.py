"""Swapping: values that change hands among records that look alike."""

from __future__ import annotations

import numpy as np
import pandas as pd

from scoring.anonymizers.base import Anonymized, Anonymizer, untouched
from scoring.anonymizers.domain import sensitive
from scoring.equivalence import Classes
from scoring.errors import gettext_noop as _
from scoring.schema import Schema


def class_swap(table: pd.DataFrame, schema: Schema, *, rng: np.random.Generator) -> Anonymized:
    """Permute each sensitive column on its own among the records with the same quasi-identifiers.

    Means, counts and each column's distribution stay what they were; which amounts belong together
    does not. The record of a class of one keeps its values.
    """
    of_row = Classes.of(table, schema.quasi_identifiers).of_row
    by_class = np.argsort(of_row, kind="stable")
    result = table.copy()
    for name in sensitive(schema):
        shuffled = np.lexsort((rng.random(len(table)), of_row))
        taken_from = np.empty_like(by_class)
        taken_from[by_class] = shuffled
        result[name] = table[name].take(taken_from).reset_index(drop=True)
    return Anonymized(result, untouched(table))


CLASS_SWAP = Anonymizer(
    id="class-swap",
    title=_("Swap within equivalence classes"),
    protects=_("Linkage by combinations of amounts: each record is mixed from several"),
    costs=_("Correlations within classes; every column keeps its values"),
    function=class_swap,
)
