# SPDX-License-Identifier: Apache-2.0
"""Registries: entries by identifier; the error for an unknown name lists similar names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Protocol, TypeVar

from scoring.errors import Problem, shorten


class Entry(Protocol):
    """Anything with an identifier."""

    @property
    def id(self) -> str:
        """The name under which it is found."""
        ...


T = TypeVar("T", bound=Entry)


MOST_NEAR = 3
SIMILARITY = 0.6
"""Of two names, from 0 to 1, at least."""


def near(name: str, known: Iterable[str], similarity: float = SIMILARITY) -> list[str]:
    """Known names that look like this one, the nearest first.

    Examples
    --------
    >>> near("Mondrain", ["mondrian", "k-anony"])
    ['mondrian']
    """
    folded = {one.casefold(): one for one in known}
    return [
        folded[one] for one in get_close_matches(name.casefold(), folded, MOST_NEAR, similarity)
    ]


def hint(name: str, known: Iterable[str], similarity: float = SIMILARITY) -> str:
    """A question that names similar names; empty where none is.

    Examples
    --------
    >>> hint("bord", ["board", "open"]), hint("x", ["board"])
    ('; did you mean board?', '')
    """
    found = near(name, known, similarity)
    return f"; did you mean {' or '.join(found)}?" if found else ""


class UnknownNameError(KeyError):
    """There is no entry of this name."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        super().__init__(kind, name, known)
        self.kind, self.name, self.known = kind, name, tuple(known)

    def __str__(self) -> str:
        """The name, the nearest ones, and all known ones."""
        listed = ", ".join(self.known)
        return f"no {self.kind} {self.name!r}{hint(str(self.name), self.known)} — known: {listed}"


class Registry(dict[str, T]):
    """Entries of one kind by identifier, in the order in which they are registered.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Colour:
    ...     id: str
    >>> colours = Registry("colour", [Colour("red"), Colour("green")])
    >>> list(colours)
    ['red', 'green']
    >>> colours["gren"]
    Traceback (most recent call last):
    scoring.catalogs.UnknownNameError: no colour 'gren'; did you mean green? — known: red, green
    """

    def __init__(self, kind: str, entries: Iterable[T]) -> None:
        super().__init__((entry.id, entry) for entry in entries)
        self.kind = kind
        self.stand_ins: dict[str, T] = {}
        """Entries in place of missing ones: looked up by name, and never listed or offered."""

    def __missing__(self, name: str) -> T:
        """The stand-in of a name that is not registered; without one, refuse it with the nearest and all known ones."""
        if name in self.stand_ins:
            return self.stand_ins[name]
        raise UnknownNameError(self.kind, name, self)

    def __or__(self, other: Mapping[str, T]) -> Registry[T]:  # type: ignore[override]
        """The entries of both, under the kind of the first."""
        return Registry(self.kind, (*self.values(), *other.values()))

    def unknown(self, names: Iterable[str]) -> list[Problem]:
        """A problem for each name that is not registered."""
        expected = ", ".join(self)
        return [
            Problem(f"{self.kind}.unknown", {"got": shorten(name), "expected": expected})
            for name in names
            if name not in self
        ]
