# SPDX-License-Identifier: Apache-2.0
"""Answers of the API as typed records, checked: a site may answer anything."""

from __future__ import annotations

import types
from dataclasses import MISSING, fields, is_dataclass
from datetime import datetime
from functools import cache
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from pwscup.client.errors import BadAnswerError

T = TypeVar("T")


def record(type_: type[T], data: object, **more: Any) -> T:
    """An object of a dataclass from an object of JSON; keys that it does not have are ignored.

    Parameters
    ----------
    type_ : dataclass
    data : any
        As the site answered it.
    **more
        Fields that are not in it.

    Raises
    ------
    BadAnswerError
        Where a key is missing or of another type.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Point:
    ...     x: int
    >>> record(Point, {"x": 1, "y": 2})
    Point(x=1)
    >>> record(Point, {"x": "1"})
    Traceback (most recent call last):
    pwscup.client.errors.BadAnswerError: Point.x: expected int — got '1'
    """
    if not isinstance(data, dict):
        raise _unfit(type_.__name__, "an object", data)
    found, hints = dict(more), _hints(type_)  # type: ignore[arg-type]
    for field in fields(type_):  # type: ignore[arg-type]
        if field.name in more or not field.init:
            continue
        if field.name not in data:
            if field.default is MISSING and field.default_factory is MISSING:
                raise _unfit(f"{type_.__name__}.{field.name}", "a value", None)
            continue
        where = f"{type_.__name__}.{field.name}"
        found[field.name] = value(hints[field.name], data[field.name], where)
    return type_(**found)


@cache
def _hints(type_: Any) -> dict[str, Any]:
    return get_type_hints(type_)


def value(hint: Any, given: object, where: str) -> Any:
    """A value of the type that a hint names.

    Raises
    ------
    BadAnswerError
        Where it is another one.
    """
    if hint is Any:
        return given
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        if given is None and type(None) in arguments:
            return None
        (inner,) = (one for one in arguments if one is not type(None))
        return value(inner, given, where)
    if origin in (list, tuple):
        if not isinstance(given, list):
            raise _unfit(where, "a list", given)
        return origin(value(arguments[0], one, where) for one in given)
    if origin is dict:
        if not isinstance(given, dict):
            raise _unfit(where, "an object", given)
        return {str(key): value(arguments[1], one, where) for key, one in given.items()}
    if hint is datetime:
        return _time(given, where)
    if hasattr(hint, "of"):
        return hint.of(given)
    if is_dataclass(hint):
        return record(hint, given)  # type: ignore[arg-type]
    if hint is float and isinstance(given, int) and not isinstance(given, bool):
        return float(given)
    if not isinstance(given, hint) or (isinstance(given, bool) and hint is not bool):
        raise _unfit(where, hint.__name__, given)
    return given


def _time(given: object, where: str) -> datetime:
    try:
        return datetime.fromisoformat(str(given).replace("Z", "+00:00"))
    except ValueError as error:
        raise _unfit(where, "a time", given) from error


def _unfit(where: str, expected: str, got: object) -> BadAnswerError:
    shown = repr(got)
    return BadAnswerError(f"{where}: expected {expected} — got {shown[:80]}", code="site.no_api")
