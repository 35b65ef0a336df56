# SPDX-License-Identifier: Apache-2.0
"""The official numbers: what an anonymized table scores, and what a guess file hits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from scoring.errors import ProblemsFound
from scoring.formats.lecture.parts import Columns, combined, joined
from scoring.registry import MEASURES, PWSCUP_2015, Measure
from scoring.scores.comparison import Comparison, Options, Prepared
from scoring.scores.options import WORST
from scoring.scores.results import Mark, mark
from scoring.tables.equivalence import IntArray, Table
from scoring.tables.frames import check_frame, is_frame
from scoring.tables.reading import write_table
from scoring.tables.records import Records
from scoring.tables.schema import Schema

__all__ = ["Mark", "Options", "Prepared", "mark", "prepared_parts", "score", "score_parts"]


def score(
    original: Table | Prepared,
    anonymized: Table,
    source: IntArray | None,
    schema: Schema,
    *,
    options: Options = Options(),  # noqa: B008 — frozen
    measures: Sequence[str | Measure] | None = None,
    files: Mapping[str, bytes] | None = None,
    given: Mapping[str, float | None] | None = None,
    references: Sequence[Table] = (),
    threads: int = 1,
    progress: Callable[[str], None] | None = None,
) -> dict[str, float | int | None]:
    """Every measure of an anonymized table.

    Parameters
    ----------
    original : DataFrame, Records or Prepared, n_original records
    anonymized : DataFrame or Records, n_anonymized records
    source : int array, shape (n_anonymized,), or None
        The declared 0-based original row of each anonymized record, all distinct. None for a table of any number of
        records that were made from no certain ones; their order has no effect then.
    schema : Schema
        Roles and kinds of the columns; a prepared table carries its own, equal one.
    options : Options
    measures : sequence of str or Measure, optional
        Identifiers out of `MEASURES`, or measures that a ruleset defines; the 14 of PWSCup 2015 by default.
    files : mapping of str to bytes, optional
        What was submitted with the table and measures read, by its kind: "model".
    given : mapping of str to float, optional
        The values of measures that a program has computed, by their identifiers; composites are made of them.
    references : sequence of DataFrame or Records
        Further tables with whose records those that are published are compared, by measures of copies.
    threads : int
        The number of threads; it does not change the values.
    progress : callable, optional
        Called before each measure with its identifier.

    Returns
    -------
    dict
        "n_original", "n_anonymized", and each measure by its identifier: rounded to 9 decimals,
        None where the table has no column that it is about.

    Raises
    ------
    ProblemsFound
        Where the options do not fit the schema, and where a frame is not as the schema says: every cell
        that is missing, of another type or outside of its column's domain; all that is wrong with a model.
    ValueError
        Where the tables or the rows do not fit, or a measure needs rows and there are none.
    UnknownNameError
        Where a measure is unknown.

    Examples
    --------
    >>> from scoring.examples import SCHEMA, table
    >>> score(table("original"), table("noise"), [0, 1, 2, 3], SCHEMA, measures=["U1", "S1"])
    {'n_original': 4, 'n_anonymized': 4, 'U1': 1.25, 'S1': 2}
    """
    options.check()
    if problems := options.problems(schema):
        raise ProblemsFound(problems)
    chosen: Sequence[str | Measure] = PWSCUP_2015 if measures is None else measures
    wanted = [m if isinstance(m, Measure) else MEASURES[m] for m in chosen]
    if source is None and (needing := [measure.id for measure in wanted if measure.needs_rows]):
        raise ValueError(f"source: expected rows for {', '.join(needing)}, got none")
    if is_frame(original):
        check_frame(original, schema, file="original", original=True)
    if is_frame(anonymized) and not (isinstance(original, Prepared) and original.schema != schema):
        check_frame(anonymized, schema, file="anonymized")
    comparison = Comparison.of(original, anonymized, source, schema, threads=threads)
    comparison = replace(comparison, files=files or {}, references=references)
    comparison.values.update({(id_, options): value for id_, value in (given or {}).items()})
    values: dict[str, float | int | None] = {
        "n_original": comparison.prepared.n_records,
        "n_anonymized": comparison.n_records,
    }
    for measure in wanted:
        if progress is not None:
            progress(measure.id)
        values[measure.id] = measure.value(comparison, options)
    return values


def prepared_parts(original: Table, columns: Columns, schema: Schema) -> dict[str, Prepared]:
    """The original of each of several tables, by its key: the columns that this table has."""
    own = {key: schema.only(names) for key, names in columns.items()}
    whole = original if isinstance(original, Records) else Records.of(original, schema)
    return {key: Prepared.of(joined({key: whole}, only), only) for key, only in own.items()}


def score_parts(
    originals: Mapping[str, Prepared],
    tables: Mapping[str, Records],
    source: IntArray,
    *,
    combine: str = WORST,
    options: Options = Options(),  # noqa: B008 — frozen
    measures: Sequence[Measure],
    references: Sequence[Table] = (),
    progress: Callable[[str], None] | None = None,
) -> dict[str, float | int | None]:
    """Every measure of several tables that are submitted together: see `combined`.

    Measures of copies look at whole records, the tables joined, and have one value.

    Parameters
    ----------
    originals : mapping of str to Prepared
        By the key of each table; see `prepared_parts`.
    tables : mapping of str to Records
        Those that were submitted.
    source : int array, shape (n_anonymized,)
        The 0-based row of the original of each record, the same in all.
    combine : str
        One of `scoring.formats.lecture.COMBINE`.
    references : sequence of DataFrame or Records
        As in `score`.
    """
    how: dict[str, Any] = {"options": options, "progress": progress}
    each = [measure for measure in measures if not measure.finds_copies]
    found = {
        key: score(originals[key], table, source, originals[key].schema, measures=each, **how)
        for key, table in tables.items()
    }
    values = combined(found, each, combine)
    if whole := [measure for measure in measures if measure.finds_copies]:
        columns = {c.name: c for key in tables for c in originals[key].schema.columns}
        schema = Schema(tuple(columns.values()))
        parts = {key: Records.of(originals[key].table, schema) for key in tables}
        tables_ = joined(parts, schema), joined(tables, schema)
        values |= score(*tables_, source, schema, measures=whole, references=references, **how)
    return values


@dataclass(frozen=True, slots=True)
class ProgramFiles:
    """The files for a program as scorer, by their names: in `input/res`, and in `input/ref`."""

    submitted: Mapping[str, bytes]
    reference: Mapping[str, bytes]


def program_files(prepared: Prepared, anonymized: Records, source: IntArray | None) -> ProgramFiles:
    """An anonymized table and its original, as a program as scorer gets them.

    Parameters
    ----------
    prepared : Prepared
        The original; its identifiers are left out.
    anonymized : Records
    source : int array, shape (n_anonymized,)
        The declared 0-based original row of each anonymized record; in the file they begin at 1. None, and no file, for
        a table without rows.
    """
    schema = prepared.schema.public()
    submitted = {"anonymized.csv": write_table(anonymized, schema)}
    if source is not None:
        rows = "".join(f"{row + 1}\n" for row in source)
        submitted["rows.csv"] = f"row\n{rows}".encode()
    reference = {
        "original.csv": write_table(prepared.original, schema),
        "schema.toml": schema.to_toml().encode(),
    }
    return ProgramFiles(submitted, reference)
