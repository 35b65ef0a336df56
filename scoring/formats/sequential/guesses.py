# SPDX-License-Identifier: Apache-2.0
"""Guesses of sensitive values: attackers, and the scores of guesses."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from scoring.formats.sequential.boxes import Grid, Groups
from scoring.formats.sequential.counting import rows_left
from scoring.formats.sequential.tables import (
    FloatArray,
    Microdata,
    Release,
    by_text,
    lifespans,
    true_codes,
)
from scoring.scores.options import DECIMALS
from scoring.tables.equivalence import IntArray


def most_frequent_values(points: FloatArray, release: Release, n_values: int) -> IntArray:
    """The baseline guess: for each person the most frequent value where it may be in one release.

    For a person in no region, as after a deletion, a release discloses only how frequent its values are.

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
        Codes: of the values of all rows whose region contains the person, the most frequent one; where no
        region does, of all rows of the release. Of equally frequent ones the first. -1 where there are no rows.

    Examples
    --------
    >>> low, high = np.array([[0.0], [0.0], [4.0]]), np.array([[5.0], [5.0], [9.0]])
    >>> release = Release(np.array([1, 1, 2]), low, high, np.array([0, 1, 1]), None, {}, None)
    >>> most_frequent_values(np.array([[3.0], [4.0], [10.0]]), release, 2)
    array([0, 1, 1])
    """
    if not len(release.sensitive):
        return np.full(len(points), -1, dtype=np.int64)
    groups = Groups.of(release)
    distinct, which = np.unique(points, axis=0, return_inverse=True)
    counts = Grid.of(groups.low, groups.high).values(
        distinct, groups.starts, release.sensitive[groups.rows], n_values
    )
    most_of_all = np.bincount(release.sensitive, minlength=n_values).argmax()
    guess: IntArray = np.where(counts.any(axis=1), counts.argmax(axis=1), most_of_all)[which]
    return guess


def baseline_guesses(people: Microdata, releases: Sequence[Release]) -> IntArray:
    """For each person the most frequent value where it may be in the first release of its life.

    Parameters
    ----------
    people : Microdata
        Tables, or background tables: sensitive values are not looked at.
    releases : sequence of Release
        One for each snapshot.

    Returns
    -------
    int64 array, shape (n_ids,)
        Codes; the most frequent value of the whole release where no region holds the person, of equally
        frequent values the first in the order of their texts. -1 where a release has no rows.

    Examples
    --------
    >>> from scoring.formats.sequential.examples import SMALL
    >>> from scoring.formats.sequential.publishing import Options, publish
    >>> guesses = baseline_guesses(SMALL, publish(SMALL, Options(m=2)).releases)
    >>> values_of(guesses, SMALL)["Bob"]
    'bronchitis'
    """
    order, rank = by_text(people.sensitive_values)
    first, _last = lifespans(people)
    guesses = np.full(len(people.ids), -1, dtype=np.int64)
    for time, (snapshot, release) in enumerate(zip(people.snapshots, releases, strict=True)):
        new = first[snapshot.ids] == time
        if new.any():
            ranked = replace(release, sensitive=rank[release.sensitive])
            found = most_frequent_values(snapshot.qi[new], ranked, len(order))
            guesses[snapshot.ids[new]] = np.where(found < 0, -1, order[found])
    return guesses


def intersecting_guesses(people: Microdata, releases: Sequence[Release]) -> IntArray:
    """For each person the most frequent value of the rows that row counting over its whole life leaves.

    Parameters
    ----------
    people : Microdata
        Tables, or background tables: sensitive values are not looked at.
    releases : sequence of Release
        One for each snapshot.

    Returns
    -------
    int64 array, shape (n_ids,)
        Codes; of equally frequent values the baseline guess, else the first in the order of their
        texts. Where no row is left, the baseline guess.

    Notes
    -----
    The rows are those of `scoring.formats.sequential.counting`: of the last release in the person's life, with a value
    that every release of that life has in a region that contains the person.

    Examples
    --------
    >>> from scoring.formats.sequential.examples import SMALL
    >>> from scoring.formats.sequential.publishing import Options, publish
    >>> guesses = intersecting_guesses(SMALL, publish(SMALL, Options(m=2)).releases)
    >>> values_of(guesses, SMALL)["Bob"]
    'dyspepsia'
    """
    order, _rank = by_text(people.sensitive_values)
    guesses = baseline_guesses(people, releases)
    for ids, counts in rows_left(people, releases):
        scores = 2 * counts
        guessed = np.flatnonzero(guesses[ids] >= 0)
        scores[guessed, guesses[ids[guessed]]] += counts[guessed, guesses[ids[guessed]]] > 0
        found = order[scores[:, order].argmax(axis=1)]
        guesses[ids] = np.where(counts.any(axis=1), found, guesses[ids])
    return guesses


GUESSERS: dict[str, Callable[[Microdata, Sequence[Release]], IntArray]] = {
    "baseline": baseline_guesses,
    "intersection": intersecting_guesses,
}
"""Attackers by name; the rate of one is its hit rate above that of the first."""


def values_of(guesses: IntArray, people: Microdata) -> dict[str, str]:
    """Guessed codes as `{id: value}`, without those who are not guessed.

    Examples
    --------
    >>> from scoring.formats.sequential.examples import SMALL
    >>> values_of(np.array([0, -1, 2, -1, -1]), SMALL)
    {'Bob': 'dyspepsia', 'Andy': 'gastritis'}
    """
    return {
        id_: people.sensitive_values[code]
        for id_, code in zip(people.ids, guesses.tolist(), strict=True)
        if code >= 0
    }


def true_values(microdata: Microdata) -> dict[str, str]:
    """The sensitive value of every person, `{id: value}`.

    Examples
    --------
    >>> from scoring.formats.sequential.examples import SMALL
    >>> true_values(SMALL)["Emily"]
    'dyspepsia'
    """
    return values_of(true_codes(microdata), microdata)


@dataclass(frozen=True, slots=True)
class GuessMark:
    """The numbers of people guessed, and of right guesses."""

    n_people: int
    n_guesses: int
    hits: int
    rate: float


def mark_guesses(truth: Mapping[str, str], guesses: Mapping[str, str]) -> GuessMark:
    """Score guesses of sensitive values; a person who is not guessed is a miss.

    Parameters
    ----------
    truth : mapping
        Id to sensitive value, of all people of the background table.
    guesses : mapping
        Id to guessed value, of some of them; an empty value is no guess.

    Returns
    -------
    GuessMark
        `rate` is the share of all people whose value is guessed, from 0 to 1.

    Raises
    ------
    ValueError
        If there is no person, or a guess is about another person.

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


