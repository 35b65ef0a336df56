"""What an attack round publishes of a submission."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ShuffledTable:
    """A table in released order and, where attackers choose among candidates, those: to publish; the key to seal.

    `n_records` counts the lines, those of deleted records among them; of a series the people, whose background
    stands in the place of candidates.
    """

    table: bytes
    key: bytes
    n_records: int
    candidates: bytes | None = None
