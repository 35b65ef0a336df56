# SPDX-License-Identifier: Apache-2.0
"""Brute force on pseudonyms without a key: the taxi case."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from string import ascii_uppercase, digits

import numpy as np

from scoring.anonymizers.pseudonyms import pseudonyms

FORMS = ("9A99", "AA999", "AAA999")
"""The forms of numbers on taxis: 9 is any digit, A any letter."""
_CHARACTERS = {"9": digits, "A": ascii_uppercase}


@dataclass(frozen=True, slots=True)
class TaxiResult:
    """The number of pseudonyms reversed by hashing all possible numbers."""

    n_taxis: int
    n_numbers: int
    found_unkeyed: int
    found_keyed: int

    def rows(self) -> list[tuple[str, ...]]:
        tried = f"{self.n_numbers:,}"
        return [
            ("pseudonym", "taxis", "numbers tried", "numbers found"),
            ("MD5 of the number", str(self.n_taxis), tried, str(self.found_unkeyed)),
            ("keyed hash, key unknown", str(self.n_taxis), tried, str(self.found_keyed)),
        ]


def n_numbers(form: str) -> int:
    """The count of numbers of this form.

    Examples
    --------
    >>> [n_numbers(form) for form in FORMS]
    [26000, 676000, 17576000]
    """
    return prod(len(_CHARACTERS[place]) for place in form)


def numbers(form: str) -> Iterator[str]:
    """All numbers of a form, in order.

    Examples
    --------
    >>> next(numbers("9A99")), len(list(numbers("9A")))
    ('0A00', 260)
    """
    return map("".join, product(*(_CHARACTERS[place] for place in form)))


def md5(number: str) -> str:
    """The hash that the published trips had in place of the number."""
    return hashlib.md5(number.encode(), usedforsecurity=False).hexdigest()


def unkeyed(number: str) -> str:
    """The hash computed by an attacker who knows how keyed pseudonyms are made, but not the key."""
    return hashlib.sha256(number.encode()).hexdigest()[:16]


def invert(
    seen: Iterable[str], forms: Sequence[str], pseudonym_of: Callable[[str], str]
) -> dict[str, str]:
    """The number behind each pseudonym, as far as one of the forms' numbers has that pseudonym.

    Parameters
    ----------
    seen
        Pseudonyms in a published table.
    forms
        Forms of numbers: all numbers of these forms are tried.
    pseudonym_of
        The function that the attacker assumes.

    Returns
    -------
    dict
        Pseudonym to number, without those that no number has.

    Examples
    --------
    >>> invert([md5("5X55"), md5("a name")], ["9A99"], md5)
    {'9d742f1eafe3127bde55ca386bedd919': '5X55'}
    """
    wanted = set(seen)
    found = {}
    for form in forms:
        for number in numbers(form):
            pseudonym = pseudonym_of(number)
            if pseudonym in wanted:
                found[pseudonym] = number
    return found


def taxi(
    *, rng: np.random.Generator, n_taxis: int = 1000, forms: Sequence[str] = FORMS[:2]
) -> TaxiResult:
    """Turn the pseudonyms of taxis back into their numbers, without and with a key.

    The attacker knows the published table and the forms of numbers, nothing else. Without a key each pseudonym is
    found: not because of the hash function, but because there are so few numbers. With a key that only the owner has,
    the same enumeration finds nothing.

    Notes
    -----
    KDDI Research's lecture on privacy-enhancing technologies, "Taxi Ride" and "Brute-force attack";
    Pandurangan, "On Taxis and Rainbows". By default the two shorter forms, 702,000 numbers, are
    enumerated; the third one takes 25 times as long, and is as hopeless.
    """
    ends = np.cumsum([n_numbers(form) for form in forms])
    drawn = np.sort(rng.choice(ends[-1], size=n_taxis, replace=False))
    taxis = [_number(int(i), forms) for i in drawn]
    published = [md5(number) for number in taxis]
    found = invert(published, forms, md5)
    keyed = pseudonyms(taxis, rng.bytes(32))
    return TaxiResult(
        n_taxis=n_taxis,
        n_numbers=int(ends[-1]),
        found_unkeyed=sum(found.get(p) == n for p, n in zip(published, taxis, strict=True)),
        found_keyed=len(invert(keyed, forms, unkeyed)),
    )


def _number(index: int, forms: Sequence[str]) -> str:
    """The number at a place in the list of all numbers of all forms."""
    for form in forms:
        if index < n_numbers(form):
            break
        index -= n_numbers(form)
    characters = []
    for place in reversed(form):
        index, position = divmod(index, len(_CHARACTERS[place]))
        characters.append(_CHARACTERS[place][position])
    return "".join(reversed(characters))
