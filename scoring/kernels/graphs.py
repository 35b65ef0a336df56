# SPDX-License-Identifier: Apache-2.0
"""Connected components (B. A. Galler and M. J. Fischer, "An improved equivalence algorithm")."""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

from scoring.kernels.deferred import compiled, sizes, types

Array = npt.NDArray[Any]

_NODES = types.Array(types.int64, 1, "C", readonly=True)


@compiled(types.int64(types.int64[::1], types.int64))
def _first(label: Array, node: int) -> int:
    """The first node of a component, as far as it is joined; the way there becomes shorter."""
    while label[node] != node:
        label[node] = label[label[node]]
        node = label[node]
    return node


@compiled(types.void(_NODES, _NODES, types.int64[::1]), work=sizes)
def join(one: Array, other: Array, label: Array) -> None:
    """Label the nodes of a graph by the first node of their component; before, each is its own label.

    Edge i joins `one[i]` and `other[i]`.
    """
    for i in range(len(one)):
        a, b = _first(label, one[i]), _first(label, other[i])
        label[max(a, b)] = min(a, b)
    for node in range(len(label)):
        label[node] = label[label[node]]  # whose label is final: it comes before
