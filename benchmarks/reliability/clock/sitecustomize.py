# SPDX-License-Identifier: Apache-2.0
"""A clock that is wrong by CLOCK_OFFSET seconds, in every Python process that has this folder in its PYTHONPATH.

Python imports this module before any other of the program. What measures durations stays right.
"""

import contextlib
import datetime
import os
import time

OFFSET = float(os.environ.get("CLOCK_OFFSET", "0"))
RealDatetime, RealDate = datetime.datetime, datetime.date
_time, _time_ns = time.time, time.time_ns


class _LikeReal(type):
    """A class whose instances are those of the real one, which code in C makes."""

    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, RealDatetime)

    def __subclasscheck__(cls, other: type) -> bool:
        return issubclass(other, RealDatetime)


class ShiftedDatetime(RealDatetime, metaclass=_LikeReal):
    """The class `datetime.datetime`, of which only the present differs; it makes real instances."""

    def __new__(cls, *args, **kwargs):
        return RealDatetime(*args, **kwargs)

    @classmethod
    def now(cls, tz: datetime.tzinfo | None = None) -> RealDatetime:
        return RealDatetime.fromtimestamp(time.time(), tz)

    @classmethod
    def utcnow(cls) -> RealDatetime:
        return RealDatetime.fromtimestamp(time.time(), datetime.UTC).replace(tzinfo=None)

    @classmethod
    def today(cls) -> RealDatetime:
        return cls.now()


if OFFSET:
    with contextlib.suppress(ImportError):
        import pandas  # noqa: F401 — its compiled modules take the real class only, when they are loaded
    time.time = lambda: _time() + OFFSET
    time.time_ns = lambda: _time_ns() + int(OFFSET * 1e9)
    datetime.datetime = ShiftedDatetime  # type: ignore[misc]
