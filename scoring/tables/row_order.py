# SPDX-License-Identifier: Apache-2.0
"""Tables whose records a spreadsheet has sorted: they fit the rows that they declare no better than by chance."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from scoring.tables.equivalence import IntArray, Table
from scoring.tables.notes import add_note
from scoring.tables.records import Records, names_in, values_in

LEAST_RECORDS = 20
FITS = 0.2
"""The agreement of a column from which on its records stand next to their own rows."""
_SAMPLE = 256
_CERTAIN = 5
"""Standard deviations from what chance would give."""

Column = npt.NDArray[Any]


def note_row_order(
    original: Table, anonymized: Table, source: IntArray, *, file: str = "anonymized"
) -> None:
    """Add a note where the records are those of the original, or are sorted, and are not next to their rows.

    Parameters
    ----------
    original : DataFrame or Records, n_original records
    anonymized : DataFrame or Records, n_anonymized records
        With the same columns.
    source : int64 array, shape (n_anonymized,)
        The declared 0-based row of each record.
    file : str
        What the note calls the file.

    Notes
    -----
    A table is next to its rows where one of its columns fits: Cohen's kappa or, of numbers, Spearman's correlation
    is more than `FITS`, and more than chance gives. A sample of some 256 records decides it.

    Examples
    --------
    >>> import pandas as pd
    >>> from scoring.tables.notes import noted
    >>> original = pd.DataFrame({"age": [(37 * row) % 101 for row in range(100)]})
    >>> with noted() as notes:
    ...     note_row_order(original, original.sort_values("age"), np.arange(100))
    >>> [note.code for note in notes]
    ['note.other_order']
    """
    n_records = len(source)
    if n_records < LEAST_RECORDS or fits_rows(original, anonymized, source):
        return
    names = list(_shared_names(original, anonymized))
    columns = [_taken(anonymized, name, np.arange(n_records)) for name in names]
    declared = [_taken(original, name, source) for name in names]
    equal = np.logical_and.reduce([one == own for one, own in zip(columns, declared, strict=True)])
    if 2 * np.count_nonzero(equal) > n_records:  # of values that hardly differ between records
        return
    if _same_records(columns, declared):
        add_note("note.other_order", file=file)
        return
    for name, values, own in zip(names, columns, declared, strict=True):
        if _is_sorted(values) and not _is_sorted(own):
            add_note("note.sorted", file=file, column=name)
            return


def fits_rows(original: Table, anonymized: Table, source: IntArray) -> bool:
    """True if a column that both tables have agrees with the declared rows; a sample of the records decides.

    Examples
    --------
    >>> import pandas as pd
    >>> ages = pd.DataFrame({"age": range(100)})
    >>> fits_rows(ages, ages + 1, np.arange(100)), fits_rows(ages, ages + 1, np.arange(100) * 37 % 100)
    (True, False)
    """
    rows = np.arange(0, len(source), max(1, len(source) // _SAMPLE))
    return any(
        _agrees(_taken(anonymized, name, rows), _taken(original, name, source[rows]))
        for name in _shared_names(original, anonymized)
    )


def _shared_names(original: Table, anonymized: Table) -> Iterator[str]:
    """The columns whose values are there in both tables."""
    return (name for name in names_in(anonymized) if _has(original, name))


def _has(table: Table, name: str) -> bool:
    if isinstance(table, Records):
        return name in table.codes or name in table.numbers
    return name in table.columns


def _taken(table: Table, name: str, rows: IntArray) -> Column:
    """A column of some records."""
    if isinstance(table, Records) and name in table.codes:
        levels = table.levels[name]
        return np.array([levels[code] for code in table.codes[name][rows].tolist()], dtype=object)
    return values_in(table, name)[rows]


def _agrees(values: Column, own: Column) -> bool:
    """Values agree more often than by chance, or numbers rise and fall together."""
    n_records = len(values)
    counts, own_counts = Counter(values.tolist()), Counter(own.tolist())
    if 1 in (len(counts), len(own_counts)):
        return False
    chance = sum(n * own_counts[value] for value, n in counts.items()) / n_records**2
    deviation = math.sqrt(chance * (1 - chance) / n_records)
    least = chance + max(FITS * (1 - chance), _CERTAIN * deviation)
    if np.count_nonzero(values == own) > least * n_records:
        return True
    if not np.issubdtype(values.dtype, np.number):
        return False
    correlation = float(np.corrcoef(_ranks(values), _ranks(own))[0, 1])
    return abs(correlation) > max(FITS, _CERTAIN / math.sqrt(n_records))


def _ranks(values: Column) -> npt.NDArray[np.int64]:
    """The number of smaller values; equal values share a rank."""
    return np.searchsorted(np.sort(values), values)


def _same_records(columns: list[Column], others: list[Column]) -> bool:
    """Both tables have the same records, each as often; by hashes of 64 bits, as a million records are compared."""
    keys = [np.zeros(len(columns[0]), dtype=np.uint64) for _ in range(2)]
    for pair in zip(columns, others, strict=True):
        known: dict[Any, int] = {}
        for key, values in zip(keys, pair, strict=True):
            key ^= _bits(values, known)
            key *= np.uint64(0x9E3779B97F4A7C15)
            key ^= key >> np.uint64(29)
    return bool((np.sort(keys[0]) == np.sort(keys[1])).all())


def _bits(values: Column, known: dict[Any, int]) -> npt.NDArray[np.uint64]:
    """Equal bits for equal values, -0 and 0 among them; `known` numbers the texts."""
    if np.issubdtype(values.dtype, np.number):
        return (values.astype(np.float64) + 0.0).view(np.uint64)
    codes = [known.setdefault(value, len(known)) for value in values.tolist()]
    return np.array(codes, dtype=np.uint64)


def _is_sorted(values: Column) -> bool:
    """Numbers ascend or descend; equal texts stand together, in whatever order a spreadsheet has for them."""
    if np.issubdtype(values.dtype, np.number):
        steps = np.diff(values)
        return bool(steps.any() and ((steps >= 0).all() or (steps <= 0).all()))
    n_distinct = len(set(values.tolist()))
    n_runs = 1 + int(np.count_nonzero(values[1:] != values[:-1]))
    return 1 < n_distinct == n_runs < len(values) / 2
