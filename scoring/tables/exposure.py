# SPDX-License-Identifier: Apache-2.0
"""The exposure of the records of a table by its quasi-identifiers, before anybody anonymizes it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
import numpy.typing as npt

from scoring.errors import Problem, ProblemsFound
from scoring.tables.text import decode, read_header, records

Codes = npt.NDArray[np.integer]


@dataclass(frozen=True, slots=True)
class Exposure:
    """The classes of records with equal quasi-identifiers, and the cells of the cross table.

    Attributes
    ----------
    n_records, n_classes, n_unique : int
        Records, classes of equal ones, and unique records.
    smallest : int
        Records in the smallest class.
    n_cells : int
        Cells of the cross table: the product of the numbers of values of its columns; 1 without columns.
    n_filled : int
        Cells with a record.
    """

    n_records: int
    n_classes: int
    n_unique: int
    smallest: int
    n_cells: int
    n_filled: int

    @property
    def share_unique(self) -> float:
        """Unique records among all, 0 to 1."""
        return self.n_unique / self.n_records if self.n_records else 0.0


def exposure(quasi: Sequence[Codes], cross: Sequence[Codes], n_records: int) -> Exposure:
    """The exposure of a table.

    Parameters
    ----------
    quasi, cross : sequences of integer arrays, shape (n_records,)
        The quasi-identifiers and the columns of the cross table, each value as a number from 0.
    n_records : int

    Examples
    --------
    >>> import numpy as np
    >>> sex, age = np.array([0, 0, 1, 1]), np.array([0, 0, 1, 2])
    >>> exposure([sex, age], [sex], 4)
    Exposure(n_records=4, n_classes=3, n_unique=2, smallest=1, n_cells=2, n_filled=2)
    """
    sizes = np.bincount(classes_of(quasi, n_records))
    cells = [len(np.unique(codes)) for codes in cross]
    return Exposure(
        n_records,
        len(sizes),
        int((sizes == 1).sum()),
        int(sizes.min()) if len(sizes) else 0,
        prod(cells),
        len(np.bincount(classes_of(cross, n_records))),
    )


@dataclass(frozen=True, slots=True)
class Finds:
    """The records that one quasi-identifier finds.

    Attributes
    ----------
    n_alone : int
        Records that are unique by this column, without any other.
    n_without : int
        Records that are unique by the other quasi-identifiers.
    """

    n_alone: int
    n_without: int


def found_by(quasi: Sequence[Codes], n_records: int) -> list[Finds]:
    """The records that each quasi-identifier finds, in their order.

    Parameters
    ----------
    quasi : sequence of integer arrays, shape (n_records,)
        Each value as a number from 0.
    n_records : int

    Examples
    --------
    >>> import numpy as np
    >>> found_by([np.array([0, 0, 1, 1]), np.array([0, 0, 1, 2])], 4)
    [Finds(n_alone=0, n_without=2), Finds(n_alone=2, n_without=0)]
    """
    nothing = np.zeros(n_records, dtype=np.int64)
    before, after = [nothing], [nothing]  # classes by the columns before, and after, each column
    for codes in quasi[:-1]:
        before.append(classes_of([before[-1], codes], n_records))
    for codes in quasi[:0:-1]:
        after.append(classes_of([after[-1], codes], n_records))
    return (
        [
            Finds(
                _n_unique(classes_of([codes], n_records)),
                _n_unique(classes_of([one, other], n_records)),
            )
            for codes, one, other in zip(quasi, before, reversed(after), strict=True)
        ]
        if quasi
        else []
    )


def _n_unique(classes: npt.NDArray[np.int64]) -> int:
    return int((np.bincount(classes) == 1).sum())


def classes_of(columns: Sequence[Codes], n_records: int) -> npt.NDArray[np.int64]:
    """The class of each record, from 0: records with equal numbers in all columns have one."""
    import pandas as pd  # by hashing: sorting takes many times as long

    found = np.zeros(n_records, dtype=np.int64)
    for codes in columns:
        most = int(codes.max(initial=0)) + 1
        found = pd.factorize(found * most + codes)[0].astype(np.int64)
    return found


def proposed_cross(n_values: Sequence[int], n_records: int, n_most: int) -> list[int]:
    """The columns to cross-tabulate: those with the fewest values, while there are as many records as cells.

    Parameters
    ----------
    n_values : sequence of int
        The number of values of each quasi-identifier.
    n_records : int
    n_most : int
        The most columns.

    Returns
    -------
    list of int
        Positions in `n_values`, in their order; one at least, where there is one.

    Examples
    --------
    >>> proposed_cross([90, 2, 47, 6], 1000, 3)
    [1, 2, 3]
    >>> proposed_cross([90, 2, 47, 6], 100, 3)
    [1, 3]
    """
    ranked = sorted(range(len(n_values)), key=lambda at: n_values[at])
    found: list[int] = []
    for at in ranked[:n_most]:
        cells = prod(n_values[i] for i in (*found, at))
        if found and cells > n_records:
            break
        found.append(at)
    return sorted(found)


def codes_in(data: bytes, names: Sequence[str], *, file: str) -> dict[str, Codes]:
    """Some columns of a CSV file, each value as a number from 0 in the order in which they occur.

    Raises
    ------
    ProblemsFound
        Where the file is no CSV, or lacks a column.

    Examples
    --------
    >>> codes_in(b"a,b\\nx,1\\ny,2\\nx,3\\n", ["a"], file="original")["a"].tolist()
    [0, 1, 0]
    """
    rows = records(decode(data, file=file), file=file)
    header = read_header(rows, file=file)
    check = [name for name in names if name not in header]
    if check:
        raise ProblemsFound(
            [Problem("header.missing", {"expected": name}, file, column=name) for name in check]
        )
    places = [header.index(name) for name in names]
    known: list[dict[str, int]] = [{} for _ in names]
    found: list[list[int]] = [[] for _ in names]
    for row in rows:
        if len(row) == len(header):
            for codes, values, place in zip(found, known, places, strict=True):
                codes.append(values.setdefault(row[place], len(values)))
    arrays = (np.array(codes, dtype=np.int64) for codes in found)
    return dict(zip(names, arrays, strict=True))
