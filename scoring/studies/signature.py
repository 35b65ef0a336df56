# SPDX-License-Identifier: Apache-2.0
"""Reading a table's methods off its measures, as the paper's Table 13 does manually."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from scoring.studies.paper import METHODS
from scoring.studies.signs import Baseline

Measured = Mapping[str, float | int | None]

MOST_BLIND_HITS = 5
"""A random guess hits one record on average, and more than five once in 1,700 tables."""
FEWER_MATCHES = 0.95
"""Quasi-identifiers were changed where E1 falls below this share of the untouched table's."""
LARGER_CLASSES = 1.001
SAME_RATE, NEARLY_SAME_RATE = 0.005, 0.05
"""Averages make EUC1 equal to E1, and E2 but for the few records that it searches elsewhere."""
STRANGE_VECTORS = 0.2
"""E1 times S2 is the share of the records that are found in a class of their own vector, about."""


def guess_methods(values: Measured, baseline: Baseline) -> frozenset[str]:
    """Guess which methods made a table, from nothing but its measures.

    Parameters
    ----------
    values
        Measures by identifier: U1 to U6, S1, S2, E1, E2, E4, EUC1; EUC2 is used where it is known.
    baseline
        The untouched table.

    Returns
    -------
    frozenset of str
        Letters of `METHODS`.

    Notes
    -----
    Each step looks for what only one method, or the fewest, can do:

    1. Only deletion lowers the number of records (U6).
    2. Only the Yamaoka method leaves every attack with no more hits than random guesses, because the declared rows are
    wrong; the cells show whether rows or records were changed.
    3. Where counts of cells move (U3) by more than deletion explains, the cross columns were
       changed: by k-anonymization if the smallest class has grown, else by unification. Where they
       stay, classes that grow, or vectors that match no more, mean unification outside.
    4. Amounts were changed where U5 or U4 moves: by noise if column means move too (U1), by
       averaging if knowing all amounts or one gains an attacker nothing (EUC1 and E2 are as E1),
       else by a swap.

    What it cannot see: which method changed amounts under the Yamaoka method, averages in classes
    whose vectors occur nowhere (they look like swaps), a swap under noise, unification before
    k-anonymization unless the vectors are strange.
    """
    deleted = _positive(values, "U6")
    blind = _is_blind(values, baseline)
    found = set("H" if deleted else "") | set("C" if blind and _positive(values, "U5") else "")
    found |= _changes_of_quasi_identifiers(values, baseline, blind=blind, deleted=deleted)
    return frozenset(found | _changes_of_amounts(values, blind=blind, deleted=deleted))


def _positive(values: Measured, measure: str) -> bool:
    return (values.get(measure) or 0) > 0


def _rate(values: Measured, measure: str) -> float:
    return float(values.get(measure) or 0)


def _is_blind(values: Measured, baseline: Baseline) -> bool:
    """True if attacks that use quasi-identifiers, amounts or both are as good as random guesses."""
    best = max(_rate(values, measure) for measure in ("E1", "E2", "E4", "EUC1", "EUC2"))
    return best * baseline.n_records <= MOST_BLIND_HITS


def _changes_of_quasi_identifiers(
    values: Measured, baseline: Baseline, *, blind: bool, deleted: bool
) -> set[str]:
    before = baseline.values
    explained = 1.5 * _rate(values, "U6") / baseline.n_cells if deleted else 0.0
    larger = _rate(values, "S2") > LARGER_CLASSES * _rate(before, "S2")
    fewer = not blind and _rate(values, "E1") < FEWER_MATCHES * _rate(before, "E1")
    if _rate(values, "U3") <= explained:
        return {"D"} if fewer or (larger and not deleted) else set()
    if _rate(values, "S1") <= _rate(before, "S1"):
        return {"E"}
    strange = not blind and _rate(values, "E1") * _rate(values, "S2") < STRANGE_VECTORS
    return {"A", "D"} if strange else {"A"}


def _changes_of_amounts(values: Measured, *, blind: bool, deleted: bool) -> set[str]:
    if blind:
        # The declared rows are wrong, so U5 and all rates are silent about the amounts.
        if deleted or not _positive(values, "U4"):
            return set()
        return {"B"} if _positive(values, "U1") else {"G"}
    if not (_positive(values, "U5") or (_positive(values, "U4") and not deleted)):
        return set()
    random, nearest = _rate(values, "E1"), _rate(values, "EUC1")
    amounts_tell = nearest > (1 + random) / 2
    noisy = amounts_tell if deleted else _positive(values, "U1")
    # What searches of the whole table find where no vector matches says nothing about classes.
    elsewhere = max(_rate(values, "EUC2") - nearest, 0)
    one_amount = _rate(values, "E2")
    averaged = (
        random > 0
        and abs(nearest - random) <= SAME_RATE * random
        and one_amount - random <= NEARLY_SAME_RATE * random + elsewhere
    )
    if averaged:
        return {"B", "F"} if noisy else {"F"}
    return {"B"} if noisy else {"G"}


@dataclass(frozen=True, slots=True)
class Confusion:
    """The agreement of guesses of one method with the truth: numbers of tables."""

    hit: int = 0
    missed: int = 0
    false_alarm: int = 0
    rightly_absent: int = 0


def confusion(
    pairs: Iterable[tuple[frozenset[str], frozenset[str]]],
) -> dict[str, Confusion]:
    """Count, method by method, over pairs of the methods used and the methods guessed."""
    known = list(pairs)
    return {
        letter: Confusion(
            hit=sum(letter in made and letter in guess for made, guess in known),
            missed=sum(letter in made and letter not in guess for made, guess in known),
            false_alarm=sum(letter not in made and letter in guess for made, guess in known),
            rightly_absent=sum(letter not in made and letter not in guess for made, guess in known),
        )
        for letter in METHODS
    }
