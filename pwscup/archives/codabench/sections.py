# SPDX-License-Identifier: Apache-2.0
"""Keys of a competition.yaml, read one by one: a value of the wrong type is a problem at its place."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime, time
from typing import Any

from pwscup.archives.codabench.notes import Notes
from pwscup.archives.codabench.pages import clean

YEARS = range(2000, 2100)
LARGEST = 2**31 - 1
MONTHS = 12
YEAR_LAST = re.compile(r"(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})((?:[T ].*)?)", re.ASCII)
YEAR_FIRST = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})((?:[T ].*)?)", re.ASCII)


class Section:
    """A table of keys; `path` is its place in the file, as problems name it.

    Readers ask for the keys that they know, some of which have another name in older bundles; `unknown` are the others.
    """

    def __init__(
        self, values: Mapping[Any, Any], path: str, problems: Notes, left_out: Notes
    ) -> None:
        self.values = {str(key): value for key, value in values.items()}
        self.path, self.problems, self.left_out = path, problems, left_out
        self._known: set[str] = set()

    def where(self, key: str = "") -> str:
        """The place of a key, as notes name it."""
        return ".".join(part for part in (self.path, key) if part)

    def called(self, *names: str) -> str:
        """The first of the names under which there is a value, otherwise the first."""
        self._known.update(names)
        return next((n for n in names if self.values.get(n) is not None), names[0])

    def get(self, *names: str) -> Any:
        """A value as it is; None where there is none."""
        return self.values.get(self.called(*names))

    @property
    def unknown(self) -> list[str]:
        return [key for key in self.values if key not in self._known]

    def wrong(self, key: str, expected: str, got: object) -> None:
        self.problems.add("wrong", self.where(key), expected=expected, got=got)

    def text(self, *names: str, is_needed: bool = False) -> str:
        """A text without invisible characters; numbers are texts, too. Empty where there is none."""
        key = self.called(*names)
        value = self.values.get(key)
        if value is None:
            if is_needed:
                self.problems.add("missing", self.where(key), expected="text")
            return ""
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            self.wrong(key, "text", value)
            return ""
        if is_needed and not clean(str(value)):
            self.problems.add("empty", self.where(key), expected="text")
        return clean(str(value))

    def whole(self, *names: str, default: int | None = None) -> int | None:
        """A whole number from 0; the default where the key is missing, None where it stands without a value."""
        key = self.called(*names)
        if key not in self.values:
            return default
        value = self.values[key]
        if value is None or value == "":
            return None
        if isinstance(value, str) and value.strip().isascii() and value.strip().isdigit():
            value = int(value.strip()[:12])
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= LARGEST:
            self.wrong(key, "whole", value)
            return default
        return value

    def flag(self, *names: str, default: bool = False) -> bool:
        key = self.called(*names)
        value = self.values.get(key)
        if isinstance(value, str) and value.strip().lower() in ("true", "false"):
            value = value.strip().lower() == "true"
        if value is None or value == "":
            return default
        if not isinstance(value, bool) and value not in (0, 1):
            self.wrong(key, "flag", value)
            return default
        return bool(value)

    def time(self, *names: str, is_needed: bool = False) -> datetime | None:
        """A time in UTC; a date is its first second, and a time without a zone is one of UTC."""
        key = self.called(*names)
        value = self.values.get(key)
        if value is None or value in ("", "null"):
            if is_needed:
                self.problems.add("missing", self.where(key), expected="time")
            return None
        found = _time(value)
        if found is None:
            self.wrong(key, "time", value)
        elif isinstance(value, str) and YEAR_LAST.fullmatch(value.strip()):
            self.left_out.add("date_order", self.where(key), got=value, day=f"{found:%Y-%m-%d}")
        return found

    def indexes(self, key: str) -> list[str]:
        """A list of numbers or names, as texts; one of them need not be in a list."""
        value = self.get(key)
        if value is None:
            return []
        listed = value if isinstance(value, list) else [value]
        if not all(isinstance(v, str | int) and not isinstance(v, bool) for v in listed):
            self.wrong(key, "numbers", value)
            return []
        return [str(v) for v in listed]

    def section(self, *names: str) -> Section | None:
        """A table below a key; None where there is none."""
        key = self.called(*names)
        value = self.values.get(key)
        if value is None:
            return None
        if not isinstance(value, dict):
            self.wrong(key, "section", value)
            return None
        return Section(value, self.where(key), self.problems, self.left_out)

    def sections(self, *names: str, most: int) -> list[Section]:
        """A list of tables, or a table of named ones, as in CodaLab 1.5; empty where there is none."""
        key = self.called(*names)
        value = self.values.get(key)
        if value is None:
            return []
        if isinstance(value, dict):
            found = [(f"{self.where(key)}.{name}", item) for name, item in value.items()]
        elif isinstance(value, list):
            found = [(f"{self.where(key)}[{n}]", item) for n, item in enumerate(value, start=1)]
        else:
            found = [("", None)]
        if not all(isinstance(item, dict) for _, item in found):
            self.wrong(key, "sections", value)
            return []
        if len(found) > most:
            self.problems.add("too_many", self.where(key), expected=most, got=len(found))
            return []
        return [
            Section(item, clean(path)[:200], self.problems, self.left_out) for path, item in found
        ]


def _time(value: object) -> datetime | None:
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(_in_order(value.strip()))
        except ValueError:
            return None
    if isinstance(value, date) and not isinstance(value, datetime):
        value = datetime.combine(value, time())
    if not isinstance(value, datetime) or value.year not in YEARS:
        return None
    return (value if value.tzinfo else value.replace(tzinfo=UTC)).astimezone(UTC)


def _in_order(text: str) -> str:
    """A date as ISO 8601 has it. Before the year Codabench reads the month first, unless there is no such month.

    Examples
    --------
    >>> [_in_order(text) for text in ("12-31-2030 8:00", "31/12/2030", "2030-1-5", "2030-01-05T10:00Z")]
    ['2030-12-31 08:00', '2030-12-31', '2030-01-05', '2030-01-05T10:00Z']
    """
    if found := YEAR_LAST.fullmatch(text):
        month, day, year = (int(found[n]) for n in (1, 2, 3))
        if month > MONTHS:
            month, day = day, month
    elif found := YEAR_FIRST.fullmatch(text):
        year, month, day = (int(found[n]) for n in (1, 2, 3))
    else:
        return text
    rest = re.sub(r"^([T ])(\d:)", r"\g<1>0\2", found[4])
    return f"{year:04}-{month:02}-{day:02}{rest}"
