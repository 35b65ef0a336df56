# SPDX-License-Identifier: Apache-2.0
"""Differential privacy: mechanisms, their noise, what they cost, and what can be learned in spite of them.

A domain of categorical attributes is `sizes`, the number of values of each; a contingency table over it is an array
of that shape, in C order. ε is a positive finite number, and in contests a decimal of at most six places.

Two kinds of randomness are kept apart. Published output is drawn by `sampling`, exactly and from the
operating system's randomness. Experiments take a `numpy.random.Generator` and repeat with its seed.

`histogram`, `respond` and `estimate` take frames and texts. The modules have everything else: numbers in and out.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scoring.privacy.frames import estimate, histogram, respond

__all__ = [
    "accounting",
    "by_opendp",
    "diversity",
    "estimate",
    "histogram",
    "loss_distributions",
    "lower_bounds",
    "mechanisms",
    "post_randomization",
    "randomized_response",
    "reconstruction",
    "respond",
    "sampling",
    "sensitivity",
    "tables",
    "zcdp",
]
_FRAMES = ("estimate", "histogram", "respond")


def __getattr__(name: str) -> Any:
    """Import a public name at its first use (PEP 562)."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name in _FRAMES:
        return getattr(import_module(f"{__name__}.frames"), name)
    return import_module(f"{__name__}.{name}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