@dataclass(frozen=True, slots=True)
class ValueMark:
    """The hits of a guess, and of the baseline guess."""

    n_records: int
    hits: int
    baseline_hits: int
    rate: float


def mark_values(
    truth: Mapping[str, str], baseline: Mapping[str, str], guess: Mapping[str, str], *, m: int
) -> ValueMark:
    """Score guesses by the hit rate above the baseline.

    The baseline counts for at most one in m of the people: beyond that the publisher has disclosed the values, and must
    not benefit from it against every attacker.

    Parameters
    ----------
    truth : mapping
        Id to sensitive value, of all people of the tables.
    baseline, guess : mapping
        Id to guessed value; a missing person or an empty value is a miss.
    m : int
        How many different values each group has at least.

    Returns
    -------
    ValueMark
        `baseline_hits` is at most the number of people by m, rounded down. `rate` is
        max(0, (hits - baseline_hits) / people), from 0 to 1.

    Raises
    ------
    ValueError
        If there is no person, or a guess is about another person.

    Examples
    --------
    >>> truth = {"Bob": "flu", "Alice": "gastritis", "David": "flu"}
    >>> mark_values(truth, {"Bob": "flu"}, {"Bob": "flu", "David": "flu"}, m=2)
    ValueMark(n_records=3, hits=2, baseline_hits=1, rate=0.333333333)
    >>> mark_values(truth, truth, truth, m=3)
    ValueMark(n_records=3, hits=3, baseline_hits=1, rate=0.666666667)
    """
    hits, found = (mark_guesses(truth, made).hits for made in (guess, baseline))
    baseline_hits = min(found, len(truth) // m)
    rate = max(0.0, (hits - baseline_hits) / len(truth))
    return ValueMark(len(truth), hits, baseline_hits, round(rate, DECIMALS))
