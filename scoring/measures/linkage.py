# SPDX-License-Identifier: Apache-2.0
"""Re-identification rates of E1–E4, EUC1 and EUC2, and of the strongest fast attacker.

The attacker has all of the original table and the anonymized one with its records shuffled, and
does not know the declared rows. The rate is hits / n_anonymized: Ito & Kikuchi, PWSCup 2015
evaluation, §2.3, says "of the original data", but its Table 11 for deleted records (.067 = 6/90)
divides by the anonymized ones; the option `denominator` takes either.

A row order decides nothing: among t equally good originals, the declared one among them, a record
counts 1/t. The options `ties` count a tie as a miss, or let the lowest row number decide.
"""

from __future__ import annotations

import numpy as np

from scoring.attacks import quasi_identifiers as guesses
from scoring.attacks import ties
from scoring.attacks.ranks import rank_guess
from scoring.attacks.strongest import strongest_attack
from scoring.kernels import amounts
from scoring.scores.alignment import frame_of
from scoring.scores.comparison import Comparison, Options, row_sums
from scoring.tables.equivalence import IntArray, NumberArray

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
        0 if no record is found, 1 if all are; lower is safer. Without quasi-identifiers
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
        return _marked(comparison, options, guesses.lowest_of_class(comparison.released)) or 0.0
    return _rate(comparison, options, ties.same_class(comparison))


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
        0 if no record is found, 1 if all are; lower is safer. None where the schema names
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
    if comparison.prepared.e2 is None:
        return None
    if options.ties == "first":
        return _marked(comparison, options, guesses.nearest_value_in_class(comparison.released))
    return _rate(comparison, options, ties.nearest_value_in_class(comparison))


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
        0 if no record is found, 1 if all are; lower is safer. None without a numeric
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
    shares = ties.shares_of_ranks(comparison)
    if options.ties == "strict":
        shares[shares != 1.0] = 0.0  # which it is where both blocks are of one rank
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
        0 if no record is found, 1 if all are; lower is safer. None where the schema names
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
    if comparison.prepared.e4 is None:
        return None
    if options.ties == "first":
        return _marked(comparison, options, guesses.nearest_value(comparison.released))
    return _rate(comparison, options, ties.nearest_value(comparison))


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
        0 if no record is found, 1 if all are; lower is safer. None without a numeric
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
        0 if no record is found, 1 if all are; lower is safer. None without a numeric
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


def strongest(comparison: Comparison, options: Options = DEFAULT) -> float | None:
    """Highest rate of the library's fast attackers: a first impression of what other teams will reach.

    The attackers are those of `scoring.attacks.strongest`; each names one original for each record.

    Parameters
    ----------
    comparison : Comparison
        X with n_original and Y with n_anonymized records, and the declared rows.
    options : Options
        `seed`: the order in which equally good originals are drawn, and which 500 records of Y are attacked where
        either table has more than 1,000.

    Returns
    -------
    float or None
        0 if no attacker finds a record, 1 if one of them finds all; lower is safer. None where no attacker has the
        columns that it needs.

    Notes
    -----
    The worst case over several attackers, as in the cups since 2019, before other teams attack. It follows the
    declared rows: a table of true records under other rows is found by `verbatim` or `nearest-link`.

    Examples
    --------
    >>> from scoring.examples import comparison
    >>> strongest(comparison("noise")), strongest(comparison("unified"))
    (1.0, 1.0)
    """
    order = np.argsort(comparison.source)  # so that the order of the records decides nothing
    found = strongest_attack(
        frame_of(comparison.prepared.original),  # nor that of the codes of its values
        comparison.anonymized.iloc[order].reset_index(drop=True),
        comparison.source[order],
        comparison.schema,
        rng=np.random.default_rng(options.seed),
    )
    return None if found is None else found.found.value


def _rate_of_points(comparison: Comparison, options: Options, no_match: str) -> float | None:
    if not comparison.schema.sensitive_numeric:
        return None
    if options.ties == "first":
        guess = guesses.nearest_point(comparison.released, no_match=no_match)
        return _marked(comparison, options, guess)
    return _rate(comparison, options, ties.nearest_point(comparison, no_match=no_match))


def _rate(comparison: Comparison, options: Options, found: NumberArray) -> float:
    """The rate where each record has so many equally good originals, 0 where it is a miss."""
    if options.ties == "strict":
        return _share(comparison, options, int((found == 1).sum()))
    return _share(comparison, options, amounts.add_shares(found))


def _marked(comparison: Comparison, options: Options, guess: IntArray | None) -> float | None:
    """The rate of one definite guess for each record."""
    if guess is None:
        return None
    return _share(comparison, options, int((guess == comparison.source).sum()))


def _share(comparison: Comparison, options: Options, hits: float) -> float:
    is_original = options.denominator == "original"
    return hits / (comparison.prepared.n_records if is_original else comparison.n_records)
