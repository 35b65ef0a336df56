# SPDX-License-Identifier: Apache-2.0
"""Functions by their address, imported at their first use.

Pages and command-line help that only list measures and attacks do not load the numerical libraries.
"""

from __future__ import annotations

import ast
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any


def function_at(address: str) -> Any:
    """The function that "module:name" names."""
    module, _colon, name = address.partition(":")
    __import__(
        module
    )  # waits for another thread that imports it, and takes half the time of import_module
    return getattr(sys.modules[module], name)


def docstring_at(address: str) -> str:
    """The docstring of the function that "module:name" names, read without importing its module."""
    module, _colon, name = address.partition(":")
    return _docstrings(module)[name]


@cache
def _docstrings(module: str) -> dict[str, str]:
    """The docstring of every function of a module, by name."""
    spec = find_spec(module)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(f"no module {module!r}")
    tree = ast.parse(Path(spec.origin).read_text(encoding="utf-8"))
    functions = (node for node in tree.body if isinstance(node, ast.FunctionDef))
    return {node.name: ast.get_docstring(node) or "" for node in functions}
