# SPDX-License-Identifier: Apache-2.0
"""Compilation of kernels: for one signature, on import, kept in a cache folder."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any, TypeVar

import numba

from scoring import kernels

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(signature: Any) -> Callable[[Function], Function]:
    """Compile a function for one signature; where another compiled function calls it, inline it.

    A kept function is not compiled again where one in another module that it calls has changed, so
    what calls each other stays in one module.
    """
    decorate: Callable[[Function], Function] = numba.njit(
        signature, cache=True, nogil=True, forceinline=True
    )
    return decorate


def _start_without_blas() -> None:
    """Load the part of numba that asks once whether SciPy's BLAS is there, and let it find none."""
    blas = "scipy.linalg.cython_blas"
    if blas in sys.modules:
        return
    sys.modules[blas] = None  # type: ignore[assignment]  # which makes its import fail
    try:
        import_module("numba.np.arraymath")
    finally:
        del sys.modules[blas]


if not kernels.needs_blas:
    _start_without_blas()
