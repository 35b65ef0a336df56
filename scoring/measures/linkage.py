"""Re-identification rates of E1–E4, EUC1 and EUC2.

The attacker has all of the original table and the anonymized one with its records shuffled, and
does not know the declared rows. The rate is hits / n_anonymized: Ito & Kikuchi, PWSCup 2015
evaluation, §2.3, says "of the original data", but its Table 11 for deleted records (.067 = 6/90)
divides by the anonymized ones; the option `denominator` takes either.

A row order decides nothing: among t equally good originals, the declared one among them, a record
counts 1/t. The options `ties` count a tie as a miss, or let the lowest row number decide.
"""

from __future__ import annotations

import numpy as np

from scoring.attacks import quasi_identifiers as attacks
from scoring.attacks.ranks import rank_guess
from scoring.comparison import ColumnIndex, Comparison, Options, row_sums
from scoring.equivalence import FloatArray, IntArray, NumberArray
from scoring.kernels import amounts, values
from scoring.kernels.parts import in_parts

DEFAULT = Options()


def random_in_class(comparison: Comparison, options: Options = DEFAULT) -> float:
    """Rate of E1: a random original among those with the record's quasi-identifiers.

    The attacker knows the quasi-identifiers of everyone and uses nothing else. A record whose
    quasi-identifiers no original has is a miss.

    Parameters
    ----------
    comparison : Comparison
        X with n_original and Y with n_anonymized records, and the declared rows.
    options : Options
        `ties`, `denominator`.

    Returns
    -------
    float
        0 where nobody is found, 1 where everybody is; lower is safer. Without quasi-identifiers
        all originals are one class.

    Notes
    -----
    identify.rand, §2.3.1 of the paper. Its rate is that of one random draw; this is its
    expectation, which is why the paper's 1 for an original with 97 classes in 100 records is .97
    here.

    Examples
    --------
    >>> from scoring.examples import comparison
    >>> random_in_class(comparison("unified"))
    0.25
    """
    if options.ties == "first":
        return _marked(comparison, options, attacks.lowest_of_class(comparison.released)) or 0.0
    ties = np.zeros(comparison.n_records, dtype=np.int32)
    matched = comparison.matched
    ties[matched] = comparison.prepared.index.sizes[comparison.own_class[matched]]
    return _rate(comparison, options, ties)


def nearest_value_in_class(comparison: Comparison, options: Options = DEFAULT) -> float | None:
    """Rate of E2: the nearest in one sensitive column among those with the quasi-identifiers.

    The attacker knows the quasi-identifiers and the schema's E2 column of everyone. Where no
    original has the record's quasi-identifiers, the nearest over all originals.

    Parameters
    ----------
    comparison : Comparison
        X with n_original and Y with n_anonymized records, and the declared rows.
    options : Options
        `ties`, `denominator`.

    Returns
    -------
    float or None
        0 where nobody is found, 1 where everybody is; lower is safer. None where the schema names
        no E2 column.

    Notes
    -----
    identify.sa, §2.3.2 of the paper (column 15). The paper states the fallback only as a guess, in
    §4.5; its Table 11 (1 for unified quasi-identifiers) needs it.

    Examples
    --------
    >>> from scoring.examples import comparison
    >>> nearest_value_in_class(comparison("swapped"))
    0.5
    """
    index = comparison.prepared.e2
    if index is None:
        return None
    if options.ties == "first":
        guess = attacks.nearest_value_in_class(comparison.released)
        return _marked(comparison, options, guess)
    ties = np.zeros(comparison.n_records, dtype=np.int32)
    column = _column(comparison, index)
    places = comparison.alignment.places
    index.in_classes.count_as_near(
        column,
        comparison.own_class,
        comparison.matched,
        index.places_in_classes[places],
        ties,
        comparison.threads,
    )
    _count_anywhere(comparison, index, column, comparison.unmatched, ties)
    return _rate(comparison, options, ties)


