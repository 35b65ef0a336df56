"""The kinds of rounds and tables that a ruleset may name.

A further format (a candidate list with decoys, queries with a privacy budget, a series of
releases) adds an entry here and the class that evaluates it; the loader needs no change.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class RoundKind:
    """What a kind of round asks for.

    `phase` says what the round is for, `files` maps every file key that it understands to the kind
    of that file, `required` names those that no ruleset may leave out, and `tries_key` is the
    setting that limits the attempts.
    """

    id: str
    phase: str
    files: Mapping[str, str]
    required: tuple[str, ...]
    tries_key: str
    counts: tuple[str, ...]
    feedback: tuple[str, ...]


ROUND_KINDS: dict[str, RoundKind] = {
    kind.id: kind
    for kind in (
        RoundKind(
            id="anonymization",
            phase="anonymization",
            files={"anonymized": "table", "rows": "row_numbers"},
            required=("anonymized", "rows"),
            tries_key="tries",
            counts=("chosen_or_latest", "last"),
            feedback=("exact", "coarse", "after_close"),
        ),
        RoundKind(
            id="attack",
            phase="attack",
            files={"guess": "guess"},
            required=("guess",),
            tries_key="tries_per_target",
            counts=("last",),
            feedback=("exact", "coarse", "after_close"),
        ),
    )
}


def kinds_of(phase: str) -> tuple[str, ...]:
    """The kinds of rounds of one phase: "anonymization" or "attack"."""
    return tuple(kind.id for kind in ROUND_KINDS.values() if kind.phase == phase)


TRIES_KEYS = ("tries", "tries_per_target")
TABLES = ("common",)
