"""Functions by their address, imported at their first use.

Pages and command-line help that only list measures and attacks do not load the numerical libraries.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any


def function_at(address: str) -> Any:
    """The function that "module:name" names."""
    module, _colon, name = address.partition(":")
    return getattr(import_module(module), name)
