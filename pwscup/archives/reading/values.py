# SPDX-License-Identifier: Apache-2.0
"""Conversion of texts in archives to values of fields."""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from typing import Any

from django.core.exceptions import ValidationError
from django.db import models

NUL = "\0"
YEARS = range(1900, 3000)
"""Near the ends of the calendar a time has no date in some zones."""
UNPARSABLE = (ValueError, TypeError, KeyError, InvalidOperation, OverflowError, RecursionError)


class WrongValue(ValueError):  # noqa: N818 — the archive is at fault, not the program
    """A value that its field does not accept; `code` is one of `problems.TEXTS`."""

    def __init__(self, code: str, expected: str = "") -> None:
        super().__init__(code)
        self.code, self.expected = code, expected


def value_of(field: models.Field, raw: Any) -> Any:
    """The value of a field from a cell of CSV, or from JSON or TOML.

    Raises
    ------
    WrongValue
        If it is not valid.
    """
    is_text = isinstance(field, models.CharField | models.TextField)
    if raw is None or (raw == "" and not is_text):
        if not field.null:
            raise WrongValue("empty")
        return None
    value = _parsed(field, raw)
    if field.choices and value not in (choices := [choice for choice, _ in field.flatchoices]):
        raise WrongValue("choice", ", ".join(map(str, choices)))
    if value != "":
        try:
            field.run_validators(value)
        except ValidationError as error:
            raise WrongValue(_code_of(field)) from error
    return value


def _code_of(field: models.Field) -> str:
    return next((code for kind, (code, _) in PARSERS.items() if isinstance(field, kind)), "value")


def _parsed(field: models.Field, raw: Any) -> Any:
    for kind, (code, parse) in PARSERS.items():
        if isinstance(field, kind):
            try:
                return parse(raw)
            except UNPARSABLE as error:
                raise WrongValue(code) from error
    raise TypeError(f"no archive holds a {type(field).__name__}")


def _moment(raw: Any) -> datetime:
    moment = datetime.fromisoformat(raw)
    if moment.tzinfo is None:
        raise ValueError("without a zone")
    if moment.year not in YEARS:
        raise ValueError("at the end of time")
    return moment.astimezone(UTC)


def _integer(raw: Any) -> int:
    if isinstance(raw, bool | float):
        raise TypeError("not an integer")
    return int(raw)


def _decimal(raw: Any) -> Decimal:
    value = Decimal(str(raw))
    if not value.is_finite():
        raise ValueError("not finite")
    return value


def _float(raw: Any) -> float:
    value = float(raw)
    if not math.isfinite(value) or isinstance(raw, bool):
        raise ValueError("not finite")
    return value


def _boolean(raw: Any) -> bool:
    return {"true": True, "false": False}[raw] if isinstance(raw, str) else _is_bool(raw)


def _is_bool(raw: Any) -> bool:
    if not isinstance(raw, bool):
        raise TypeError("not true or false")
    return raw


def _json(raw: Any) -> Any:
    value = json.loads(raw) if isinstance(raw, str) else raw
    if "\\u0000" in json.dumps(value, allow_nan=False):
        raise ValueError("NUL")
    return value


def _text(raw: Any) -> str:
    if not isinstance(raw, str) or NUL in raw:
        raise TypeError("not a text")
    raw.encode()  # refuses unpaired surrogates
    return raw


PARSERS: dict[type[models.Field], tuple[str, Any]] = {
    models.DateTimeField: ("moment", _moment),
    models.BooleanField: ("boolean", _boolean),
    models.IntegerField: ("integer", _integer),
    models.DecimalField: ("decimal", _decimal),
    models.FloatField: ("decimal", _float),
    models.JSONField: ("value", _json),
    models.CharField: ("text", _text),
    models.TextField: ("text", _text),
}
