# SPDX-License-Identifier: Apache-2.0
"""Values posted by buttons outside of forms."""

from __future__ import annotations

from django.http import HttpRequest

MAX_DIGITS = 18
"""A longer number is not the key of any row."""


def posted_number(request: HttpRequest, name: str) -> int | None:
    """The posted number; None if it is not a number."""
    text = request.POST.get(name, "")
    is_number = text.isascii() and text.isdigit() and len(text) <= MAX_DIGITS
    return int(text) if is_number else None
