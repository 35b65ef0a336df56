# SPDX-License-Identifier: Apache-2.0
"""A bounded cache of recent values in a process; it may be cleared at any time."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock
from typing import Any, ClassVar, Generic, TypeVar
from weakref import WeakSet

V = TypeVar("V")


class Recent(Generic[V]):
    """The most recently used values; the oldest are evicted if there are too many, or they are too large."""

    ALL: ClassVar[WeakSet[Recent[Any]]] = WeakSet()

    def __init__(self, most: int, *, most_weight: int = 0) -> None:
        self._most, self._most_weight, self._weight = most, most_weight, 0
        self._kept: OrderedDict[Hashable, tuple[V, int]] = OrderedDict()
        self._lock = Lock()
        self.ALL.add(self)

    def get(self, key: Hashable) -> V | None:
        """The value under this key, if it is still cached."""
        with self._lock:
            found = self._kept.get(key)
            if found is None:
                return None
            self._kept.move_to_end(key)
            return found[0]

    def put(self, key: Hashable, value: V, *, weight: int = 0) -> None:
        """Cache the value, and evict what exceeds the bounds."""
        with self._lock:
            if (before := self._kept.pop(key, None)) is not None:
                self._weight -= before[1]
            self._kept[key] = value, weight
            self._weight += weight
            while len(self._kept) > self._most or (
                self._most_weight and self._weight > self._most_weight
            ):
                self._weight -= self._kept.popitem(last=False)[1][1]

    def clear(self) -> None:
        """Remove everything."""
        with self._lock:
            self._kept.clear()
            self._weight = 0


class Turns:
    """Lets one thread at a time compute a missing value: the others find it when their turn comes."""

    def __init__(self, n_locks: int = 64) -> None:
        self._locks = [Lock() for _ in range(n_locks)]

    def of(self, name: Hashable) -> Lock:
        return self._locks[hash(name) % len(self._locks)]


def forget_all() -> None:
    """Clear all caches of this process."""
    for recent in Recent.ALL:
        recent.clear()
