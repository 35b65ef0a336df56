# SPDX-License-Identifier: Apache-2.0
"""Refusals: requests that the rules do not allow now; an error of the request, not of the program."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from pwscup.core.texts.parts import joined

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

    Text = str | _StrPromise


class Refused(Exception):  # noqa: N818 — not an error of the program
    """A refused request; `messages` give the reason and advice in the reader's language."""

    def __init__(self, *messages: Text) -> None:
        super().__init__(*messages)
        self.messages = messages

    def __str__(self) -> str:
        return joined(*self.messages)


class RefusedByCode(Refused):
    """A refusal with a stable code: its text is in `TEXTS`, filled with `params`."""

    TEXTS: ClassVar[Mapping[str, Text]]

    def __init__(self, code: str, **params: Any) -> None:
        self.code, self.params = code, params
        super().__init__(self.message)

    @property
    def message(self) -> str:
        return str(self.TEXTS[self.code]) % self.params
