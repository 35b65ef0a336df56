# SPDX-License-Identifier: Apache-2.0
"""Kernels that are compiled when they have much to do, and run as plain Python before that.

Loading numba and machine code takes half a second, more than all that a command computes of a small table. The same
functions run either way, on integers and on floats whose operations are the same, so results do not differ by a bit.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial, update_wrapper
from importlib import import_module
from threading import RLock
from types import FunctionType
from typing import Any, TypeVar, overload

import numpy as np

MOST_WORK = 50_000
"""Elements of arrays that plain Python goes through in one process, a tenth to a fifth of a second."""
_LOCK = RLock()
_done = 0
Made = TypeVar("Made", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Module:
    """A module that is imported when something of it is asked for."""

    name: str

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module(self.name), name)


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
        self,
        function: Callable[..., Any],
        make: Callable[[Callable[..., Any]], Any],
        *,
        work: Callable[..., int] | None = None,
        plain: Callable[..., Any] | None = None,
    ) -> None:
        update_wrapper(self, function)
        self.compiled_from, self.make, self._work = function, make, work
        self.function = plain or function
        self.machine_code: Callable[..., Any] | None = None

    def __call__(self, *arguments: Any) -> Any:
        if self.machine_code is None and self._work is not None and not self._is_little(arguments):
            load(self.compiled_from.__module__)
        return (self.machine_code or self.function)(*arguments)

    def _is_little(self, arguments: tuple[Any, ...]) -> bool:
        global _done
        assert self._work is not None
        if "numba" in sys.modules:
            return False
        _done += int(self._work(*arguments))
        return _done <= MOST_WORK


def sizes(*arguments: Any) -> int:
    """The elements of all arrays."""
    return sum(each.size for each in arguments if isinstance(each, np.ndarray))


@overload
def njit(function: Made) -> Made: ...
@overload
def njit(*, plain: Callable[..., Any] | None = None, **options: Any) -> Callable[[Made], Made]: ...
def njit(function: Any = None, *, plain: Callable[..., Any] | None = None, **options: Any) -> Any:
    """A part that only functions of the same module call; compiled with them, `plain` in its place before that."""
    make = partial(_njit, **options)
    if function is None:
        return lambda given: Deferred(given, make, plain=plain)
    return Deferred(function, make)


def instruction(plain: Callable[..., Any]) -> Callable[[Any], Any]:
    """A part that is written as instructions of the compiler, and `plain` for Python."""
    return lambda function: Deferred(function, _intrinsic, plain=plain)


def compiled(
    signature: _Type,
    *,
    work: Callable[..., int] | None = None,
    plain: Callable[..., Any] | None = None,
) -> Callable[[Made], Made]:
    """Compile for one signature, later; `work` says of arguments how many elements are gone through.

    Without `work` it is a part of other functions of the module; `plain` is as in `njit`.
    """
    make = partial(_compiled, signature)
    return lambda function: Deferred(function, make, work=work, plain=plain)  # type: ignore[return-value]  # it is called alike


def load(name: str) -> None:
    """Compile all functions of a module in order, or load their machine code.

    They are compiled in a namespace of their own, so that a thread that runs the plain ones meets no others. In the
    module those that others call take the places of the deferred ones at the end.
    """
    module = import_module(name)
    with _LOCK:
        waiting = {
            own: each
            for own, each in vars(module).items()
            if isinstance(each, Deferred) and each.machine_code is None
        }
        namespace = dict(vars(module))
        for own, each in waiting.items():
            namespace[own] = each.make(_within(namespace, each.compiled_from))
        for own, each in waiting.items():
            if each._work is not None:
                each.machine_code = namespace[own]
                setattr(module, own, each.machine_code)


def _within(namespace: dict[str, Any], function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, looking up what it calls in a namespace."""
    assert isinstance(function, FunctionType)
    made = FunctionType(
        function.__code__, namespace, function.__name__, function.__defaults__, function.__closure__
    )
    update_wrapper(made, function)
    del made.__wrapped__  # type: ignore[attr-defined]  # it is the function itself
    return made


def _njit(function: Callable[..., Any], **options: Any) -> Any:
    from numba import njit as made

    return made(**options)(function)


def _compiled(signature: _Type, function: Callable[..., Any]) -> Any:
    from scoring.kernels.compiled import compiled as for_signature

    return for_signature(signature.resolve())(function)


def _intrinsic(function: Callable[..., Any]) -> Any:
    from numba.extending import intrinsic

    return intrinsic(function)
