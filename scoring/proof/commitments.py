# SPDX-License-Identifier: Apache-2.0
"""Commit and reveal: a secret, committed to before a contest begins, and what others add later decide every draw.

Nobody can know or choose the draws beforehand, and anyone can check them afterwards: the commitment
was published when the secret was drawn, contributions came later, and once the secret is published
every seed follows from both. The numerical library is loaded only where an order is derived.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from scoring.tables.records import Records

SECRET_BYTES = 32
SEED_BYTES = 16
DOMAIN = b"pwscup/commitment/1\n"
"""Set before the secret when it is committed to: the digest serves no other purpose."""


def commitment(secret: bytes) -> str:
    """The SHA-256 that binds to a secret without disclosing it.

    Parameters
    ----------
    secret : bytes
        32 random bytes.

    Returns
    -------
    str
        64 hexadecimal digits: SHA-256 of `DOMAIN` and the secret.

    Raises
    ------
    ValueError
        Where the secret has another length.

    Notes
    -----
    Hiding because the secret has 256 random bits, binding because nobody finds two inputs of one
    SHA-256.

    Examples
    --------
    >>> commitment(bytes(32))
    '49f672e2c39d7a7f458782932731fc686fc1140260719300ddf249228e588ed0'
    """
    _check(secret)
    return hashlib.sha256(DOMAIN + secret).hexdigest()


def mix_name(purpose: str) -> str:
    """The mix on which a seed depends: that of a round's releases, that of all questions, or ``start``.

    Examples
    --------
    >>> mix_name("release/attack/red"), mix_name("questions/red"), mix_name("draw/red")
    ('release/attack', 'questions', 'start')
    """
    first, _, rest = purpose.partition("/")
    if first == "release":
        return f"{first}/{rest.partition('/')[0]}"
    return first if first == "questions" else "start"


def mix_of(name: str, contributions: Iterable[str], public: str | None = None) -> str:
    """The digest of what others than the holder of the secret put into draws.

    That is the SHA-256 of the JSON array of the name, the sorted SHA-256 of the teams' texts, and a
    public value or null: in ASCII and without spaces.

    Examples
    --------
    >>> mix_of("start", ["bb", "aa"]) == mix_of("start", ["aa", "bb"]) != mix_of("start", ["aa"])
    True
    """
    text = json.dumps([name, sorted(contributions), public], separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def derived_seed(secret: bytes, purpose: str, mix: str | None = None) -> int:
    """The seed that a secret gives for one purpose, such as ``release/attack/red``.

    Parameters
    ----------
    secret : bytes
        32 random bytes.
    purpose : str
        What is drawn, in words that occur once in the contest.
    mix : str, optional
        From `mix_of`: it follows the purpose after a line feed. None where only the secret decides.

    Returns
    -------
    int
        0 to 2**128 - 1: the first 16 bytes of HMAC-SHA256(secret, purpose in UTF-8), big-endian.

    Raises
    ------
    ValueError
        Where the secret has another length.

    Notes
    -----
    Seeds of other purposes say nothing about the secret or about this seed.

    Examples
    --------
    >>> derived_seed(bytes(32), "release/attack/red")
    27096017722116202520822463083553154109
    """
    _check(secret)
    message = purpose if mix is None else f"{purpose}\n{mix}"
    digest = hmac.new(secret, message.encode(), hashlib.sha256).digest()
    return int.from_bytes(digest[:SEED_BYTES], "big")


def released_order(n_records: int, seed: int) -> npt.NDArray[np.int64]:
    """The order in which a seed publishes the records of a table.

    Parameters
    ----------
    n_records : int
        How many records the table has, 0 or more.
    seed : int
        0 or more; from `derived_seed`.

    Returns
    -------
    int64 array, shape (n_records,)
        The 0-based position in the file of each published record.

    Notes
    -----
    The records are sorted by the first `n_records` numbers of 64 bits that PCG64 gives for the seed
    (equal numbers, of which a table of a million records has some with a chance below 10**-7, keep
    their order). NumPy promises this stream to stay the same, which it does not of its shuffles.

    Examples
    --------
    >>> released_order(4, 1).tolist()
    [2, 0, 3, 1]
    """
    import numpy as np

    drawn = np.random.PCG64(seed).random_raw(n_records)
    return np.argsort(drawn, kind="stable").astype(np.int64)


def shuffled(
    records: Records, source: npt.NDArray[np.int64], seed: int
) -> tuple[Records, npt.NDArray[np.int64]]:
    """Records and their declared rows, moved together into the order of `released_order`.

    Parameters
    ----------
    records : Records
        A table as submitted.
    source : int64 array, shape (n_records,)
        The declared 0-based original row of each record.
    seed : int
        0 or more; from `derived_seed`.

    Returns
    -------
    records : Records
        The same records in the released order.
    source : int64 array, shape (n_records,)
        Their declared rows.

    Examples
    --------
    >>> import numpy as np
    >>> from scoring.examples import SCHEMA, table
    >>> from scoring.tables.records import Records
    >>> records, source = shuffled(Records.of(table("noise"), SCHEMA), np.arange(4), 1)
    >>> source.tolist() == released_order(4, 1).tolist()
    True
    """
    from scoring.tables.records import Records

    order = released_order(len(records), seed)
    moved = Records(
        records.names,
        {name: values[order] for name, values in records.numbers.items()},
        {name: codes[order] for name, codes in records.codes.items()},
        records.levels,
    )
    return moved, source[order]


def _check(secret: bytes) -> None:
    if len(secret) != SECRET_BYTES:
        raise ValueError(f"the secret has {SECRET_BYTES} bytes, got {len(secret)}")
