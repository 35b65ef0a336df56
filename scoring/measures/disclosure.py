# SPDX-License-Identifier: Apache-2.0
"""Disclosure as regulators name it: singling out, linkability and inference, each against strangers too.

An attack that succeeds says little: what holds for all people can be inferred about anyone. So
each attack is run three times: on records of X (main), on records of a control table that Y was not
made from (control), and by guessing at random (baseline). The risk is what the main attack has over
the control. The three attacks and the risk are those of Giomi et al., “A unified framework for
quantifying privacy risk in synthetic data”; the three kinds of disclosure those of the Article 29
Working Party, “Opinion 05/2014 on anonymisation techniques”.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from scoring.measures.learning import target_column
from scoring.measures.neighbours import several_nearest
from scoring.measures.predicates import isolates, isolating, random_predicates
from scoring.reporting.intervals import CONFIDENCE, Interval, Rate, difference, risk_over_control
from scoring.scores.coding import Coded, CodedTable, sample, scored
from scoring.scores.comparison import Comparison, Options
from scoring.scores.controls import attacked_tables
from scoring.tables.equivalence import FloatArray, IntArray
from scoring.tables.schema import Role

DEFAULT = Options()
N_ATTACKS = 500
TOLERANCE = 0.05
"""A number is inferred where the guess is off by at most this share of it."""


@dataclass(frozen=True, slots=True)
class Disclosure:
    """Disclosure: the result of an attack, compared with a control and with random guesses.

    Attributes
    ----------
    n_attacks : int
        Attacks of each kind; fewer than were asked for where there are fewer targets.
    main, control, baseline : Rate
        The shares of attacks that succeed on records of X, on records of the control table, and by
        guessing at random about records of X, each with its Wilson interval.
    risk : Interval
        (main - control) / (1 - control), from 0 to 1. It is not below 0 where the control is as good, so
        that its mean is above 0 where the release gives nothing away.
    difference : Interval
        main - control, from -1 to 1, whose mean is 0 then.
    mode : Rate or None
        The share of attacks on records of X that succeed where the most frequent value of Y is guessed, of
        numbers the median; None but for inference.
    """

    n_attacks: int
    main: Rate
    control: Rate
    baseline: Rate
    risk: Interval
    difference: Interval
    mode: Rate | None = None

    @property
    def is_above_control(self) -> bool:
        """True if the interval of the difference lies above 0."""
        return self.difference.low > 0

    @classmethod
    def of(
        cls,
        n_attacks: int,
        hits: tuple[int, int, int],
        confidence: float,
        mode: int | None = None,
    ) -> Disclosure:
        """From the hits of the main attack, the control attack, the baseline and the mode."""
        main, control, baseline = (Rate.of(n_hits, n_attacks, confidence) for n_hits in hits)
        risk, apart = Interval(0.0, 0.0, 1.0), Interval(0.0, -1.0, 1.0)
        if n_attacks:
            of_both = hits[0], n_attacks, hits[1], n_attacks, confidence
            risk, apart = risk_over_control(*of_both), difference(*of_both)
        guessed = None if mode is None else Rate.of(mode, n_attacks, confidence)
        return cls(n_attacks, main, control, baseline, risk, apart, guessed)


def singling_out_risk(comparison: Comparison, options: Options = DEFAULT) -> float | None:
    """Advantage of Y in singling out one record of X, compared with one of a control table.

    The attacker has Y only. From random records he makes conditions on up to six columns (equal to
    a category's value; at least a number above the median, at most one below) that exactly one record
    of Y fulfils, and succeeds where exactly one record of X does. Risk: (main - control) / (1 -
    control) of 500 attacks on X and on the control table.

    Parameters
    ----------
    comparison : Comparison
        X with a control table prepared with it, Y and, where the control table is smaller than X,
        the declared rows: then the attack takes place on as many random records of X and on what of
        Y was made from them, for a condition singles out more easily among fewer records.
    options : Options
        `seed`: where drawing records and columns begins.

    Returns
    -------
    float or None
        0 where the release helps no more against X than against strangers, or no condition holds for
        only one record of Y; 1 if every condition singles out a record of X and none a control record.
        None without a control table or without a scored column.

    Notes
    -----
    Giomi et al., “A unified framework for quantifying privacy risk in synthetic data”, section on
    singling out, the multivariate attack. The intervals come with
    `scoring.measures.disclosure.singling_out`.

    Examples
    --------
    >>> from scoring.examples import comparison
    >>> singling_out_risk(comparison("noise")) is None  # no control table
    True
    """
    return _risk(_singled_out(comparison, options))


def linkability_risk(comparison: Comparison, options: Options = DEFAULT) -> float | None:
    """Advantage of Y in linking two parts of a record of X, compared with a control record.

    The attacker has Y and two sets of columns of a target, without knowing that they belong together:
    its quasi-identifiers and its sensitive columns (where one of these is missing: every other scored
    column). He succeeds where the record of Y nearest to the one set is that nearest to the other.
    Risk: (main - control) / (1 - control) of up to 500 attacks each.

    Parameters
    ----------
    comparison : Comparison
        X with a control table prepared with it, and Y; the declared rows play no part.
    options : Options
        `seed`: which targets are drawn, and which of several equally near records is taken.

    Returns
    -------
    float or None
        0 where records of X are linked no more often than strangers, 1 where all of them are and no
        stranger. None without a control table or with fewer than two scored columns.

    Notes
    -----
    Giomi et al., “A unified framework for quantifying privacy risk in synthetic data”, section on
    linkability, with one neighbour. The intervals come with `scoring.measures.disclosure.linkability`.

    Examples
    --------
    >>> from scoring.examples import comparison
    >>> linkability_risk(comparison("noise")) is None  # no control table
    True
    """
    return _risk(_linked(comparison, options))


def inference_risk(comparison: Comparison, options: Options = DEFAULT) -> float | None:
    """Advantage of Y in inferring a secret of a record of X, compared with a control record.

    The attacker has Y and all scored columns of a target but one, and guesses the value that the
    nearest record of Y has in it. A category must be equal, a number off by at most 5 % of the true
    one. Risk: (main - control) / (1 - control) of up to 500 attacks each.

    Parameters
    ----------
    comparison : Comparison
        X with a control table prepared with it, and Y; the declared rows play no part. The secret
        is E2's column, else the first sensitive one, else the first category.
    options : Options
        `seed`: which targets are drawn, and which of several equally near records is taken.

    Returns
    -------
    float or None
        0 where records of X are inferred no more often than strangers, 1 where all of them are and no
        stranger. None without a control table, without a column to infer or others to infer it from.

    Notes
    -----
    Giomi et al., “A unified framework for quantifying privacy risk in synthetic data”, section on
    inference. The bound of the error is taken from the true value and never divides by a guess, which
    may be 0 or negative. The intervals come with `scoring.measures.disclosure.inference`.

    Examples
    --------
    >>> from scoring.examples import comparison
    >>> inference_risk(comparison("noise")) is None  # no control table
    True
    """
    return _risk(_inferred(comparison, options))


def _risk(found: Disclosure | None) -> float | None:
    return None if found is None else found.risk.value


def _singled_out(comparison: Comparison, options: Options) -> Disclosure | None:
    if comparison.prepared.control is None or not scored(comparison.schema):
        return None
    return singling_out(comparison, rng=np.random.default_rng(options.seed))


def _linked(comparison: Comparison, options: Options) -> Disclosure | None:
    if comparison.prepared.control is None or len(scored(comparison.schema)) < 2:
        return None
    return linkability(comparison, rng=np.random.default_rng(options.seed))


def _inferred(comparison: Comparison, options: Options) -> Disclosure | None:
    schema = comparison.schema
    is_possible = target_column(schema) is not None and len(scored(schema)) > 1
    if comparison.prepared.control is None or not is_possible:
        return None
    return inference(comparison, rng=np.random.default_rng(options.seed))


DISCLOSURES: dict[str, Callable[[Comparison, Options], Disclosure | None]] = {
    "singling-out": _singled_out,
    "linkability": _linked,
    "inference": _inferred,
}
"""The disclosures that the measures of these identifiers are risks of; None if the measure is None."""


def singling_out(
    comparison: Comparison,
    *,
    rng: np.random.Generator,
    n_attacks: int = N_ATTACKS,
    confidence: float = CONFIDENCE,
) -> Disclosure:
    """Attack with conditions that single out one record of Y; see `singling_out_risk`.

    Parameters
    ----------
    comparison : Comparison
        With a control table.
    rng : Generator
    n_attacks : int
        At most so many different conditions; fewer if fewer are found in 20 attempts each.
    confidence : float
        Of all intervals.

    Returns
    -------
    Disclosure
        The baseline are conditions on values drawn for each column by itself, with a random side.

    Raises
    ------
    ValueError
        Where there is no control table, the control table has X's records, there is no scored column,
        or a number is out of range.
    """
    coded, people, release, strangers = attacked_tables(comparison, n_attacks, confidence)
    n = min(len(people), len(strangers))
    people, release = sample(people, release, comparison.declared, n, rng=rng)
    if n < len(strangers):
        strangers = strangers.take(np.sort(rng.choice(len(strangers), n, replace=False)))
    if not len(release):  # every drawn record was deleted
        return Disclosure.of(0, (0, 0, 0), confidence)
    predicates = isolating(coded, release, n_attacks, rng=rng)
    guesses = random_predicates(coded, release, predicates, rng=rng)
    hits = (
        int(isolates(predicates, people).sum()),
        int(isolates(predicates, strangers).sum()),
        int(isolates(guesses, people).sum()),
    )
    return Disclosure.of(len(predicates), hits, confidence)


def linkability(
    comparison: Comparison,
    *,
    rng: np.random.Generator,
    n_attacks: int = N_ATTACKS,
    columns: tuple[Sequence[str], Sequence[str]] | None = None,
    n_neighbours: int = 1,
    confidence: float = CONFIDENCE,
) -> Disclosure:
    """Attack by linking two sets of columns through Y; see `linkability_risk`.

    Parameters
    ----------
    comparison : Comparison
        With a control table.
    rng : Generator
    n_attacks : int
        At most so many targets of each kind, all different.
    columns : pair of sequences of str, optional
        The two sets, disjoint; quasi-identifiers and sensitive columns by default.
    n_neighbours : int
        The attack succeeds where one of so many records nearest to the one set is one of those nearest to
        the other.
    confidence : float
        Of all intervals.

    Returns
    -------
    Disclosure
        The baseline takes two records of Y at random, or twice `n_neighbours`.

    Raises
    ------
    ValueError
        Where there is no control table, the control table has X's records, a set of columns is empty,
        unknown or overlaps the other, or a number is out of range.
    """
    coded, people, release, strangers = attacked_tables(comparison, n_attacks, confidence)
    _check_neighbours(n_neighbours)
    one, other = _two_sets(coded, columns)
    n = min(n_attacks, len(people), len(strangers))
    hits = []
    for table in (people, strangers):
        targets = _draw(table, n, rng)
        first = several_nearest(coded, targets, release, one, n_neighbours, rng=rng)
        second = several_nearest(coded, targets, release, other, n_neighbours, rng=rng)
        hits.append(_n_meeting(first, second))
    if n_neighbours == 1:
        guesses = rng.integers(len(release), size=(2, n))[:, :, None]
    else:
        size = min(n_neighbours, len(release))
        drawn = [rng.choice(len(release), size, replace=False) for _ in range(2 * n)]
        guesses = np.reshape(drawn, (2, n, size))
    hits.append(_n_meeting(guesses[0], guesses[1]))
    return Disclosure.of(n, (hits[0], hits[1], hits[2]), confidence)


def inference(
    comparison: Comparison,
    *,
    rng: np.random.Generator,
    n_attacks: int = N_ATTACKS,
    secret: str | None = None,
    known: Sequence[str] | None = None,
    tolerance: float = TOLERANCE,
    n_neighbours: int = 1,
    confidence: float = CONFIDENCE,
) -> Disclosure:
    """Attack by reading a secret from the nearest record of Y; see `inference_risk`.

    Parameters
    ----------
    comparison : Comparison
        With a control table.
    rng : Generator
    n_attacks : int
        At most so many targets of each kind, all different.
    secret : str, optional
        The scored column that is inferred; E2's column, else the first sensitive one, else the first
        category by default.
    known : sequence of str, optional
        The columns that the attacker knows; all other scored ones by default.
    tolerance : float
        A number is right where \\|guess - truth\\| <= tolerance \\|truth\\|.
    n_neighbours : int
        The guess is the most frequent value of so many nearest records, of equally frequent ones the first
        in sorted order; of numbers the median.
    confidence : float
        Of all intervals.

    Returns
    -------
    Disclosure
        The baseline guesses the value of a random record of Y, the mode the most frequent value.

    Raises
    ------
    ValueError
        Where there is no control table, the control table has X's records, a column is unknown or the
        secret is known, or a number is out of range.
    """
    coded, people, release, strangers = attacked_tables(comparison, n_attacks, confidence)
    _check_neighbours(n_neighbours)
    if tolerance < 0:
        raise ValueError(f"tolerance: expected at least 0, got {tolerance}")
    place = _positions(coded, [secret or target_column(comparison.schema) or ""], "secret")[0]
    others = [i for i in range(len(coded.columns)) if i != place]
    columns = others if known is None else _positions(coded, known, "known")
    if place in columns or not columns:
        raise ValueError("known: expected one or more columns other than the secret")
    n = min(n_attacks, len(people), len(strangers))
    hits = []
    for table in (people, strangers):
        targets = _draw(table, n, rng)
        found = several_nearest(coded, targets, release, columns, n_neighbours, rng=rng)
        guess = _typical(release.columns[place][found], coded.n_levels[place])
        hits.append(_n_right(coded, place, targets, guess, tolerance))
    guess = release.columns[place][rng.integers(len(release), size=n)]
    targets = _draw(people, n, rng)
    hits.append(_n_right(coded, place, targets, guess, tolerance))
    guess = _typical(release.columns[place][None], coded.n_levels[place])
    mode = _n_right(coded, place, targets, guess, tolerance)
    return Disclosure.of(n, (hits[0], hits[1], hits[2]), confidence, mode)


def _check_neighbours(n_neighbours: int) -> None:
    if n_neighbours < 1:
        raise ValueError(f"n_neighbours: expected at least 1, got {n_neighbours}")


def _n_meeting(one: IntArray, other: IntArray) -> int:
    """In how many rows some number of the one is one of the other."""
    return int((one[:, :, None] == other[:, None, :]).any(axis=(1, 2)).sum())


def _typical(values: FloatArray | IntArray, n_levels: int) -> FloatArray | IntArray:
    """Of each row the most frequent code, of equally frequent ones the lowest; of numbers the median."""
    if values.shape[1] == 1:
        return values[:, 0]
    if not n_levels:
        return np.asarray(np.median(values, axis=1))
    return np.array([np.bincount(row, minlength=n_levels).argmax() for row in values])


def _two_sets(
    coded: Coded, columns: tuple[Sequence[str], Sequence[str]] | None
) -> tuple[list[int], list[int]]:
    if columns is not None:
        one, other = (_positions(coded, names, "columns") for names in columns)
    else:
        is_known = [column.role is Role.QUASI_IDENTIFIER for column in coded.columns]
        if all(is_known) or not any(is_known):
            is_known = [i % 2 == 0 for i in range(len(coded.columns))]
        one = [i for i, known in enumerate(is_known) if known]
        other = [i for i, known in enumerate(is_known) if not known]
    if not one or not other or set(one) & set(other):
        raise ValueError("columns: expected two disjoint sets of one or more columns")
    return one, other


def _positions(coded: Coded, names: Sequence[str], argument: str) -> list[int]:
    known = {column.name: position for position, column in enumerate(coded.columns)}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise ValueError(f"{argument}: expected scored columns, got {', '.join(unknown)}")
    return [known[name] for name in names]


def _draw(table: CodedTable, n: int, rng: np.random.Generator) -> CodedTable:
    """`n` different records."""
    return table.take(rng.choice(len(table), n, replace=False))


def _n_right(
    coded: Coded,
    place: int,
    targets: CodedTable,
    guess: FloatArray | IntArray,
    tolerance: float,
) -> int:
    truth = targets.columns[place]
    if coded.n_levels[place]:
        return int((guess == truth).sum())
    return int((np.abs(guess - truth) <= tolerance * np.abs(truth)).sum())
