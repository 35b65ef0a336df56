"""Pages that are kept with holes: what is another in each answer, or for each reader, is filled in as it is given."""

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
    """What holes are filled from: who asks, at which revision of the contest, and the part that all readers share."""

    request: HttpRequest
    numbers: Numbers
    shared: str

    @cached_property
    def token(self) -> str:
        """Against forged requests."""
        return get_token(self.request)


Fill = Callable[[Answer], str]


@dataclass(frozen=True, slots=True)
class Kept:
    """A page in pieces: HTML, and what makes the HTML of a hole."""

    pieces: tuple[str | Fill, ...]

    def filled(self, answer: Answer) -> str:
        return "".join(p if isinstance(p, str) else p(answer) for p in self.pieces)

    @property
    def weight(self) -> int:
        return sum(len(piece) for piece in self.pieces if isinstance(piece, str))


class Holes:
    """The holes of a page that is being rendered; a template shows each by a mark that nobody can know."""

    def __init__(self) -> None:
        self._fills: dict[str, Fill] = {}

    def add(self, fill: Fill) -> SafeString:
        """The mark of a hole."""
        mark = secrets.token_hex(16)
        self._fills[mark] = fill
        return mark_safe(mark)  # noqa: S308 — hexadecimal digits

    def cut(self, html: str) -> Kept:
        """The page that was rendered, without its marks."""
        pieces = re.split(f"({'|'.join(self._fills)})", html)
        return Kept(tuple(self._fills.get(piece, piece) for piece in pieces))
