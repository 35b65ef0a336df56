# SPDX-License-Identifier: Apache-2.0
"""Pseudonyms: keyed hashes in place of direct identifiers."""

from __future__ import annotations

import hmac
import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from scoring.anonymizers.base import Anonymized, Anonymizer, untouched
from scoring.anonymizers.chosen import chosen_columns
from scoring.errors import gettext_noop as _
from scoring.options import Option, refuse
from scoring.tables.schema import Kind, Schema

if TYPE_CHECKING:
    import pandas as pd

ID = "pseudonymize"
SHORTEST_KEY = 16
"""Bytes. A shorter key can be found by trying all, as unkeyed identifiers can."""
DIGITS = 16
"""Hexadecimal digits of a pseudonym: 64 bits."""
ALL_DIGITS = 64


def pseudonyms(
    identifiers: Iterable[str],
    key: bytes,
    period: str | Sequence[str] | None = None,
    *,
    digits: int = DIGITS,
) -> list[str]:
    """The keyed hash of each identifier: HMAC-SHA-256, the first hexadecimal digits of it.

    Protects against anyone who hashes a list of all possible identifiers: without the key nothing matches. With the key
    everything does, so that the owner can find a person's records again, and has to keep the key apart from them. Equal
    identifiers have equal pseudonyms, so that a person's records stay together; the values in them may still identify
    the person.

    Parameters
    ----------
    identifiers
        The identifiers to replace.
    key
        16 bytes or more, drawn at random.
    period
        Changes the pseudonyms: one for all identifiers, or one for each. Records of different periods then cannot be
        linked without the key.
    digits
        Length of the pseudonyms, 8 to 64 hexadecimal digits of 4 bits. At the default of 16 two
        of a million persons share one with probability 2.7e-8 (`collision_probability`).

    Returns
    -------
    list of str
        One for each identifier.

    Raises
    ------
    ProblemsFound
        The key is too short, or two identifiers would share a pseudonym for lack of digits.
    ValueError
        There is another number of periods than of identifiers.

    Notes
    -----
    FIPS 198-1, "The Keyed-Hash Message Authentication Code"; KDDI Research's lecture on
    privacy-enhancing technologies, on pseudonymization. The lecture's SHA-1 and MD5 are hash
    functions without a key, and appending a key to the message is not a sound way to give them one.

    Examples
    --------
    >>> pseudonyms(["alice", "bob", "alice"], bytes(range(16)), digits=8)
    ['6457555a', '70578d73', '6457555a']
    """
    if len(key) < SHORTEST_KEY:
        raise refuse(ID, "key", f"{SHORTEST_KEY} bytes or more", f"{len(key)} bytes")
    if not 8 <= digits <= ALL_DIGITS:
        raise refuse(ID, "digits", f"an integer from 8 to {ALL_DIGITS}", digits)
    named = list(identifiers)
    periods: Sequence[str | None]
    periods = [period] * len(named) if period is None or isinstance(period, str) else period
    made: dict[tuple[str | None, str], str] = {}
    keys: dict[str | None, bytes] = {None: key}
    for when, identifier in zip(periods, named, strict=True):
        if (when, identifier) not in made:
            if when not in keys:
                keys[when] = _period_key(key, str(when))
            made[when, identifier] = _hash(keys[when], identifier, "sha256").hex()[:digits]
    if len(set(made.values())) < len(made):
        raise refuse(ID, "digits", f"enough for {len(made)} different pseudonyms", digits)
    return [made[pair] for pair in zip(periods, named, strict=True)]


def _period_key(key: bytes, period: str) -> bytes:
    """A key for each period; by another hash function, so that no pseudonym is ever a key."""
    return _hash(key, period, "sha512")


def _hash(key: bytes, text: str, function: str) -> bytes:
    return hmac.digest(key, text.encode("utf-8", "surrogatepass"), function)


def collision_probability(n: int, digits: int = DIGITS) -> float:
    """The probability that at least two of n pseudonyms of so many hexadecimal digits are equal.

    Exact up to the approximation 1 - x ≈ e^(-x) of the birthday problem, which is good as long as n
    is far below 16^digits.

    Examples
    --------
    >>> f"{collision_probability(10**6):.1e}"
    '2.7e-08'
    """
    return -math.expm1(-n * (n - 1) / 2 / 16**digits)


def pseudonymize(
    table: pd.DataFrame,
    schema: Schema,
    *,
    rng: np.random.Generator,
    columns: tuple[str, ...] = (),
    key: str = "",
    period: str = "",
    digits: int = DIGITS,
) -> Anonymized:
    """Replace the values of columns of free text by keyed pseudonyms.

    Protects against anyone who hashes all possible values and compares; not against counting how often each pseudonym
    occurs, nor against linkage by the other columns. Costs the meaning of the values; equal values stay equal. Columns
    of role identifier are never submitted and need none.

    Parameters
    ----------
    columns
        Columns of categories without a list of values in the schema: at least one.
    key
        The key as text, of 16 bytes or more; by default 32 bytes drawn with the seed, which anyone who knows the seed
        can draw again.
    period
        Another period, other pseudonyms.
    digits
        Length of the pseudonyms, 8 to 64 hexadecimal digits.

    Raises
    ------
    ProblemsFound
        No column is named, a column's values are listed or numbers, the key is too short, or two
        values would share a pseudonym.

    Notes
    -----
    See `pseudonyms`.
    """
    import pandas as pd

    suitable = tuple(c.name for c in schema.columns if c.kind is Kind.CATEGORY and not c.values)
    noun = "columns of free text (categories whose values the schema does not list)"
    if not columns:
        raise refuse(ID, "columns", f"{noun}, out of {', '.join(suitable) or 'none'}", "nothing")
    secret = key.encode("utf-8", "surrogatepass") if key else rng.bytes(32)
    result = table.copy()
    for name in chosen_columns(ID, columns, suitable, noun):
        made = pseudonyms(table[name].astype(str), secret, period or None, digits=digits)
        result[name] = pd.Series(made, dtype=table[name].dtype)
    return Anonymized(result, untouched(table))


PSEUDONYMIZE = Anonymizer(
    id=ID,
    title=_("Keyed pseudonyms"),
    protects=_("Names and numbers of persons, also against hashing all possible ones"),
    costs=_("The meaning of the values; records with equal values stay together"),
    function=pseudonymize,
    options=(
        Option("columns", "columns", (), _("columns of free text, at least one")),
        Option("key", "text", "", _("secret text of 16 bytes or more; by default drawn at random")),
        Option("period", "text", "", _("another period, other pseudonyms")),
        Option("digits", "integer", DIGITS, _("length of the pseudonyms"), low=8, high=ALL_DIGITS),
    ),
)
