# SPDX-License-Identifier: Apache-2.0
"""The history of another installation: stored unchanged, and the verification of its seals."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import IO, Any

from scoring.proof.trail import FIRST, LINE, event_hash

MAX_LINE = 16 * 1024 * 1024


def verified(lines: Iterable[bytes]) -> dict[str, Any]:
    """The number of consecutively linked events; `broken_at` is the first position that is not valid.

    One line is held at a time; `scoring.proof.trail.first_broken` gives details about a broken chain.
    """
    previous, n = FIRST, 0
    for line in lines:
        entry = _entry(line)
        if entry is None or not _follows(entry, previous, n + 1):
            return {"n": n, "broken_at": n + 1, "hash": previous}
        previous, n = entry["hash"], n + 1
    return {"n": n, "broken_at": None, "hash": previous}


def _entry(line: bytes) -> dict[str, Any] | None:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return entry if isinstance(entry, dict) and set(entry) == set(LINE) else None


def _follows(entry: dict[str, Any], previous: str, position: int) -> bool:
    if entry["position"] != position or entry["previous"] != previous:
        return False
    return event_hash(entry) == entry["hash"]


def lines_of(source: IO[bytes]) -> Iterator[bytes]:
    """The non-empty lines; a line that is too long is split, which breaks its seal."""
    lines = iter(lambda: source.readline(MAX_LINE), b"")
    return (line for line in lines if line.strip())
