# SPDX-License-Identifier: Apache-2.0
"""Likeness: tables and answers of two teams that are nearer than chance allows, with honest probabilities.

What is right, or as in the original, is no evidence: only changed cells, wrong answers and records that the original
does not have are compared. Neither is what follows from a method without randomness: cells that are a function of the
original's cell, records in classes of equal ones, and what tables or answers of public methods have as well. Every
probability is an upper bound, multiplied by the number of compared pairs (Bonferroni).
"""

from __future__ import annotations

import csv
import io
import math
from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice, permutations
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from scoring.tables.archives import is_archive

Name = TypeVar("Name", bound=Hashable)
Line = tuple[str, ...]
Place = tuple[Any, ...]
Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
Cells = Mapping[Place, str]
"""The informative cells of a file by their place: changed cells, or wrong answers."""

SIGNIFICANT = 0.001
FEWEST_CELLS, FEWEST_PAIRS, FEWEST_OF_KIND = 20, 3, 5
NEARLY_ALL = 0.9
"""The share of equal cells from which a pair stands out, if other pairs do not reach it."""
MOST_ALIKE = 0.2
"""The share of pairs above `NEARLY_ALL` from which a whole class uses one method."""


@dataclass(frozen=True, slots=True)
class Likeness:
    """Two files: equal ones of the compared cells or records, the share that chance explains, and the probability."""

    n_equal: int
    n_compared: int
    expected: float
    probability: float


def lines_of(data: bytes, most: int = 2_000) -> tuple[Line, list[Line]]:
    """The header of a CSV file and its first lines, numbers in one spelling; of an archive nothing.

    A first line of numbers is no header: lists of row numbers have none.

    Examples
    --------
    >>> lines_of(b"b,a\\n1.0,x\\n")
    (('b', 'a'), [('1', 'x')])
    """
    if is_archive(data):
        return (), []
    reader = csv.reader(io.StringIO(data.decode("utf-8-sig", "replace")))
    lines = [tuple(map(_plain, line)) for line in islice(reader, most + 1)]
    has_header = bool(lines) and not all(_is_number(cell) for cell in lines[0])
    return (lines[0], lines[1:]) if has_header else ((), lines[:most])


def _is_number(cell: str) -> bool:
    return cell.lstrip("-").replace(".", "", 1).isdecimal()


def _plain(cell: str) -> str:
    try:
        return f"{float(cell):.12g}"
    except ValueError:
        return cell.strip()


def changes(table: Mapping[int, Line], original: Sequence[Line]) -> dict[Place, str]:
    """The cells that a table changed, by (column, value of the original, row), without what a public method explains.

    Left out are columns in which the value of the original decides the new one, and records whose changed cells
    another record has as well: rounding, generalization and microaggregation give the same to everybody.

    Examples
    --------
    >>> changes({0: ("5", "9"), 1: ("2", "4")}, [("1", "9"), ("2", "8")])
    {(0, '1', 0): '5', (1, '8', 1): '4'}
    """
    images: defaultdict[tuple[int, str], Counter[str]] = defaultdict(Counter)
    for row, line in table.items():
        for column, pair in enumerate(zip(original[row], line, strict=False)):
            images[column, pair[0]][pair[1]] += 1
    decided = {
        k for k, c in images.items() if c.total() >= 3 and c.most_common(1)[0][1] >= 0.9 * c.total()
    }
    altered = sorted({column for (column, cell), c in images.items() if set(c) - {cell}})
    classes = Counter(tuple(line[column] for column in altered) for line in table.values())
    return {
        (column, original[row][column], row): line[column]
        for row, line in table.items()
        if len(altered) < 2 or classes[tuple(line[column] for column in altered)] == 1
        for column in altered
        if line[column] != original[row][column] and (column, original[row][column]) not in decided
    }


def alike(
    files: Mapping[Name, Cells], public: Collection[Cells] = ()
) -> dict[tuple[Name, Name], Likeness]:
    """The pairs of files that agree on nearly all of their changed cells or wrong answers, beyond all other pairs.

    Parameters
    ----------
    files : mapping
        The informative cells of each team. A place begins with its column and ends with its row; with what is between,
        such as a value of the original, it names the cells that are likely to get the same value.
    public : collection
        The same of public methods: cells that one of them has are not compared.

    Returns
    -------
    dict
        By pair. The expected share is the largest of: that of the most alike pair of the others, and the share of
        the second file's cells of the same kind that have the value by chance. The probability is Chernoff's bound of
        a binomial tail with that share (Hoeffding 1963: "Probability inequalities for sums of bounded random
        variables", Theorem 1), times the number of pairs. Equal files are left to a comparison of digests; where
        a fifth of all pairs is as alike, a class uses one method, and none is returned.

    Examples
    --------
    >>> alike({"a": {}, "b": {}})
    {}
    """
    places = {
        place: n for n, place in enumerate(dict.fromkeys(p for c in files.values() for p in c))
    }
    values: dict[str, int] = {}
    coded = {name: _coded(cells, places, values) for name, cells in files.items()}
    own = {name: codes.copy() for name, codes in coded.items()}
    for cells in public:
        theirs = _coded(cells, places, values)
        for codes in own.values():
            codes[(codes == theirs) & (codes >= 0)] = -1
    kinds = [_numbered([place[:depth] for place in places]) for depth in (-1, 1)]
    near, others, n_pairs = {}, 0.0, 0
    for first, second in combinations(own, 2):
        a, b = own[first], own[second]
        both = (a >= 0) & (b >= 0)
        n, n_equal = int(both.sum()), int(((a == b) & both).sum())
        if n < FEWEST_CELLS:
            continue
        n_pairs += 1
        if n_equal < NEARLY_ALL * n:
            others = max(others, (n_equal + 1) / (n + 1))
        elif not np.array_equal(coded[first], coded[second]):
            near[first, second] = (n_equal, n, _by_chance(a, b, both, kinds))
    if n_pairs < FEWEST_PAIRS or len(near) > max(1, MOST_ALIKE * n_pairs):
        return {}
    judged = {
        pair: _judged(n_equal, n, max(others, chance), n_pairs)
        for pair, (n_equal, n, chance) in near.items()
    }
    return {pair: one for pair, one in judged.items() if one.probability < SIGNIFICANT}


