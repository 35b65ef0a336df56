# SPDX-License-Identifier: Apache-2.0
"""The generated picture of a team: the same name gives the same picture, in every contest and on every page."""

from __future__ import annotations

import hashlib

from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

SIDE, HALF = 5, 3
TONES = 6
"""The number of colours: the classes `tone-0`, `tone-1` … of the style sheet."""


def cells_of(name: str) -> list[tuple[int, int]]:
    """The filled cells of a grid of 5 × 5 as (column, row), symmetric from left to right."""
    bits = int.from_bytes(hashlib.sha256(name.encode()).digest()[:4], "big")
    left = [(n % HALF, n // HALF) for n in range(HALF * SIDE) if bits >> n & 1]
    return sorted({(x, y) for at, y in left for x in (at, SIDE - 1 - at)})


def tone_of(name: str) -> int:
    """The colour of the picture: a number below `TONES`."""
    return hashlib.sha256(name.encode()).digest()[-1] % TONES


def picture(name: str) -> SafeString:
    """The picture as SVG; it is decorative, because the name stands next to it."""
    path = "".join(f"M{x + 1} {y + 1}h1v1h-1z" for x, y in cells_of(name))
    return format_html(
        '<svg class="team-picture tone-{}" viewBox="0 0 7 7" aria-hidden="true" focusable="false">'
        '<path d="{}"/></svg>',
        tone_of(name),
        mark_safe(path),  # noqa: S308 — digits and letters made above
    )
