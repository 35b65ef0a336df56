# SPDX-License-Identifier: Apache-2.0
"""Imports between modules, read from the source: those within functions count, those for annotations do not."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

Graph = dict[str, set[str]]


def imports(root: Path, *packages: str) -> Graph:
    """The modules of some packages, each with those of them that it imports."""
    known = {_name(path, root): path for name in packages for path in (root / name).rglob("*.py")}
    return {name: set(_imported(path, known)) - {name} for name, path in sorted(known.items())}


def reached(graph: Graph, start: str) -> set[str]:
    """Everything that a node of a graph imports, directly or through others; itself too where it is in a circle."""
    found: set[str] = set()
    waiting = [start]
    while waiting:
        new = graph[waiting.pop()] - found
        found |= new
        waiting += new
    return found


def _name(path: Path, root: Path) -> str:
    parts = path.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imported(path: Path, known: dict[str, Path]) -> Iterator[str]:
    for node in _imports(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
            continue
        assert not node.level, f"{path}: expected absolute imports"
        for alias in node.names:
            whole = f"{node.module}.{alias.name}"
            name = whole if whole in known else str(node.module)
            if name in known:
                yield name


def _imports(node: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child
        elif not (isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test)):
            yield from _imports(child)