def _coded(cells: Cells, places: Mapping[Place, int], values: dict[str, int]) -> Ints:
    codes = np.full(len(places), -1, dtype=np.int64)
    for place, value in cells.items():
        if place in places:
            codes[places[place]] = values.setdefault(value, len(values))
    return codes


def _numbered(keys: Sequence[Hashable]) -> Ints:
    numbers: dict[Hashable, int] = {}
    return np.array([numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.int64)


def _by_chance(a: Ints, b: Ints, both: Flags, kinds: Sequence[Ints]) -> float:
    """The mean share of the second file's other cells of the kind, or of the column where these are few, with the
    first one's value."""
    chances = np.zeros(len(a))
    for kind in reversed(kinds):  # the narrow kind last
        n_values = int(max(a.max(), b.max())) + 1
        _, key = np.unique(
            np.concatenate([kind * n_values + b, kind * n_values + a]), return_inverse=True
        )
        theirs, wanted = key[: len(a)], key[len(a) :]
        of_value = np.bincount(theirs[b >= 0], minlength=int(key.max()) + 1)[wanted] - (a == b)
        of_kind = np.bincount(kind[b >= 0], minlength=int(kind.max()) + 1)[kind] - 1
        enough = (of_kind >= FEWEST_OF_KIND) | (kind is kinds[-1])
        chances = np.where(enough, of_value / np.maximum(of_kind, 1), chances)
    return float(chances[both].mean())


def _judged(n_equal: int, n: int, expected: float, n_pairs: int) -> Likeness:
    """Chernoff's bound: exp(-n KL(share, expected)), where the share is above what is expected."""
    share, bound = n_equal / n, 1.0
    if share > expected > 0:
        divergence = share * math.log(share / expected)
        divergence += (1 - share) * math.log((1 - share) / (1 - expected)) if share < 1 else 0
        bound = math.exp(-n * divergence)
    return Likeness(n_equal, n, expected, min(1.0, n_pairs * bound))


def shared_records(
    tables: Mapping[Name, Sequence[Line]], known: Collection[Line]
) -> dict[tuple[Name, Name], Likeness]:
    """The pairs of tables without rows whose single records occur in the other beyond what one generator explains.

    A record that a table has once and the known ones do not have would be drawn again, by the same generator, with
    a chance of about 2 n₂ / (n n₁): Good 1953, "The population frequencies of species and the estimation of population
    parameters", with n₁ records that occur once and n₂ that occur twice.

    Examples
    --------
    >>> shared_records({"a": [("1",)], "b": [("2",)]}, [])
    {}
    """
    known = set(known)
    counted = {
        name: Counter(line for line in lines if line not in known) for name, lines in tables.items()
    }
    pairs, found = list(permutations(tables, 2)), {}
    for first, second in pairs:
        times = Counter(counted[first].values())
        single = [line for line, n in counted[first].items() if n == 1]
        n_equal = sum(line in counted[second] for line in single)
        if len(single) < FEWEST_CELLS or counted[first] == counted[second]:
            continue
        again = 2 * (times[2] + 1) / (len(tables[first]) * len(single))
        expected = min(1.0, again * len(tables[second]))
        judged = _judged(n_equal, len(single), expected, len(pairs))
        if judged.probability < SIGNIFICANT:
            found[first, second] = judged
    return found


def passed_on(
    published: Mapping[Name, Sequence[Line]],
    originals: Mapping[Name, Collection[Line]],
    everybody: Collection[Line],
) -> dict[tuple[Name, Name], Likeness]:
    """Pairs of teams, of which the first published records of the second's original that it never had.

    Of the organizer's records outside a team's original, those that stand in its table may be there by chance, but the
    draw decided which of them another team has: their number has a hypergeometric distribution, whatever
    the method. So every record of an original that others do not have names its team.

    Examples
    --------
    >>> everybody = [(str(n),) for n in range(100)]
    >>> found = passed_on({"b": everybody[:15]}, {"a": everybody[:20], "b": everybody[20:40]}, everybody)
    >>> found["b", "a"].n_equal, found["b", "a"].probability < 1e-8
    (15, True)
    """
    found, n_pairs = {}, len(published) * (len(originals) - 1)
    for name, lines in published.items():
        outside = set(everybody) - set(originals[name])
        there = outside & set(lines)
        for other in originals.keys() - {name}:
            theirs = outside & set(originals[other])
            n_equal = len(there & theirs)
            bound = n_pairs * _tail(n_equal, len(outside), len(theirs), len(there))
            if bound < SIGNIFICANT:
                found[name, other] = Likeness(
                    n_equal, len(there), len(theirs) / len(outside), bound
                )
    return found


def _tail(at_least: int, total: int, marked: int, drawn: int) -> float:
    """P(X ≥ at_least) of `drawn` of `total`, of which `marked` count; exact, in whole numbers."""
    if at_least <= drawn * marked / max(total, 1):
        return 1.0
    ways = sum(
        math.comb(marked, k) * math.comb(total - marked, drawn - k)
        for k in range(at_least, min(marked, drawn) + 1)
    )
    return ways / math.comb(total, drawn)
