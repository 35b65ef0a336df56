# SPDX-License-Identifier: Apache-2.0
"""Measures of one anonymized table, and of equivalence classes in a line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from scoring import evaluate, plugins
from scoring.facade.files import rules_of
from scoring.facade.given import SchemaLike, files_for, frame_for, pair_for, schema_for
from scoring.facade.progress import steps
from scoring.facade.results import AnonymizedTable, Number, Scores
from scoring.measures.analyses.names import MODEL
from scoring.registry import MEASURES, Measure, drawing
from scoring.rulesets import Ruleset, load_ruleset
from scoring.rulesets.gates import outside
from scoring.rulesets.submitted import submitted
from scoring.scores.options import DECIMALS, TABLE_MEASURES, Options
from scoring.tables.hierarchy_files import content_of
from scoring.tables.schema import Column, Kind, Role, Schema

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

DIVERSITIES = {"distinct": "distinct-l", "entropy": "entropy-l", "recursive": "recursive-l"}


def score(
    original: pd.DataFrame,
    anonymized: pd.DataFrame | AnonymizedTable,
    schema: SchemaLike | None = None,
    *,
    rows: ArrayLike | None = None,
    ruleset: str | Path | None = None,
    stage: str | None = None,
    measures: str | Sequence[str] | None = None,
    table_columns: Sequence[str] = (),
    population_fraction: float | None = None,
    weight_column: str | None = None,
    hierarchies: Mapping[str, Any] | str | Path | None = None,
    closeness: str | None = None,
    model: str | Path | bytes | None = None,
    control: pd.DataFrame | None = None,
    synthetic: bool = False,
    seed: int = 1,
    progress: bool = True,
) -> Scores:
    """Measure an anonymized table: its utility and its safety.

    Parameters
    ----------
    original : DataFrame, n_original records
    anonymized : DataFrame or AnonymizedTable, n_anonymized records
    schema : Schema, path or str, optional
        By default that of the result, else one that is proposed, with a warning.
    rows : int array, shape (n_anonymized,), optional
        The 0-based row of the original that each record was made from. By default those of a result, of a column
        `source_row`, which counts from 1, or those that the index of the frame names.
    ruleset : str or path, optional
        A ruleset of the library or its TOML file: its measures and options, and its checks of a submission. By default
        the measures of PWSCup 2015 of the frames as they are.
    stage : str, optional
        The stage of the ruleset whose bounds hold.
    measures : str or sequence of str, optional
        Identifiers out of `MEASURES`, or of the ruleset's.
    table_columns : sequence of str
        Compute table-L2 and table-spearman too, records counted by these columns.
    population_fraction, weight_column, closeness
        Options of measures: see `scoring.scores.options.Options`.
    hierarchies : mapping or path, optional
        Generalization hierarchies of sensitive categories, for t-closeness.
    model : path or bytes, optional
        The model that is submitted with the table.
    control : DataFrame, optional
        Records of the same kind that neither the table nor the model was made from, for measures that need them.
    synthetic : bool
        The table was made from no certain records, and declares no rows.
    seed : int
        Of the measures that draw at random.
    progress : bool
        Show a progress bar after two seconds.

    Returns
    -------
    Scores
        A mapping from identifiers to values, with a frame.

    Raises
    ------
    ProblemsFound
        Where a frame, an option or, with a ruleset, the submission is refused.
    UnknownNameError
        Where a measure or a ruleset is unknown.
    ValueError
        Where rows are needed and not known.

    Examples
    --------
    >>> from scoring.examples import SCHEMA, table
    >>> found = score(table("original"), table("noise"), SCHEMA)
    >>> found["U1"], found
    (1.25, <Scores: 4 records of 4; U1 1.25, U2 13.75, U3 0 … 14 values>)
    """
    plugins.load()
    rules = rules_of(ruleset)
    usual = load_ruleset("pwscup2015") if rules is None else rules
    chosen = _measures(measures, usual, table_columns)
    given: dict[str, Any] = {
        "table_columns": tuple(table_columns) or None,
        "population_fraction": population_fraction,
        "weight_column": weight_column,
        "hierarchies": None if hierarchies is None else content_of(hierarchies),
        "closeness": closeness,
    }
    own = {name: value for name, value in given.items() if value is not None}
    options = replace(usual.options, **own, seed=seed)
    files = None if model is None else {MODEL: _content(model)}
    tables = (
        _frames(original, anonymized, schema, rows, synthetic)
        if rules is None
        else _submission(original, anonymized, schema, rows, rules)
    )
    if control is not None:
        known = tables[-1]
        others = frame_for(control, known, file="control", original=True)
        tables = (evaluate.Prepared.of(tables[0], known, control=others), *tables[1:])
    with steps(len(chosen), progress=progress) as step:
        values = evaluate.score(
            *tables, options=options, measures=chosen, files=files, progress=step
        )
    n_original, n_anonymized = (int(values.pop(n) or 0) for n in ("n_original", "n_anonymized"))
    problems = [] if rules is None or measures is not None else outside(rules, values, stage)
    found: dict[str, Number] = dict(values)
    if rules is not None and (utility := rules.ranking.utility_in(values)) is not None:
        found["utility"] = round(utility, DECIMALS)
    seeded = seed if drawing(chosen) else None
    return Scores(found, chosen, n_original, n_anonymized, seeded, tuple(problems))


def k_anonymity(table: pd.DataFrame | AnonymizedTable, quasi_identifiers: Sequence[str]) -> int:
    """k: the number of records that share their quasi-identifiers, in the smallest class.

    Parameters
    ----------
    table : DataFrame or AnonymizedTable
    quasi_identifiers : sequence of str

    Returns
    -------
    int
        1 where some record is unique.

    Raises
    ------
    ProblemsFound
        Where a column is missing or has missing cells.
    ValueError
        Where there is no column.

    Examples
    --------
    >>> table = pd.DataFrame({"age": [30, 30, 40, 40, 40], "city": list("AABBB")})
    >>> k_anonymity(table, ["age", "city"])
    2
    """
    return int(_of_classes("S1", table, quasi_identifiers, ()))


def l_diversity(
    table: pd.DataFrame | AnonymizedTable,
    quasi_identifiers: Sequence[str],
    sensitive: str | Sequence[str],
    kind: str = "distinct",
) -> float:
    """l: the number of different sensitive values in the least diverse class.

    Parameters
    ----------
    table : DataFrame or AnonymizedTable
    quasi_identifiers : sequence of str
        Without any all records are one class.
    sensitive : str or sequence of str
        Of several columns the worst counts.
    kind : {"distinct", "entropy", "recursive"}
        Different values; exp(entropy), an effective number; or the largest l of recursive (3, l)-diversity.

    Returns
    -------
    float
        1 where all records of some class have one value.

    Raises
    ------
    ProblemsFound
        Where a column is missing or has missing cells.
    ValueError
        Where the kind is another one, or no column is sensitive.

    Examples
    --------
    >>> table = pd.DataFrame({"age": [30, 30, 40, 40, 40], "job": list("xyxxz")})
    >>> l_diversity(table, ["age"], "job"), round(l_diversity(table, ["age"], "job", "entropy"), 4)
    (2.0, 1.8899)
    """
    if kind not in DIVERSITIES:
        raise ValueError(f"kind: expected one of {', '.join(DIVERSITIES)}, got {kind!r}")
    return _of_classes(DIVERSITIES[kind], table, quasi_identifiers, sensitive)


def t_closeness(
    table: pd.DataFrame | AnonymizedTable,
    quasi_identifiers: Sequence[str],
    sensitive: str | Sequence[str],
) -> float:
    """t: the largest distance of a class's sensitive values from those of the whole table, 0 to 1.

    Parameters
    ----------
    table : DataFrame or AnonymizedTable
    quasi_identifiers : sequence of str
        Without any all records are one class.
    sensitive : str or sequence of str
        Numbers by the earth mover's distance, categories by the total variation; of several columns the worst counts.

    Raises
    ------
    ProblemsFound
        Where a column is missing or has missing cells.
    ValueError
        Where no column is sensitive.

    Examples
    --------
    >>> table = pd.DataFrame({"age": [30, 30, 40, 40], "job": list("xyxx")})
    >>> t_closeness(table, ["age"], "job")
    0.25
    """
    return _of_classes("t-closeness", table, quasi_identifiers, sensitive)


def _of_classes(
    measure: str,
    table: pd.DataFrame | AnonymizedTable,
    quasi_identifiers: Sequence[str],
    sensitive: str | Sequence[str],
) -> float:
    """A measure of one table by itself."""
    frame = table.table if isinstance(table, AnonymizedTable) else table
    quasi = [quasi_identifiers] if isinstance(quasi_identifiers, str) else list(quasi_identifiers)
    amounts = [sensitive] if isinstance(sensitive, str) else list(sensitive)
    needed = {"quasi_identifiers": quasi} if measure == "S1" else {"sensitive": amounts}
    for name, columns in needed.items():
        if not columns:
            raise ValueError(f"{name}: expected at least one column, got none")
    roles = dict.fromkeys(quasi, Role.QUASI_IDENTIFIER) | dict.fromkeys(amounts, Role.SENSITIVE)
    schema = Schema(tuple(Column(name, role, _kind(frame, name)) for name, role in roles.items()))
    checked = frame_for(frame, schema, file="table")
    values = evaluate.score(
        checked, checked, np.arange(len(checked)), schema, options=Options(), measures=[measure]
    )
    value = values[measure]
    assert value is not None
    return float(value)


def _kind(table: pd.DataFrame, name: str) -> Kind:
    if name not in table.columns:
        return Kind.CATEGORY  # the check names it
    kinds = pd.api.types
    is_number = kinds.is_numeric_dtype(table[name].dtype)
    return (
        Kind.NUMBER if is_number and not kinds.is_bool_dtype(table[name].dtype) else Kind.CATEGORY
    )


def _frames(
    original: pd.DataFrame,
    anonymized: pd.DataFrame | AnonymizedTable,
    schema: SchemaLike | None,
    rows: ArrayLike | None,
    synthetic: bool,
) -> tuple[Any, ...]:
    pair = pair_for(original, anonymized, schema, rows, synthetic=synthetic)
    return pair.original, pair.anonymized, pair.rows, pair.schema


def _submission(
    original: pd.DataFrame,
    anonymized: pd.DataFrame | AnonymizedTable,
    schema: SchemaLike | None,
    rows: ArrayLike | None,
    rules: Ruleset,
) -> tuple[Any, ...]:
    """As `_frames`, read as the files of a submission."""
    known = schema_for(schema, original, anonymized)
    table = frame_for(original, known, file="original", original=True)
    files = files_for(anonymized, original, rows, rules)
    return table, *submitted(*files, table, known, rules), known


def _measures(
    measures: str | Sequence[str] | None, rules: Ruleset, table_columns: Sequence[str]
) -> tuple[Measure, ...]:
    """The measures that were asked for, else those of the ruleset but for a program's."""
    if measures is not None:
        ids: Sequence[str] = [measures] if isinstance(measures, str) else measures
        own = rules.measures
        return tuple(rules.measure(id_) if id_ in own else MEASURES[id_] for id_ in ids)
    programmed = set() if rules.program is None else {spec.id for spec in rules.program.values}
    more = TABLE_MEASURES if table_columns else ()
    usual = dict.fromkeys((*rules.measures, *more))
    return tuple(rules.measure(id_) for id_ in usual if id_ not in programmed)


def _content(source: str | Path | bytes) -> bytes:
    return source if isinstance(source, bytes) else Path(source).read_bytes()
