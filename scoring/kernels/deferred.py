"""Kernels that are compiled when they have much to do, and run as plain Python before that.

Loading numba and machine code takes half a second, more than all that a command computes of a small table. The same
functions run either way, on integers and on floats whose operations are the same, so results do not differ by a bit.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import update_wrapper
from threading import RLock
from typing import Any, TypeVar

import numpy as np

MOST_WORK = 20_000
"""Elements of arrays that plain Python goes through in one process, about a tenth of a second."""
_LOCK = RLock()
_done = 0
Made = TypeVar("Made", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class _Type:
    """An expression of numba's types, kept until numba is loaded."""

    resolve: Callable[[], Any]

    def __getattr__(self, name: str) -> _Type:
        return _Type(lambda: getattr(self.resolve(), name))

    def __call__(self, *arguments: Any, **options: Any) -> _Type:
        return _Type(lambda: self.resolve()(*map(_resolved, arguments), **options))

    def __getitem__(self, key: Any) -> _Type:
        return _Type(lambda: self.resolve()[key])


def _numba_types() -> Any:
    from numba import types as found

    return found


def _resolved(value: Any) -> Any:
    return value.resolve() if isinstance(value, _Type) else value


types = _Type(_numba_types)
"""Stands for `numba.types` in signatures."""


class Deferred:
    """A function of a module whose functions are compiled together, at the first call that has much to do."""

    def __init__(
        self, function: Callable[..., Any], signature: _Type | None, work: Callable[..., int] | None
    ) -> None:
        update_wrapper(self, function)
        self.function, self.signature, self._work = function, signature, work
        self.machine_code: Callable[..., Any] | None = None

    def __call__(self, *arguments: Any) -> Any:
        if self.machine_code is None and self._work is not None and not self._is_little(arguments):
            _compile(self.function.__module__)
        return (self.machine_code or self.function)(*arguments)

    def _is_little(self, arguments: tuple[Any, ...]) -> bool:
        global _done
        assert self._work is not None
        if "numba" in sys.modules:
            return False
        _done += self._work(*arguments)
        return _done <= MOST_WORK


def sizes(*arguments: Any) -> int:
    """The elements of all arrays."""
    return sum(each.size for each in arguments if isinstance(each, np.ndarray))


def njit(function: Made) -> Made:
    """A part that only functions of the same module call; compiled with them."""
    return Deferred(function, None, None)  # type: ignore[return-value]  # it is called alike


def compiled(signature: _Type, *, work: Callable[..., int] | None = None) -> Callable[[Made], Made]:
    """Compile for one signature, later; `work` says of arguments how many elements are gone through.

    Without `work` it is a part of other functions of the module.
    """
    return lambda function: Deferred(function, signature, work)  # type: ignore[return-value]


def _compile(name: str) -> None:
    """Compile all functions of a module in order, each in the place of its deferred one."""
    from numba import njit as numba_njit

    from scoring.kernels.compiled import compiled as for_signature

    with _LOCK:
        module = sys.modules[name]
        for own, deferred in list(_deferred(module)):
            if deferred.signature is None:
                made = numba_njit(deferred.function)
            else:
                made = for_signature(deferred.signature.resolve())(deferred.function)
            deferred.machine_code = made
            setattr(module, own, made)


def _deferred(module: Any) -> Iterator[tuple[str, Deferred]]:
    return ((name, each) for name, each in vars(module).items() if isinstance(each, Deferred))
