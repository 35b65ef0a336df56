# SPDX-License-Identifier: Apache-2.0
"""Cached pages with holes: the parts that differ between responses or readers are filled in for each response."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from django.middleware.csrf import get_token
from django.utils.safestring import SafeString, mark_safe

if TYPE_CHECKING:
    from django.http import HttpRequest

    from pwscup.core.db.revisions import Numbers


@dataclass(frozen=True)
class Answer:
    """Context for filling holes: the reader, the revision of the contest, and the part that all readers share."""

    request: HttpRequest
    numbers: Numbers
    shared: str

    @cached_property
    def token(self) -> str:
        """The token against cross-site request forgery."""
        return get_token(self.request)


Fill = Callable[[Answer], str]


@dataclass(frozen=True, slots=True)
class Kept:
    """A page in pieces: HTML, and functions that render the HTML of a hole."""

    pieces: tuple[str | Fill, ...]

    def filled(self, answer: Answer) -> str:
        return "".join(p if isinstance(p, str) else p(answer) for p in self.pieces)

    @property
    def weight(self) -> int:
        return sum(len(piece) for piece in self.pieces if isinstance(piece, str))


class Holes:
    """The holes of a page while it is rendered; a template contains each as an unguessable placeholder."""

    def __init__(self) -> None:
        self._fills: dict[str, Fill] = {}

    def add(self, fill: Fill) -> SafeString:
        """The placeholder of a hole."""
        mark = secrets.token_hex(16)
        self._fills[mark] = fill
        return mark_safe(mark)  # noqa: S308 — hexadecimal digits

    def cut(self, html: str) -> Kept:
        """The rendered page, without its placeholders."""
        pieces = re.split(f"({'|'.join(self._fills)})", html)
        return Kept(tuple(self._fills.get(piece, piece) for piece in pieces))
