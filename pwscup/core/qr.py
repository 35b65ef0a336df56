# SPDX-License-Identifier: Apache-2.0
"""QR codes as SVG, for pages: one path, dark modules on white."""

from __future__ import annotations

from django.utils.html import format_html
from django.utils.safestring import SafeString

QUIET = 4
"""Light modules around the code, as ISO/IEC 18004 asks for."""


def modules(text: str) -> list[list[bool]]:
    """The rows of the code, True for dark; error correction M, which survives 15 % of damage."""
    from reportlab.graphics.barcode import qrencoder  # most processes draw none

    code = qrencoder.QRCode(None, qrencoder.QRErrorCorrectLevel.M)
    code.addData(text)
    code.make()
    size = range(code.getModuleCount())
    return [[bool(code.isDark(row, column)) for column in size] for row in size]


def svg(text: str, label: str) -> SafeString:
    """The code as an `<svg>` element that fills its place; `label` is what screen readers say."""
    rows = modules(text)
    size = len(rows) + 2 * QUIET
    path = "".join(
        f"M{x + QUIET} {y + QUIET}h1v1h-1z"
        for y, row in enumerate(rows)
        for x, dark in enumerate(row)
        if dark
    )
    return format_html(
        '<svg class="qr" viewBox="0 0 {size} {size}" role="img" aria-label="{label}" '
        'shape-rendering="crispEdges"><rect width="{size}" height="{size}" fill="#fff"/>'
        '<path d="{path}" fill="#000"/></svg>',
        size=size,
        label=label,
        path=path,
    )
