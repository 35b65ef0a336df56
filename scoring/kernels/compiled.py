"""How kernels are compiled: for one signature, on import, and kept beside the source."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(signature: Any) -> Callable[[Function], Function]:
    """Compile a function for one signature; where another compiled function calls it, inline it.

    A kept function is not compiled anew where one in another module that it calls has changed, so
    what calls each other stays in one module.
    """
    decorate: Callable[[Function], Function] = numba.njit(
        signature, cache=True, nogil=True, forceinline=True
    )
    return decorate
