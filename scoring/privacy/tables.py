# SPDX-License-Identifier: Apache-2.0
"""Contingency tables and how far an estimate of one is from the truth."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scoring.privacy.domains import Floats, Integers, checked_sizes

CHUNK = 2**18
"""Records that are worked on at a time, so that no copy of a large table is made."""


def contingency(codes: NDArray[np.integer], sizes: Sequence[int]) -> Integers:
    """The number of records with each combination of values.

    Parameters
    ----------
    codes
        Integer array of shape (n, W): each record's value of each attribute, 0 to size - 1. A
        small type such as uint8 is not widened as a whole.
    sizes
        The number of values of each of the W attributes.

    Returns
    -------
    int64 array of shape `sizes`
        Counts that add up to n.

    Raises
    ------
    ValueError
        The domain is wrong or too large, or a code lies outside it.

    Examples
    --------
    >>> contingency(np.array([[0, 2], [1, 0], [0, 2]]), (2, 3)).tolist()
    [[0, 0, 2], [1, 0, 0]]
    """
    sizes = checked_sizes(sizes)
    check_codes(codes, sizes)
    table = np.zeros(int(np.prod(sizes)), dtype=np.int64)
    for start in range(0, len(codes), CHUNK):
        columns = codes[start : start + CHUNK].T.astype(np.intp)
        cells = np.ravel_multi_index(tuple(columns), sizes)
        if len(table) > CHUNK:  # bincount would build a table of the whole domain for each chunk
            np.add.at(table, cells, 1)
        else:
            table += np.bincount(cells, minlength=len(table))
    return table.reshape(sizes)


def check_codes(codes: NDArray[np.integer], sizes: Sequence[int]) -> None:
    """ValueError where the records are not integers of shape (n, W) inside the domain."""
    if (
        codes.ndim != 2
        or codes.shape[1] != len(sizes)
        or not np.issubdtype(codes.dtype, np.integer)
    ):
        expected = f"expected integers of shape (n, {len(sizes)})"
        raise ValueError(f"codes: {expected}, got {codes.dtype} of shape {codes.shape}")
    for w, size in enumerate(sizes):
        column = codes[:, w]
        if len(column) and (column.min() < 0 or column.max() >= size):
            got = f"{column.min()} to {column.max()}"
            raise ValueError(f"codes: expected 0 to {size - 1} in attribute {w + 1}, got {got}")


def checked_table(table: ArrayLike, sizes: Sequence[int], *, leading: bool = False) -> Floats:
    """A table of non-negative numbers as a new float64 array; with `leading`, several of them.

    Raises
    ------
    ValueError
        The shape is not that of the domain, or a number is negative or not finite.
    """
    counts = np.array(table, dtype=np.float64)
    shape = counts.shape[counts.ndim - len(sizes) :] if leading else counts.shape
    if shape != tuple(sizes):
        raise ValueError(f"table: expected shape {tuple(sizes)}, got {counts.shape}")
    if not (np.isfinite(counts).all() and (counts >= 0).all()):
        wrong = counts[~(np.isfinite(counts) & (counts >= 0))]
        raise ValueError(f"table: expected finite counts of at least 0, got {wrong[0]}")
    return counts


def l2(estimate: ArrayLike, truth: ArrayLike) -> float:
    """The L2 distance of two tables of one shape: the root of the sum of squared differences.

    Returns
    -------
    float
        0 for equal tables; in records.

    Raises
    ------
    ValueError
        The shapes differ.

    Notes
    -----
    Yamaguchi, Terada & Yoshiura on batch and interactive disclosure under differential privacy,
    §3.2.

    Examples
    --------
    >>> l2([[3, 0], [1, 1]], [[0, 4], [1, 1]])
    5.0
    """
    one, other = _pair(estimate, truth)
    return float(np.sqrt(((one - other) ** 2).sum()))


def spearman(estimate: ArrayLike, truth: ArrayLike) -> float:
    """Spearman's rank correlation of the cells of two tables; equal cells share their mean rank.

    Returns
    -------
    float
        -1 to 1, where 1 is the same order of cells; nan where all cells of either table are equal,
        for then there is no order to compare.

    Raises
    ------
    ValueError
        The shapes differ.

    Examples
    --------
    >>> spearman([10, 30, 20], [1, 3, 2]), spearman([1, 2, 3], [3, 2, 1])
    (1.0, -1.0)
    >>> spearman([5, 5, 5], [1, 2, 3])
    nan
    """
    one, other = _pair(estimate, truth)
    return float(spearman_each(one[None], other)[0])


def l2_each(estimates: Floats, truth: ArrayLike) -> Floats:
    """`l2` of several estimates, whose first axis numbers them, of one truth.

    Examples
    --------
    >>> l2_each(np.array([[3.0, 4.0], [0.0, 1.0]]), [0, 0]).tolist()
    [5.0, 1.0]
    """
    differences = (estimates - np.asarray(truth, dtype=np.float64)).reshape(len(estimates), -1)
    distances: Floats = np.sqrt((differences**2).sum(axis=1))
    return distances


def spearman_each(estimates: Floats, truth: ArrayLike) -> Floats:
    """`spearman` of several estimates, whose first axis numbers them, with one truth.

    Examples
    --------
    >>> spearman_each(np.array([[1.0, 2.0, 3.0], [2.0, 2.0, 2.0]]), [4, 5, 9]).tolist()
    [1.0, nan]
    """
    expected = _ranks(np.asarray(truth, dtype=np.float64).reshape(1, -1))[0]
    ranks = _ranks(estimates.reshape(len(estimates), len(expected)))
    ranks -= ranks.mean(axis=1, keepdims=True)
    expected -= expected.mean()
    lengths = np.sqrt((ranks**2).sum(axis=1) * (expected**2).sum())
    products = ranks @ expected
    flat = lengths == 0
    found: Floats = np.where(flat, np.nan, products / np.where(flat, 1.0, lengths))
    return np.clip(found, -1.0, 1.0)


def _ranks(rows: Floats) -> Floats:
    """The ranks within each row, from 1, equal values sharing the mean of theirs; all NaN where one value is."""
    order = np.argsort(rows, axis=1)
    ordered = np.take_along_axis(rows, order, axis=1)
    outermost = np.ones_like(rows[:, :1], dtype=bool)
    differs = ordered[:, 1:] != ordered[:, :-1]
    places = np.arange(rows.shape[1])
    is_first, is_last = np.hstack([outermost, differs]), np.hstack([differs, outermost])
    first = np.maximum.accumulate(np.where(is_first, places, 0), axis=1)
    last = np.minimum.accumulate(np.where(is_last, places, places.size)[:, ::-1], axis=1)[:, ::-1]
    ranks = np.empty(rows.shape)
    np.put_along_axis(ranks, order, (first + last) / 2 + 1, axis=1)
    ranks[np.isnan(rows).any(axis=1)] = np.nan
    return ranks


def root_mean_square(values: ArrayLike) -> float:
    """The root of the mean of squares of one value or more, as of the L2 distances of trials.

    Examples
    --------
    >>> root_mean_square([1, 7])
    5.0
    """
    squares = np.asarray(values, dtype=np.float64) ** 2
    if squares.size == 0:
        raise ValueError("values: expected at least one, got none")
    return float(np.sqrt(squares.mean()))


def _pair(estimate: ArrayLike, truth: ArrayLike) -> tuple[Floats, Floats]:
    one, other = (np.asarray(table, dtype=np.float64) for table in (estimate, truth))
    if one.shape != other.shape:
        raise ValueError(f"estimate: expected the truth's shape {other.shape}, got {one.shape}")
    return one, other
