# SPDX-License-Identifier: Apache-2.0
"""Form fields for lists of numbers."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

SEPARATORS = re.compile(r"[,;、\s]+")
NUMBER = re.compile(r"[0-9]{1,12}(\.[0-9]{1,12})?")
MAX_SHOWN = 20
"""The number of characters of the input that an error message repeats."""


class NumbersField(forms.CharField):
    """Numbers between two bounds, separated by commas or spaces; all invalid ones are reported.

    They are distinct, or, with `repeated`, any number of equal ones is allowed.

    With `whole` they are integers; others have at most six significant digits, which names of files show.
    """

    default_error_messages = {
        "wrong": _("“%(got)s” cannot be used — expected a number from %(low)s to %(high)s."),
        "wrong_whole": _(
            "“%(got)s” cannot be used — expected an integer from %(low)s to %(high)s."
        ),
        "too_many": _("Too many — expected at most %(expected)d — got %(got)d."),
    }

    def __init__(
        self,
        *,
        low: float,
        high: float,
        most: int,
        whole: bool = False,
        repeated: bool = False,
        **options: Any,
    ) -> None:
        super().__init__(max_length=500, **options)
        self.low, self.high, self.most = low, high, most
        self.whole, self.repeated = whole, repeated

    def prepare_value(self, value: Any) -> Any:
        if isinstance(value, list):
            return ", ".join(str(number) if self.whole else f"{number:g}" for number in value)
        return value

    def clean(self, value: Any) -> list[float]:
        text = unicodedata.normalize("NFKC", super().clean(value))
        pieces = [piece for piece in SEPARATORS.split(text) if piece]
        numbers = {piece: self._number(piece) for piece in pieces}
        errors = [self._wrong(piece) for piece, number in numbers.items() if number is None]
        found = [number for piece in pieces if (number := numbers[piece]) is not None]
        if not self.repeated:
            found = list(dict.fromkeys(found))
        if len(found) > self.most:
            params = {"expected": self.most, "got": len(found)}
            errors.append(ValidationError(self.error_messages["too_many"], "too_many", params))
        if errors:
            raise ValidationError(errors)
        return found

    def _number(self, piece: str) -> float | None:
        if not NUMBER.fullmatch(piece) or (self.whole and "." in piece):
            return None
        number = int(piece) if self.whole else float(f"{float(piece):g}")
        is_exact = number == float(piece)
        return number if is_exact and self.low <= number <= self.high else None

    def _wrong(self, piece: str) -> ValidationError:
        code = "wrong_whole" if self.whole else "wrong"
        params = {"got": piece[:MAX_SHOWN], "low": f"{self.low:,}", "high": f"{self.high:,}"}
        return ValidationError(self.error_messages[code], code, params)
