# SPDX-License-Identifier: Apache-2.0
"""The rules of the lecture's contest: tables that keep them, and what these score."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from scoring import evaluate
from scoring.anonymizers.back_mapping import FREQUENT, LABELS, RANDOM, back_mapping
from scoring.classroom.frames import in_place, kept_of, loosened, schema_of, seed_of
from scoring.formats.lecture import positions_of
from scoring.options import refuse
from scoring.rulesets import load_ruleset
from scoring.scores.options import DECIMALS
from scoring.tables.aligned import read_aligned, write_aligned
from scoring.tables.equivalence import IntArray
from scoring.tables.frames import check_frame
from scoring.tables.records import Records
from scoring.tables.schema import Schema

RULESET = "pets-lecture"


def fit_to_rules(
    anonymized: pd.DataFrame,
    original: pd.DataFrame,
    schema: Schema | None = None,
    *,
    labels: str = FREQUENT,
    seed: int | None = None,
) -> pd.DataFrame:
    """Replace values that the original lacks, as the contest's rules demand; deleted records stay blank.

    A number becomes the nearest one of its column of the original. A label becomes a value that
    the records with this label have in the original.

    Parameters
    ----------
    anonymized, original : DataFrame
        Of the same records in the same order.
    schema
        The contest's columns; by default those of the original.
    labels
        "frequent": the group's most frequent value; "random": for each record one drawn from its group.
    seed
        Of the draw; by default that of the anonymized table, else of the operating system.

    Returns
    -------
    DataFrame
        `attrs["seed"]` is the seed.

    Raises
    ------
    ProblemsFound
        `labels` is neither of these, a record is partly empty, the columns differ, or the tables have not
        the same length.

    Examples
    --------
    >>> original = pd.DataFrame({"age": [20, 30, 41], "city": ["Tokyo", "Saitama", "Kyoto"]})
    >>> changed = pd.DataFrame({"age": [27.5, 99, 3], "city": ["Kanto", "Kanto", "Kyoto"]})
    >>> fit_to_rules(changed, original).to_numpy().tolist()
    [[30, 'Saitama'], [41, 'Saitama'], [20, 'Kyoto']]
    """
    schema = (schema_of(original) if schema is None else schema).public()
    if labels not in LABELS:
        raise refuse("fit_to_rules", "labels", f"one of {', '.join(LABELS)}", labels)
    if len(anonymized) != len(original):
        expected = f"{len(original)} records, as in the original"
        raise refuse("fit_to_rules", "anonymized", expected, len(anonymized))
    check_frame(original, schema, file="original", original=True)
    rows, kept = kept_of(anonymized)
    check_frame(kept, loosened(schema), file="anonymized")
    kept = kept[list(schema.names)]
    own = original[list(schema.names)].reset_index(drop=True)
    attrs = dict(anonymized.attrs)
    if labels == RANDOM:
        attrs["seed"] = seed_of(attrs.get("seed") if seed is None else seed)
    rng = np.random.default_rng([attrs.get("seed", 0), 1])  # not the draws of the method before it
    found = back_mapping(kept, schema, rng=rng, original=own, source=rows, labels=labels)
    table = found.table.astype(own.dtypes.to_dict())
    return in_place(table, rows, original.index, attrs)


def score(anonymized: pd.DataFrame, original: pd.DataFrame, schema: Schema) -> pd.Series:
    """The measures of the lecture's contest, as the platform computes them, and the utility.

    Parameters
    ----------
    anonymized, original : DataFrame
        A table that keeps the rules, and the one that it was made from.
    schema
        The contest's columns (`read_schema`): the measures need their roles.

    Returns
    -------
    Series
        Each measure by its identifier, and `utility`, 0 to 100.

    Raises
    ------
    ProblemsFound
        All that the platform would refuse.
    """
    ruleset = load_ruleset(RULESET)
    records, source = checked(file_of(anonymized, schema), original, schema)
    values: dict[str, Any] = evaluate.score(
        original.reset_index(drop=True),
        records,
        source,
        schema.public(),
        options=ruleset.options,
        measures=list(map(ruleset.measure, ruleset.measures)),
    )
    utility = ruleset.ranking.utility_in(values)
    if utility is not None:
        values["utility"] = round(utility, DECIMALS)
    return pd.Series(values, dtype=object, name="value")


def file_of(anonymized: pd.DataFrame, schema: Schema) -> bytes:
    """The file of a table, with whatever values it has.

    Raises
    ------
    ProblemsFound
        A column is missing or of another kind, or a record is partly empty.
    """
    rows, kept = kept_of(anonymized)
    if len(kept):
        check_frame(kept, loosened(schema), file="anonymized")
    return write_aligned(kept, positions_of(rows, len(anonymized)), schema)


def checked(data: bytes, original: pd.DataFrame, schema: Schema) -> tuple[Records, IntArray]:
    """The kept records of a file and their rows, read as the platform reads it.

    Raises
    ------
    ProblemsFound
        All that the platform would refuse.
    """
    validity = load_ruleset(RULESET).validity
    return read_aligned(
        data,
        original=original.reset_index(drop=True),
        schema=schema,
        original_values_only=validity.values == "original",
        blank_records=validity.blank_records,
    )
