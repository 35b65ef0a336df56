"""Guesses of sensitive values: the one that anybody can make, and how guesses are marked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from scoring.equivalence import IntArray
from scoring.ranking import DECIMALS
from scoring.sequential.boxes import Grid, Groups
from scoring.sequential.tables import FloatArray, Release


def most_frequent_values(points: FloatArray, release: Release, n_values: int) -> IntArray:
    """The baseline guess: for each person the most frequent value where it may be in one release.

    Parameters
    ----------
    points : float64 array, shape (n, d)
        The quasi-identifiers of the people of a background table, categories as codes.
    release : Release
        Of one time at which all of them live.
    n_values : int
        The number of sensitive values.

    Returns
    -------
    int64 array, shape (n,)
        Codes: of the values of all rows whose box holds the person, the most frequent one; of
        equally frequent ones the first. -1 where no box does.

    Examples
    --------
    >>> low, high = np.array([[0.0], [0.0], [4.0]]), np.array([[5.0], [5.0], [9.0]])
    >>> release = Release(np.array([1, 1, 2]), low, high, np.array([0, 1, 1]), None, {}, None)
    >>> most_frequent_values(np.array([[3.0], [4.0], [10.0]]), release, 2)
    array([ 0,  1, -1])
    """
    groups = Groups.of(release)
    distinct, which = np.unique(points, axis=0, return_inverse=True)
    counts = Grid.of(groups.low, groups.high).values(
        distinct, groups.starts, release.sensitive[groups.rows], n_values
    )
    guess: IntArray = np.where(counts.any(axis=1), counts.argmax(axis=1), -1)[which]
    return guess


@dataclass(frozen=True, slots=True)
class GuessMark:
    """How many of the people were guessed, and how many of the guesses are right."""

    n_people: int
    n_guesses: int
    hits: int
    rate: float


def mark_guesses(truth: Mapping[str, str], guesses: Mapping[str, str]) -> GuessMark:
    """Mark guesses of sensitive values; who is not guessed is guessed wrong.

    Parameters
    ----------
    truth : mapping
        Id to sensitive value, of everybody in the background table.
    guesses : mapping
        Id to guessed value, of some of them; an empty value is no guess.

    Returns
    -------
    GuessMark
        `rate` is the share of all people whose value is guessed, from 0 to 1.

    Raises
    ------
    ValueError
        Where there is nobody, or a guess is about somebody else.

    Examples
    --------
    >>> truth = {"Bob": "flu", "Alice": "gastritis", "David": "flu"}
    >>> mark_guesses(truth, {"Bob": "flu", "Alice": "flu"})
    GuessMark(n_people=3, n_guesses=2, hits=1, rate=0.333333333)
    """
    if not truth:
        raise ValueError("expected at least one person")
    if unknown := guesses.keys() - truth.keys():
        raise ValueError(f"expected guesses about people of the table, got {min(unknown)!r}")
    made = {id_: value for id_, value in guesses.items() if value}
    hits = sum(truth[id_] == value for id_, value in made.items())
    return GuessMark(len(truth), len(made), hits, round(hits / len(truth), DECIMALS))
