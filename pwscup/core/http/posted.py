"""What a button posts beside any form."""

from __future__ import annotations

from django.http import HttpRequest

MAX_DIGITS = 18
"""A longer number is the key of no row."""


def posted_number(request: HttpRequest, name: str) -> int | None:
    """The number that was posted; None where it is none."""
    text = request.POST.get(name, "")
    is_number = text.isascii() and text.isdigit() and len(text) <= MAX_DIGITS
    return int(text) if is_number else None
