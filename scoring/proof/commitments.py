# SPDX-License-Identifier: Apache-2.0
"""Commit and reveal: one secret, committed to before a contest begins, decides every draw in it.

Nobody can know the draws beforehand, and anyone can check them afterwards: the commitment was
published when the secret was drawn, and once the secret is published every seed follows from it.
The numerical library is loaded only where an order is derived.
"""

from __future__ import annotations

import hashlib
import hmac
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


def derived_seed(secret: bytes, purpose: str) -> int:
    """The seed that a secret gives for one purpose, such as ``release/attack/red``.

    Parameters
    ----------
    secret : bytes
        32 random bytes.
    purpose : str
        What is drawn, in words that occur once in the contest.

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
    digest = hmac.new(secret, purpose.encode(), hashlib.sha256).digest()
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
