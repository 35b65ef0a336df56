"""Attacks that sort both tables and match equal ranks."""

from __future__ import annotations

import numpy as np

from scoring.equivalence import FloatArray, IntArray


def rank_guess(original: FloatArray, anonymized: FloatArray) -> IntArray:
    """The original at each record's rank; equal values in row order, -1 beyond the last original."""
    guess = np.full(len(anonymized), -1, dtype=np.int64)
    n_matched = min(len(original), len(anonymized))
    ranked = np.argsort(anonymized, kind="stable")[:n_matched]
    guess[ranked] = np.argsort(original, kind="stable")[:n_matched]
    return guess


def rank_probabilities(
    original: FloatArray, anonymized: FloatArray, source: IntArray, *, ties: str = "expected"
) -> FloatArray:
    """How likely rank matching links each record to its declared source.

    Equal values span a block of ranks, [a, b) in the anonymized table and [c, d) in the original:
    in random order within the blocks the two meet with probability |[a,b) ∩ [c,d)| / ((b-a)(d-c)).
    With `ties="strict"` only blocks of one rank count, with `ties="first"` rows decide.
    """
    if ties == "first":
        is_hit: FloatArray = (rank_guess(original, anonymized) == source).astype(np.float64)
        return is_hit
    a, b = _block(np.sort(anonymized), anonymized)
    c, d = _block(np.sort(original), original[source])
    shared = np.maximum(np.minimum(b, d) - np.maximum(a, c), 0)
    pairs = (b - a) * (d - c)
    probabilities: FloatArray = shared / pairs
    return np.where(pairs == 1, probabilities, 0.0) if ties == "strict" else probabilities


def _block(ordered: FloatArray, values: FloatArray) -> tuple[IntArray, IntArray]:
    return np.searchsorted(ordered, values, "left"), np.searchsorted(ordered, values, "right")