def rank_of_sum(comparison: Comparison, options: Options = DEFAULT) -> float | None:
    """Rate of E3: sort both tables by the sum of the sensitive columns, match equal ranks.

    The attacker knows the sensitive columns of everyone and uses no quasi-identifier.

    Parameters
    ----------
    comparison : Comparison
        X with n_original and Y with n_anonymized records, and the declared rows.
    options : Options
        `ties`, `denominator`. Equal sums are in random order, so that two blocks of equal sums
        that share m ranks meet in a given pair with probability m / (their sizes' product); with
        "first" they are in row order, the one choice that depends on the order of Y.

    Returns
    -------
    float or None
        0 where nobody is found, 1 where everybody is; lower is safer. None without a numeric
        sensitive column.

    Notes
    -----
    identify.sort, §2.3.3 of the paper, which does not speak of equal sums.

    Examples
    --------
    >>> from scoring.examples import comparison
    >>> rank_of_sum(comparison("swapped"))
    0.25
    """
    if not comparison.schema.sensitive_numeric:
        return None
    if options.ties == "first":
        sums = row_sums(comparison.sensitive)
        return _marked(comparison, options, rank_guess(comparison.prepared.sums, sums))
    sums = row_sums(comparison.alignment.rows, comparison.threads)
    shares = _shares_of_ranks(comparison, sums)
    if options.ties == "strict":
        shares[shares != 1.0] = 0.0  # 1/t of t ranks, which is 1 where both blocks are one rank
    return _share(comparison, options, amounts.add_all(shares))


def nearest_value(comparison: Comparison, options: Options = DEFAULT) -> float | None:
    """Rate of E4: the nearest original in one sensitive column.

    The attacker knows the schema's E4 column of everyone and uses nothing else.

    Parameters
    ----------
    comparison : Comparison
        X with n_original and Y with n_anonymized records, and the declared rows.
    options : Options
        `ties`, `denominator`. With "strict", 76 zeros in 100 records leave at most .24.

    Returns
    -------
    float or None
        0 where nobody is found, 1 where everybody is; lower is safer. None where the schema names
        no E4 column.

    Notes
    -----
    identify.sa21, §2.3.4 of the paper (column 21). The text says the nearest value; the figure for
    deleted records in its Table 11 (.089) fits matching by rank instead, which is the attack
    E4-rank here. The paper counts a tie as a miss.

    Examples
    --------
    >>> from scoring.examples import comparison
    >>> nearest_value(comparison("noise"))
    1.0
    """
    index = comparison.prepared.e4
    if index is None:
        return None
    if options.ties == "first":
        return _marked(comparison, options, attacks.nearest_value(comparison.released))
    ties = np.zeros(comparison.n_records, dtype=np.int32)
    everyone = np.arange(comparison.n_records, dtype=np.int32)
    _count_anywhere(comparison, index, _column(comparison, index), everyone, ties)
    return _rate(comparison, options, ties)


def nearest_point_in_class(comparison: Comparison, options: Options = DEFAULT) -> float | None:
    """Rate of EUC1: the nearest by Euclidean distance among those with the quasi-identifiers.

    The attacker knows everything of everyone. Distances are over all sensitive columns. Where no
    original has the record's quasi-identifiers, the option `no_match` decides.

    Parameters
    ----------
    comparison : Comparison
        X with n_original and Y with n_anonymized records, and the declared rows.
    options : Options
        `ties`, `denominator`, `no_match`.

    Returns
    -------
    float or None
        0 where nobody is found, 1 where everybody is; lower is safer. None without a numeric
        sensitive column.

    Notes
    -----
    identify.euc, EUC1 in §3.2 of the paper, which without a match returns the record's own
    position (`no_match="own_row"`). In a file that was never shuffled that is the answer itself;
    contests therefore score with "miss". A tie is equality of the sums of squares in 64-bit floats,
    added column by column.

    Examples
    --------
    >>> from scoring.examples import comparison
    >>> nearest_point_in_class(comparison("unified"))
    0.5
    >>> nearest_point_in_class(comparison("unified"), Options(no_match="own_row"))
    1.0
    """
    return _rate_of_points(comparison, options, options.no_match)


