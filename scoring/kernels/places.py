# SPDX-License-Identifier: Apache-2.0
"""A further place of compiled kernels: the folder of their source, also where nobody may write in it.

numba takes a folder only where it can write. An image of a container is read-only, and holds its kernels already:
`NUMBA_CACHE_LOCATOR_CLASSES` names this place there, and `NUMBA_CPU_NAME=generic` lets them run on any machine.
"""

from __future__ import annotations

from pathlib import Path

from numba.core.caching import InTreeCacheLocator


class CompiledIn(InTreeCacheLocator):
    """The `__pycache__` of a module for whose functions there is an index in it."""

    def ensure_cache_path(self) -> None:
        """Accept a folder with kernels as it is; one without has to be writable.

        Raises
        ------
        OSError
            Where numba has to look for another place.
        """
        source = Path(self._py_file)
        kept = (source.parent / "__pycache__").glob(f"{source.stem}.*.nbi")
        if next(kept, None) is None:
            super().ensure_cache_path()  # type: ignore[no-untyped-call]  # numba has no types
