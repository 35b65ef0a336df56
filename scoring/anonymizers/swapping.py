# SPDX-License-Identifier: Apache-2.0
"""Swapping: exchanges values among records of a class, of near ranks, or of different classes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from scoring.anonymizers.base import Anonymized, Anonymizer, untouched
from scoring.anonymizers.chosen import chosen_columns
from scoring.anonymizers.domain import ordinal
from scoring.errors import gettext_noop as _
from scoring.options import Option
from scoring.tables.equivalence import Classes
from scoring.tables.schema import Schema

if TYPE_CHECKING:
    import pandas as pd

Rows = NDArray[np.int64]

COLUMNS, RECORDS = "columns", "records"
RANK, ACROSS = "rank-swap", "across-class-swap"

_DRAWS = 32
"""Draws of a rank before the free ones are listed: listing takes long."""


def class_swap(
    table: pd.DataFrame,
    schema: Schema,
    *,
    rng: np.random.Generator,
    swap: str = COLUMNS,
) -> Anonymized:
    """Permute sensitive values among the records with the same quasi-identifiers.

    Means, counts and each column's distribution stay what they were. With `columns` each column is
    permuted on its own, so that which amounts belong together does not stay; with `records` all of
    them change hands together, so that correlations stay as well, and the table is the original in
    another order within each class. The record of a class of one keeps its values.

    Parameters
    ----------
    swap
        `columns` or `records`.
    """
    of_row = Classes.of(table, schema.quasi_identifiers).of_row
    by_class = np.argsort(of_row, kind="stable")
    result = table.copy()
    taken_from = np.empty_like(by_class)
    for position, name in enumerate(schema.sensitive):
        if swap == COLUMNS or position == 0:
            taken_from[by_class] = np.lexsort((rng.random(len(table)), of_row))
        result[name] = table[name].take(taken_from).reset_index(drop=True)
    return Anonymized(result, untouched(table))


def rank_swap(
    table: pd.DataFrame,
    schema: Schema,
    *,
    rng: np.random.Generator,
    p: float = 5,
    columns: tuple[str, ...] = (),
) -> Anonymized:
    """Exchange values with records whose rank in the column differs by at most p percent.

    Protects against linkage by values and by combinations of them: each column is swapped on its own. An attacker who
    knows p searches among p percent of the records on either side, in all columns together: with several columns the
    intersection is small. Every column keeps its values, so that means and all other statistics of one column stay;
    relations between columns weaken with p.

    Parameters
    ----------
    p
        Largest difference of ranks, in percent of the number of records; below 100 / n_records
        nothing can be swapped.
    columns
        Columns of numbers or of categories, which count in the order of the schema's values; by
        default the sensitive columns of numbers.

    Raises
    ------
    ProblemsFound
        The table has no such column.

    Notes
    -----
    Moore, "Controlled Data-Swapping Techniques for Masking Public Use Microdata Sets": from the
    lowest rank on, each value not yet swapped goes to a random one among those not yet swapped
    within reach. Equal values rank in random order.
    """
    names = chosen_columns(RANK, columns, schema.names, "columns")
    reach = int(p * len(table) / 100)
    result = table.copy()
    for name in names or schema.sensitive_numeric:
        column = schema.column(name)
        keys = table[name].to_numpy() if column.is_numeric else ordinal(table[name], column)[0]
        by_rank = np.lexsort((rng.random(len(table)), keys))
        taken_from = np.empty_like(by_rank)
        taken_from[by_rank] = by_rank[rank_partners(len(table), reach, rng)]
        result[name] = table[name].take(taken_from).reset_index(drop=True)
    return Anonymized(result, untouched(table))


def rank_partners(n: int, reach: int, rng: np.random.Generator) -> Rows:
    """The rank that each rank swaps with, at most `reach` away; its own where none is left.

    Examples
    --------
    >>> rank_partners(4, 1, np.random.default_rng(1)).tolist()
    [1, 0, 3, 2]
    """
    partner = list(range(n))
    free = [True] * n
    for rank, draw in enumerate(rng.random(n).tolist()):
        last = min(rank + reach, n - 1)
        if not free[rank] or rank == last:
            continue
        free[rank] = False
        other = rank + 1 + int(draw * (last - rank))
        for _again in range(_DRAWS):
            if free[other]:
                break
            other = int(rng.integers(rank + 1, last + 1))
        else:
            left = [r for r in range(rank + 1, last + 1) if free[r]]
            if not left:
                continue
            other = left[int(rng.integers(len(left)))]
        free[other] = False
        partner[rank], partner[other] = other, rank
    return np.array(partner, dtype=np.int64)


def across_class_swap(
    table: pd.DataFrame,
    schema: Schema,
    *,
    rng: np.random.Generator,
    share: float = 0.1,
    columns: tuple[str, ...] = (),
) -> Anonymized:
    """Exchange values between records of different equivalence classes, in pairs.

    Protects by uncertainty: the record linked to a person by the quasi-identifiers has another person's values with
    probability `share`. Records that are not swapped have no other protection. Every column keeps its values, and the
    named columns stay together, so that their joint distribution stays. If they are sensitive columns only, or all
    quasi-identifiers, the sizes of the classes stay too. The relation of the named columns to the others is lost: first
    of all cell means.

    Parameters
    ----------
    share
        Share of the records to swap, rounded down to pairs. Fewer are swapped where one class has
        most of the records drawn.
    columns
        The columns that change hands, quasi-identifiers or sensitive ones; by default all sensitive
        columns.

    Raises
    ------
    ProblemsFound
        A column is neither a quasi-identifier nor sensitive.

    Notes
    -----
    Dalenius & Reiss, "Data-Swapping: A Technique for Disclosure Control", with pairs drawn at
    random. Classes are those of all quasi-identifiers.
    """
    suitable = (*schema.quasi_identifiers, *schema.sensitive)
    names = chosen_columns(ACROSS, columns, suitable, "quasi-identifiers or sensitive columns")
    of_row = Classes.of(table, schema.quasi_identifiers).of_row
    drawn = rng.permutation(len(table))[: 2 * int(share * len(table) / 2)]
    left, right = pairs_across(drawn, of_row, rng)
    taken_from = np.arange(len(table))
    taken_from[left], taken_from[right] = right, left
    result = table.copy()
    for name in names or schema.sensitive:
        result[name] = table[name].take(taken_from).reset_index(drop=True)
    return Anonymized(result, untouched(table))


def pairs_across(drawn: Rows, of_row: Rows, rng: np.random.Generator) -> tuple[Rows, Rows]:
    """As many pairs of the drawn records as can be of two classes each, at random.

    Parameters
    ----------
    drawn
        An even number of records, in random order: the first half is paired with the second.
    of_row
        The class of each record of the table.

    Returns
    -------
    two int64 arrays
        The records of each pair.

    Notes
    -----
    A pair of one class exchanges partners with a random pair in which nobody is of that class.
    Where there is none, every pair has a member of the class, and no pairing has fewer such pairs.

    Examples
    --------
    >>> left, right = pairs_across(np.arange(4), np.array([7, 8, 7, 9]), np.random.default_rng(1))
    >>> sorted(zip(left.tolist(), right.tolist()))
    [(0, 3), (1, 2)]
    """
    half = len(drawn) // 2
    left, right = drawn[:half].copy(), drawn[half:].copy()
    kept = np.ones(half, dtype=bool)
    for pair in np.flatnonzero(of_row[left] == of_row[right]):
        own = of_row[left[pair]]
        if of_row[right[pair]] != own:  # an earlier pair has exchanged partners with it
            continue
        others = np.flatnonzero((of_row[left] != own) & (of_row[right] != own))
        if len(others) == 0:
            kept[pair] = False
            continue
        other = others[rng.integers(len(others))]
        right[pair], right[other] = right[other], right[pair]
    return left[kept], right[kept]


CLASS_SWAP = Anonymizer(
    id="class-swap",
    title=_("Swap within equivalence classes"),
    protects=_("Linkage by combinations of amounts: each record is mixed from several"),
    costs=_("Correlations within classes; every column keeps its values"),
    function=class_swap,
    options=(
        Option(
            "swap",
            "text",
            COLUMNS,
            _("columns, each on its own; or records: all sensitive values together"),
            choices=(COLUMNS, RECORDS),
        ),
    ),
)

RANK_SWAP = Anonymizer(
    id=RANK,
    title=_("Swap between neighbouring ranks"),
    protects=_("Linkage by amounts: each is that of a record of similar rank"),
    costs=_("Relations between columns; every column keeps its values"),
    function=rank_swap,
    options=(
        Option("p", "number", 5, _("largest difference of ranks, in percent"), high=100),
        Option(
            "columns", "columns", (), _("columns to swap; by default the sensitive ones of numbers")
        ),
    ),
)

ACROSS_CLASS_SWAP = Anonymizer(
    id=ACROSS,
    title=_("Swap between equivalence classes"),
    protects=_("Certainty: the record found may bear another person's values"),
    costs=_("Relations of the swapped columns to the others; every column keeps its values"),
    function=across_class_swap,
    options=(
        Option("share", "number", 0.1, _("share of the records to swap"), high=1),
        Option(
            "columns",
            "columns",
            (),
            _("columns that change hands together; by default all sensitive ones"),
        ),
    ),
)
