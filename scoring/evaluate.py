"""The official numbers: what an anonymized table scores, and what a guess file hits."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from scoring.errors import ProblemsFound
from scoring.registry import MEASURES, PWSCUP_2015
from scoring.scores.comparison import Comparison, Options, Prepared
from scoring.scores.options import DECIMALS
from scoring.scores.results import Mark, mark
from scoring.tables.equivalence import IntArray, Table
from scoring.tables.frames import check_frame, is_frame
from scoring.tables.schema import Schema

__all__ = ["Mark", "Options", "Prepared", "mark", "measured", "score"]


def score(
    original: Table | Prepared,
    anonymized: Table,
    source: IntArray,
    schema: Schema,
    *,
    options: Options = Options(),  # noqa: B008 — frozen
    measures: Sequence[str] | None = None,
    threads: int = 1,
    progress: Callable[[str], None] | None = None,
) -> dict[str, float | int | None]:
    """Every measure of an anonymized table.

    Parameters
    ----------
    original : DataFrame, Records or Prepared, n_original records
    anonymized : DataFrame or Records, n_anonymized records
    source : int array, shape (n_anonymized,)
        The declared 0-based original row of each anonymized record, all distinct.
    schema : Schema
        Roles and kinds of the columns; a prepared table carries its own, equal one.
    options : Options
    measures : sequence of str, optional
        Identifiers out of `MEASURES`; the 14 of PWSCup 2015 by default.
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
        that is missing, of another type or outside of its column's domain.
    ValueError
        Where the tables or the rows do not fit.
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
    wanted = PWSCUP_2015 if measures is None else measures
    for id_ in wanted:
        MEASURES[id_]
    if is_frame(original):
        check_frame(original, schema, file="original", original=True)
    if is_frame(anonymized) and not (isinstance(original, Prepared) and original.schema != schema):
        check_frame(anonymized, schema, file="anonymized")
    comparison = Comparison.of(original, anonymized, source, schema, threads=threads)
    values: dict[str, float | int | None] = {
        "n_original": comparison.prepared.n_records,
        "n_anonymized": comparison.n_records,
    }
    for id_ in wanted:
        if progress is not None:
            progress(id_)
        values[id_] = measured(comparison, id_, options)
    return values


def measured(comparison: Comparison, measure: str, options: Options) -> float | int | None:
    """One measure of `score`, for tables that are already compared."""
    value = MEASURES[measure].function(comparison, options)
    return round(value, DECIMALS) if isinstance(value, float) else value