def nearest_point(comparison: Comparison, options: Options = DEFAULT) -> float | None:
    """Rate of EUC2: as EUC1, and without a match the nearest over all originals.

    The attacker knows everything of everyone. Distances are over all sensitive columns.

    Parameters
    ----------
    comparison : Comparison
        X with n_original and Y with n_anonymized records, and the declared rows.
    options : Options
        `ties`, `denominator`.

    Returns
    -------
    float or None
        0 where nobody is found, 1 where everybody is; lower is safer. None without a numeric
        sensitive column.

    Notes
    -----
    identify.euc, EUC2 in §3.2 of the paper, which gave it up on 8,333 records for its running time.

    Examples
    --------
    >>> from scoring.examples import comparison
    >>> nearest_point(comparison("averaged"))
    0.5
    """
    return _rate_of_points(comparison, options, "all")


def _rate_of_points(comparison: Comparison, options: Options, no_match: str) -> float | None:
    index = comparison.prepared.index.anywhere
    if index is None:
        return None
    if options.ties == "first":
        guess = attacks.nearest_point(comparison.released, no_match=no_match)
        return _marked(comparison, options, guess)
    ties = comparison.as_near_in_class.copy()
    unmatched = comparison.unmatched
    if no_match == "all" and len(unmatched):
        index.count_as_near(
            comparison.alignment.rows,
            np.zeros_like(ties),
            unmatched,
            comparison.prepared.anywhere_at[comparison.alignment.places],
            ties,
            comparison.threads,
        )
    elif no_match == "own_row":
        records = comparison.alignment.record[unmatched]
        ties[unmatched] = comparison.source[records] == records
    return _rate(comparison, options, ties)


def _column(comparison: Comparison, index: ColumnIndex) -> FloatArray:
    position = comparison.schema.sensitive_numeric.index(index.name)
    return np.ascontiguousarray(comparison.alignment.rows[:, position])


def _count_anywhere(
    comparison: Comparison,
    index: ColumnIndex,
    column: FloatArray,
    queries: NumberArray,
    ties: NumberArray,
) -> None:
    places = index.places_anywhere[comparison.alignment.places]
    everyone = np.zeros_like(ties)
    threads = comparison.threads
    index.anywhere.count_as_near(column, everyone, queries, places, ties, threads)


def _shares_of_ranks(comparison: Comparison, sums: FloatArray) -> FloatArray:
    """How likely each record has its source's rank, equal sums being in random order."""
    ordered, shares = np.sort(sums), np.empty(len(sums))
    low = comparison.prepared.rank_low[comparison.alignment.places]
    high = comparison.prepared.rank_high[comparison.alignment.places]

    def work(begin: int, end: int) -> None:
        values.meet_by_rank(ordered, sums, low, high, begin, end, shares)

    in_parts(len(sums), comparison.threads, work)
    return shares


def _rate(comparison: Comparison, options: Options, ties: NumberArray) -> float:
    """The rate where each record has so many equally good originals, 0 where it is a miss."""
    if options.ties == "strict":
        return _share(comparison, options, int((ties == 1).sum()))
    return _share(comparison, options, amounts.add_shares(ties))


def _marked(comparison: Comparison, options: Options, guess: IntArray | None) -> float | None:
    """The rate of one definite guess for each record."""
    if guess is None:
        return None
    return _share(comparison, options, int((guess == comparison.source).sum()))


def _share(comparison: Comparison, options: Options, hits: float) -> float:
    is_original = options.denominator == "original"
    return hits / (comparison.prepared.n_records if is_original else comparison.n_records)
