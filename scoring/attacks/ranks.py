# SPDX-License-Identifier: Apache-2.0
"""Attacks that sort both tables and match equal ranks."""

from __future__ import annotations

import numpy as np

from scoring.tables.equivalence import FloatArray, IntArray


def rank_guess(original: FloatArray, anonymized: FloatArray) -> IntArray:
    """The original at each record's rank; equal values in row order, -1 beyond the last original."""
    guess = np.full(len(anonymized), -1, dtype=np.int64)
    n_matched = min(len(original), len(anonymized))
    ranked = np.argsort(anonymized, kind="stable")[:n_matched]
    guess[ranked] = np.argsort(original, kind="stable")[:n_matched]
    return guess
