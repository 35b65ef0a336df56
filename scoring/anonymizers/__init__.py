# SPDX-License-Identifier: Apache-2.0
"""Anonymizers: one family a file, one registry, and chains of several."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from scoring.anonymizers.back_mapping import BACK_MAPPING
from scoring.anonymizers.base import Anonymized, Anonymizer, untouched
from scoring.anonymizers.coding import BOTTOM_CODING, TOP_CODING
from scoring.anonymizers.datafly import DATAFLY
from scoring.anonymizers.deletion import RECORD_DELETION
from scoring.anonymizers.lattice import LATTICE
from scoring.anonymizers.local_laplace import LOCAL_LAPLACE
from scoring.anonymizers.local_recoding import LOCAL_RECODING
from scoring.anonymizers.microaggregation import (
    CLASS_AVERAGE,
    MDAV_MICROAGGREGATION,
    UNIVARIATE_MICROAGGREGATION,
)
from scoring.anonymizers.mondrian import MONDRIAN
from scoring.anonymizers.noise import ADDITIVE_NOISE, MULTIPLICATIVE_NOISE, SA_NOISE
from scoring.anonymizers.pseudonyms import PSEUDONYMIZE
from scoring.anonymizers.randomized_response import (
    GENERALIZED_RANDOMIZED_RESPONSE,
    PK_ANONYMIZATION,
)
from scoring.anonymizers.recoding import GLOBAL_RECODING
from scoring.anonymizers.sampling import SAMPLING
from scoring.anonymizers.suppression import ATTRIBUTE_SUPPRESSION, RECORD_SUPPRESSION
from scoring.anonymizers.swapping import ACROSS_CLASS_SWAP, CLASS_SWAP, RANK_SWAP
from scoring.anonymizers.unification import QI_UNIFICATION
from scoring.anonymizers.yamaoka import YAMAOKA
from scoring.catalogs import Registry
from scoring.errors import ProblemsFound
from scoring.options import Option, Value
from scoring.tables.schema import Schema

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

__all__ = ["ANONYMIZERS", "Anonymized", "Anonymizer", "Option", "Value", "anonymize"]

ANONYMIZERS = Registry(
    "anonymizer",
    (
        SA_NOISE,
        QI_UNIFICATION,
        CLASS_AVERAGE,
        CLASS_SWAP,
        RECORD_DELETION,
        YAMAOKA,
        MONDRIAN,
        GLOBAL_RECODING,
        LOCAL_RECODING,
        LATTICE,
        DATAFLY,
        TOP_CODING,
        BOTTOM_CODING,
        RECORD_SUPPRESSION,
        ATTRIBUTE_SUPPRESSION,
        SAMPLING,
        BACK_MAPPING,
        UNIVARIATE_MICROAGGREGATION,
        MDAV_MICROAGGREGATION,
        ADDITIVE_NOISE,
        MULTIPLICATIVE_NOISE,
        RANK_SWAP,
        ACROSS_CLASS_SWAP,
        PK_ANONYMIZATION,
        GENERALIZED_RANDOMIZED_RESPONSE,
        LOCAL_LAPLACE,
        PSEUDONYMIZE,
    ),
)


def anonymize(
    original: pd.DataFrame,
    schema: Schema,
    methods: Sequence[tuple[str, Mapping[str, Value]]],
    *,
    rng: np.random.Generator,
    progress: Callable[[int, int, str], None] | None = None,
) -> Anonymized:
    """Apply anonymizers one after another, each to the result of the previous one.

    Parameters
    ----------
    original
        The original table; identifier columns are dropped first.
    methods
        Ids of `ANONYMIZERS`, each with its options.
    rng
        The randomness of all steps.
    progress
        Called before each step with the number of steps done, of all steps, and the step's id.

    Returns
    -------
    Anonymized
        A table that the schema allows, and for each record the original record it declares.

    Raises
    ------
    ProblemsFound
        A method or an option is unknown, or an option's value does not fit the table. Unknown
        names and values out of bounds are all reported before any step is taken.
    """
    _check(methods)
    public = schema.public()
    first = original[list(public.names)].reset_index(drop=True)
    made = Anonymized(first, untouched(first))
    for done, (method, options) in enumerate(methods):
        if progress is not None:
            progress(done, len(methods), method)
        made = ANONYMIZERS[method].step(made, first, public, rng, options)
    return made


def _check(methods: Sequence[tuple[str, Mapping[str, Value]]]) -> None:
    problems = [
        problem
        for method, options in methods
        for problem in ANONYMIZERS.unknown([method]) or ANONYMIZERS[method].problems(options)
    ]
    if problems:
        raise ProblemsFound(problems)
