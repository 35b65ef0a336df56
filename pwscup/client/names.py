# SPDX-License-Identifier: Apache-2.0
"""Names that somebody typed and that are not there."""

from __future__ import annotations

from collections.abc import Iterable

from pwscup.client.errors import UnknownError
from scoring.catalogs import hint


def unknown(kind: str, name: str, known: Iterable[str]) -> UnknownError:
    """The error for a name that is not there: it names similar ones, and all.

    Examples
    --------
    >>> print(unknown("round", "atack", ["anonymization", "attack"]))
    no round 'atack'; did you mean attack? — known: anonymization, attack
    """
    listed = list(known)
    text = f"no {kind} {name!r}{hint(name, listed)} — known: {', '.join(listed) or 'none'}"
    return UnknownError(text, code=f"{kind}.unknown")
