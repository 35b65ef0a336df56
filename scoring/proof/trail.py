# SPDX-License-Identifier: Apache-2.0
"""The audit trail as a chain: every event carries the hash of the one before, so none can be changed unseen.

An exported trail is a file of JSON lines, one for each sealed event in the order of their positions:
``position``, ``previous``, ``id``, ``at``, ``actor``, ``contest``, ``kind``, ``subject``, ``data`` and
``hash``.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from scoring.errors import shorten

FIRST = "0" * 64
"""The value in place of the hash before the first event."""
SEALED = ("position", "previous", "id", "at", "actor", "contest", "kind", "subject", "data")
"""The keys that a hash is made of."""
LINE = (*SEALED, "hash")
"""The keys of a line of an exported trail."""
_TYPES = {"position": int, "previous": str, "kind": str, "subject": str, "data": dict, "hash": str}


def canonical(entry: Mapping[str, Any]) -> bytes:
    """The one text of an event that is hashed: JSON in ASCII, keys sorted, no spaces.

    Parameters
    ----------
    entry : mapping
        An event with the keys of `SEALED`; others are left out.

    Raises
    ------
    KeyError
        Where a key is missing.
    """
    parts = {key: entry[key] for key in SEALED}
    return json.dumps(parts, sort_keys=True, separators=(",", ":")).encode("ascii")


def event_hash(entry: Mapping[str, Any]) -> str:
    """The hash that seals an event: SHA-256 of its canonical text, as 64 hexadecimal digits.

    Parameters
    ----------
    entry : mapping
        An event with the keys of `SEALED`; `previous` is the hash of the event before, `at` a time
        in UTC with microseconds, `actor` the number of an account or None.

    Raises
    ------
    KeyError
        Where a key is missing.

    Examples
    --------
    >>> event = {"position": 1, "previous": FIRST, "id": 7, "at": "2031-01-01T00:00:00.000000+00:00",
    ...     "actor": None, "contest": 1, "kind": "contest.created", "subject": "cup", "data": {}}
    >>> event_hash(event)[:16]
    '598717272ea69105'
    """
    return hashlib.sha256(canonical(entry)).hexdigest()


@dataclass(frozen=True, slots=True)
class Broken:
    """The first place where a chain does not hold: `what` is missing, changed or reordered."""

    what: str
    position: int
    words: str

    def __str__(self) -> str:
        return f"position {self.position} — {self.what}: {self.words}"


def first_broken(entries: Iterable[Mapping[str, Any]]) -> Broken | None:
    """The first broken link of a chain; None if it holds.

    Parameters
    ----------
    entries : iterable of mapping
        Sealed events with the keys of `LINE`, as they follow each other.

    Returns
    -------
    Broken or None
        *missing*: a position is left out. *reordered*: an event stands before one that it follows, or
        twice. *changed*: an event is not what its hash was made of, or its link is not the hash of
        the event before.

    Notes
    -----
    Anyone who can rewrite the whole chain can also seal it again; this is detected with a hash that someone
    else has kept, as every receipt does. Events that are left out at the end show in the same way.

    Examples
    --------
    >>> first_broken([]) is None
    True
    >>> print(first_broken([{"position": 2}]))
    position 1 — missing: expected an event here, got position 2
    """
    entries = list(entries)
    later = {entry["position"] for entry in entries}
    previous = FIRST
    for position, entry in enumerate(entries, start=1):
        found = entry["position"]
        if found != position:
            what = "reordered" if found < position or position in later else "missing"
            return Broken(what, position, f"expected an event here, got position {found}")
        if entry["previous"] != previous:
            words = "it is not linked to the hash of the event before"
            return Broken("changed", position, words)
        if event_hash(entry) != entry["hash"]:
            return Broken("changed", position, "the event is not what its hash was made of")
        previous = entry["hash"]
    return None


def read_trail(data: bytes) -> list[dict[str, Any]]:
    """The events of an exported trail.

    Parameters
    ----------
    data : bytes
        JSON lines in UTF-8.

    Raises
    ------
    ValueError
        Where a line is not an event with all keys of `LINE`; every such line is named.

    Examples
    --------
    >>> read_trail(b"")
    []
    >>> read_trail(b"{}")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ValueError: line 1 — not an event of a trail — expected JSON with the keys position, previous, ...
    """
    found, wrong = [], []
    for number, line in enumerate(data.split(b"\n"), start=1):
        entry = _entry(line)
        if entry is not None:
            found.append(entry)
        elif line.strip():
            got = shorten(line.decode("utf-8", "replace"))
            wrong.append(
                f"line {number} — not an event of a trail — expected JSON with the keys "
                f"{', '.join(LINE)} — got “{got}”"
            )
    if wrong:
        raise ValueError("\n".join(wrong))
    return found


def _entry(line: bytes) -> dict[str, Any] | None:
    try:
        entry = json.loads(line)
    except ValueError:
        return None
    if not isinstance(entry, dict) or set(entry) != set(LINE):
        return None
    return entry if all(type(entry[key]) is kind for key, kind in _TYPES.items()) else None
