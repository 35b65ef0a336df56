# SPDX-License-Identifier: Apache-2.0
"""Anonymizers and attackers by their names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from scoring import anonymizers, plugins
from scoring.anonymizers.back_mapping import BACK_MAPPING
from scoring.attacks.catalog import ATTACKS, CANDIDATES, MEMBERSHIP, Inquiry
from scoring.errors import ProblemsFound
from scoring.facade.given import Pair, SchemaLike, frame_for, pair_for, schema_for, steps_for
from scoring.facade.progress import steps
from scoring.facade.results import AnonymizedTable, Guesses, MembershipResult
from scoring.options import Value, unknown_option, wrong_value
from scoring.scores.results import mark
from scoring.seeds import generator
from scoring.tables.schema import Schema

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def anonymize(
    original: pd.DataFrame,
    methods: str | Sequence[str | tuple[str, Mapping[str, Value]]],
    schema: SchemaLike | None = None,
    *,
    seed: int | None = None,
    rng: np.random.Generator | None = None,
    aligned: bool = False,
    progress: bool = True,
    **options: Value,
) -> AnonymizedTable:
    """Anonymize a table by one method, or by several in a row.

    Parameters
    ----------
    original : DataFrame, n_original records
    methods : str, or sequence of str and of pairs of str and mapping
        Identifiers out of `ANONYMIZERS`; in a pair with options for this step only.
    schema : Schema, path or str, optional
        By default one that is proposed, with a warning.
    seed : int, optional
        Of all randomness; by default 128 bits of the operating system. Anyone who finds it can undo the table: keep it
        secret where the table is published.
    rng : numpy.random.Generator, optional
        Instead of a seed.
    aligned : bool
        Make the table of a lecture contest: values mapped back to those of the original.
    progress : bool
        Show a progress bar after two seconds.
    **options
        Options of the methods by name, such as `k=10`: for every method that has them. For one of several write
        `**{"mondrian.k": 10}`.

    Returns
    -------
    AnonymizedTable
        `table`, `rows` and `seed`.

    Raises
    ------
    ProblemsFound
        Where the frame does not fit the schema, or a method or an option is unknown or cannot be used.

    Examples
    --------
    >>> from scoring.examples import SCHEMA, table
    >>> anonymize(table("original"), "mondrian", SCHEMA, k=2, seed=1)
    <AnonymizedTable: 4 records of 4; mondrian; seed 1>
    """
    chain = steps_for(methods, options)
    if aligned:
        chain.append((BACK_MAPPING.id, {}))
    known = schema_for(schema, original)
    generated, used = generator(seed, rng)
    table = frame_for(original, known, file="original", original=True)
    with steps(len(chain), progress=progress) as step:
        made = anonymizers.anonymize(
            table, known, chain, rng=generated, progress=lambda i, n, method: step(method)
        )
    named = made.table.set_axis(original.index[made.source])
    return AnonymizedTable(
        named, made.source, known.public(), chain, used, made.warnings, len(original), aligned
    )


def attack(
    original: pd.DataFrame,
    anonymized: pd.DataFrame | AnonymizedTable,
    method: str,
    schema: SchemaLike | None = None,
    *,
    rows: ArrayLike | None = None,
    seed: int | None = None,
    rng: np.random.Generator | None = None,
    progress: bool = True,
    **options: Any,
) -> Guesses:
    """Guess which original record each anonymized record was made from, and count the right guesses.

    The attacker gets the records in a random order, so that it cannot exploit theirs.

    Parameters
    ----------
    original : DataFrame, n_original records
    anonymized : DataFrame or AnonymizedTable, n_anonymized records
    method : str
        An identifier out of `ATTACKS`.
    schema, rows
        As in `score`. Where no rows are given and the index names none, no guess is counted as right or wrong.
    seed : int, optional
        Of the order and the attacker; 1 by default.
    rng : numpy.random.Generator, optional
        Instead of a seed.
    progress : bool
        Show after two seconds for how long the attack has run.
    **options
        Options of the attacker by name. The columns it looks at are `q` and `s`, as on the command line, or
        `quasi_identifiers` and `sensitive`.

    Returns
    -------
    Guesses
        `guess`, `hits`, `rate` and `seed`.

    Raises
    ------
    ProblemsFound
        Where a frame does not fit the schema, or an option is unknown or cannot be used.
    UnknownNameError
        Where there is no such attacker.

    Examples
    --------
    >>> from scoring.examples import SCHEMA, table
    >>> attack(table("original"), table("noise"), "EUC2", SCHEMA)
    <Guesses: EUC2 finds 4 of 4 records (100.00 %); seed 1>
    """
    plugins.load()
    attacker = ATTACKS[method]
    pair = _attacked(original, anonymized, schema, rows)
    chosen = _options(attacker, pair.schema, options)
    generated, used = generator(seed, rng, default=1)
    order = generated.permutation(len(pair.anonymized))
    shuffled = pair.anonymized.iloc[order].reset_index(drop=True)
    guess = np.empty(len(order), dtype=np.int64)
    with steps(None, progress=progress) as step:
        step(attacker.id)
        guess[order] = attacker(pair.original, shuffled, pair.schema, rng=generated, **chosen)
    result = None if pair.rows is None else mark(pair.rows, guess)
    return Guesses(attacker, guess, pair.rows, used, result)


def candidates(
    original: pd.DataFrame,
    anonymized: pd.DataFrame | AnonymizedTable,
    schema: SchemaLike | None = None,
    **options: Any,
) -> pd.DataFrame:
    """The nearest originals of each anonymized record.

    Parameters
    ----------
    original, anonymized, schema
        As in `attack`.
    **options
        `n`, how many (5), `distance`, and the columns `q` and `s`.

    Returns
    -------
    DataFrame, shape (n_anonymized, n)
        0-based rows of the original, the nearest first.

    Raises
    ------
    ProblemsFound
        As in `attack`.

    Examples
    --------
    >>> from scoring.examples import SCHEMA, table
    >>> candidates(table("original"), table("noise"), SCHEMA, n=2).to_numpy().tolist()
    [[0, 2], [1, 2], [2, 1], [3, 1]]
    """
    pair = _attacked(original, anonymized, schema, None)
    chosen = _options(CANDIDATES, pair.schema, options)
    found = CANDIDATES.function(pair.original, pair.anonymized, pair.schema, **chosen)
    names = [f"candidate_{i}" for i in range(1, found.shape[1] + 1)]
    return pd.DataFrame(found, columns=names)


def membership(
    original: pd.DataFrame,
    control: pd.DataFrame,
    anonymized: pd.DataFrame | AnonymizedTable,
    schema: SchemaLike | None = None,
    **options: Any,
) -> MembershipResult:
    """Measure how well an attacker distinguishes people who are in the table from others.

    Parameters
    ----------
    original : DataFrame
    control : DataFrame
        Records of the same kind that the anonymized table was not made from.
    anonymized, schema
        As in `attack`.
    **options
        `distance`, and the columns `q` and `s`.

    Returns
    -------
    MembershipResult
        Scores, the area under the curve, and rates with intervals.

    Raises
    ------
    ProblemsFound
        As in `attack`.
    ControlError
        Where the control has records of the original.

    Examples
    --------
    >>> from scoring.examples import SCHEMA, table
    >>> x = table("original")
    >>> membership(x.iloc[:2], x.iloc[2:], x.iloc[:2], SCHEMA).auc
    1.0
    """
    pair = _attacked(original, anonymized, schema, None)
    others = frame_for(control, pair.schema, file="control", original=True)
    chosen = _options(MEMBERSHIP, pair.schema, options)
    found = MEMBERSHIP.function(pair.original, others, pair.anonymized, pair.schema, **chosen)
    return MembershipResult(found, len(pair.original))


def _attacked(
    original: pd.DataFrame,
    anonymized: pd.DataFrame | AnonymizedTable,
    schema: SchemaLike | None,
    rows: ArrayLike | None,
) -> Pair:
    """Both tables, and the rows where they are known: an attacker's answer needs none."""
    try:
        return pair_for(original, anonymized, schema, rows)
    except ProblemsFound:
        raise
    except ValueError:
        if rows is not None:
            raise
        return pair_for(original, anonymized, schema, None, synthetic=True)


def _options(attacker: Inquiry, schema: Schema, options: Mapping[str, Any]) -> dict[str, Any]:
    """The columns and options of an attacker, by the names of its function's parameters."""
    columns = {name: c for c in attacker.columns for name in (c.option, c.parameter)}
    found: dict[str, Any] = {}
    problems = []
    for name, value in options.items():
        if (choice := columns.get(name)) is not None:
            found[choice.parameter] = names = (value,) if isinstance(value, str) else tuple(value)
            if not choice.accepts(names, schema):
                problems.append(wrong_value(attacker.id, name, choice.expected(schema), names))
        elif (option := attacker.option(name)) is None:
            known = [*(c.option for c in attacker.columns), *(o.name for o in attacker.options)]
            problems.append(unknown_option(name, known, attacker.id))
        else:
            found[name] = tuple(value) if isinstance(value, list) else value
            if not option.accepts(found[name]):
                problems.append(wrong_value(attacker.id, name, option.expected, value))
    if problems:
        raise ProblemsFound(problems)
    return found
