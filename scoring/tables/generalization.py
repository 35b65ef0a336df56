# SPDX-License-Identifier: Apache-2.0
"""Losses of generalization: formulas shared by the search for a generalization and the measures of a table."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def lost_in_groups(groups: Ints, values: NDArray[Any], whole: float) -> Floats:
    """The share of a column's information that the members of each group lose.

    Parameters
    ----------
    groups
        The group of each member, 0 to the last group; none is empty.
    values
        Numbers, or integer codes of categories.
    whole
        Of numbers the width of the column, above 0; of categories the number of its values less one, above
        0.

    Returns
    -------
    float array, shape (n_groups,)
        Of numbers the width of the group over that of the column, of categories the further values of the
        group over the further values of the column: 0 for one value, 1 for all.

    Notes
    -----
    Iyengar, "Transforming Data to Satisfy Privacy Constraints", general loss metric; Xu et al.,
    "Utility-Based Anonymization Using Local Recoding", normalized certainty penalty.

    Examples
    --------
    >>> lost_in_groups(np.array([0, 0, 1]), np.array([20.0, 30, 60]), 40).tolist()
    [0.25, 0.0]
    >>> lost_in_groups(np.array([0, 0, 0, 1]), np.array([1, 2, 2, 0]), 2).tolist()
    [0.5, 0.0]
    """
    n_groups = int(groups.max(initial=-1)) + 1
    if values.dtype.kind == "f":
        low, high = np.full(n_groups, np.inf), np.full(n_groups, -np.inf)
        np.minimum.at(low, groups, values)
        np.maximum.at(high, groups, values)
        widths: Floats = (high - low) / whole
        return widths
    size = int(values.max(initial=0)) + 1
    different = np.unique(groups * size + values) // size
    further: Floats = (np.bincount(different, minlength=n_groups) - 1) / whole
    return further


def discernibility(sizes: Ints, n_records: int, n_suppressed: int = 0) -> float:
    """The mean share of the records that a record cannot be distinguished from, itself included.

    A record in a class of `sizes` cannot be distinguished from its class, a suppressed one from any record.
    Times the square of the number of records it is the discernibility metric.

    Notes
    -----
    Bayardo & Agrawal, "Data Privacy Through Optimal k-Anonymization", discernibility metric.

    Examples
    --------
    >>> discernibility(np.array([2, 3]), 6, 1)  # (4 + 9 + 6) / 36
    0.5277777777777778
    """
    return (int((sizes**2).sum()) + n_suppressed * n_records) / n_records**2
