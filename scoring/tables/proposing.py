# SPDX-License-Identifier: Apache-2.0
"""Steps that a raw table seems to need: a first proposal, from names and cells."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any

from scoring.tables.coded import counts_of, levels_of
from scoring.tables.raw_dates import order_of, parse_date
from scoring.tables.schema import DECIMALS, Role
from scoring.tables.steps import MISSING, plain_number_of
from scoring.tables.suggestion import named_role

if TYPE_CHECKING:
    import pandas as pd

ENOUGH = 0.9
"""The share of the known cells that must be numbers, or dates, for a column of them."""
MOST_DROPPED = 0.1
"""The share of the records that may be dropped because a number is missing."""
ROUND_TO = 2
_N_LOOKED_AT = 1_000
_BIRTH = re.compile(r".*(?:birth|dob|生年|誕生).*")
_PLAIN = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?")


@dataclass(frozen=True, slots=True)
class _Look:
    """The look of a column: counts of its known texts, and its signs of a missing value."""

    name: str
    known: dict[str, int]
    signs: tuple[str, ...]
    n_records: int

    @property
    def first(self) -> list[str]:
        """Some of the known texts."""
        return list(self.known)[:_N_LOOKED_AT]

    @property
    def n_missing(self) -> int:
        return self.n_records - sum(self.known.values())

    @property
    def is_untidy(self) -> bool:
        """Missing values are empty cells, or have several signs; one sign is a category already."""
        return "" in self.signs or len(self.signs) > 1

    @property
    def is_identifier(self) -> bool:
        if (role := named_role(self.name)) is not None:
            return role is Role.IDENTIFIER
        all_differ = len(self.known) == self.n_records >= 2
        return all_differ and not any("." in text for text in self.first) and not self.are_dates

    @property
    def are_numbers(self) -> bool:
        """Most are numbers, plain or with separators, and none is a code such as 007."""
        if any(len(text) > 1 and text[0] == "0" and text.isdecimal() for text in self.first):
            return False
        return _most(plain_number_of(text) is not None for text in self.first)

    @property
    def are_plain(self) -> bool:
        return all(_PLAIN.fullmatch(text) for text in self.known)

    @property
    def are_dates(self) -> bool:
        if _most(text.isdecimal() and len(text) != 8 for text in self.first):
            return False
        order = order_of(self.first)
        return _most(parse_date(text, order) is not None for text in self.first)

    @property
    def most_decimals(self) -> int:
        return max((len(text.partition(".")[2]) for text in self.known), default=0)


def proposed_steps(table: pd.DataFrame, *, today: date) -> list[dict[str, Any]]:
    """The steps that make a table of a raw one which the platform takes; a first guess, to be looked at.

    Columns that identify people by their name, or in which all cells differ, are left out. Numbers are made plain.
    Missing categories become a category of their own; records with missing numbers are dropped where that leaves
    nine of ten, else the median is imputed. Dates of birth become classes of ages on the last date of the other
    columns, or `today`; other dates become years. Numbers with more than four decimals are rounded to two.

    Parameters
    ----------
    table : DataFrame
        Of `raw_files.read_raw`.
    today : date

    Returns
    -------
    list of dict
        As in `preparing.Steps`.

    Examples
    --------
    >>> from scoring.tables.raw_files import read_raw
    >>> lines = ["氏名,生年月日,費用", '林蓮,1980/3/9,"1,200"', "林愛,1991/5/2,900", "林葵,2001/7/3,900"]
    >>> raw = read_raw("\\n".join(lines).encode())
    >>> [step["do"] for step in proposed_steps(raw.table, today=date(2026, 4, 1))]
    ['drop', 'numbers', 'dates']
    """
    looks = [_look(table, name) for name in table.columns]
    dropped = [look.name for look in looks if look.is_identifier]
    if len(dropped) == len(looks):
        dropped = []
    kept = [look for look in looks if look.name not in dropped]
    dates = [look for look in kept if look.are_dates]
    numeric = [look for look in kept if look not in dates and look.known and look.are_numbers]
    return [
        *([{"do": "drop", "columns": dropped}] if dropped else []),
        *_for_numbers(numeric),
        *_for_missing(table, kept, numeric),
        *_for_dates(dates, today),
        *_for_decimals(numeric),
    ]


def _look(table: pd.DataFrame, name: str) -> _Look:
    column = table[name]
    pairs = zip(levels_of(column), counts_of(column).tolist(), strict=True)
    counts = {text: n for text, n in pairs if n}
    known = {text: n for text, n in counts.items() if text not in MISSING}
    return _Look(name, known, tuple(text for text in counts if text in MISSING), len(table))


def _for_numbers(numeric: list[_Look]) -> Iterator[dict[str, Any]]:
    names = [look.name for look in numeric if not look.are_plain]
    if names:
        yield {"do": "numbers", "columns": names}


def _for_missing(
    table: pd.DataFrame, kept: list[_Look], numeric: list[_Look]
) -> Iterator[dict[str, Any]]:
    texts = [look.name for look in kept if look.is_untidy and look not in numeric]
    if texts:
        is_foreign = not all(name.isascii() for name in texts)
        label = {"label": "不明"} if is_foreign else {}
        yield {"do": "missing", "columns": texts, "how": "category", **label}
    lacking = [look for look in numeric if look.n_missing]
    if lacking:
        n_dropped = sum(look.n_missing for look in lacking)  # at most
        how = "drop" if n_dropped <= MOST_DROPPED * len(table) else "median"
        yield {"do": "missing", "columns": [look.name for look in lacking], "how": how}


def _for_dates(dates: list[_Look], today: date) -> Iterator[dict[str, Any]]:
    births = [look for look in dates if _is_birth(look.name)]
    others = [look for look in dates if look not in births]
    if births:
        found = (parse_date(text, order_of(look.first)) for look in others for text in look.known)
        last = max((day for day in found if day is not None), default=today)
        names = [look.name for look in births]
        yield {"do": "dates", "columns": names, "to": "age-class", "on": last.isoformat()}
    if others:
        yield {"do": "dates", "columns": [look.name for look in others], "to": "year"}


def _for_decimals(numeric: list[_Look]) -> Iterator[dict[str, Any]]:
    names = [look.name for look in numeric if look.most_decimals > DECIMALS]
    if names:
        yield {"do": "round", "columns": names, "decimals": ROUND_TO}


def _is_birth(name: str) -> bool:
    return _BIRTH.fullmatch(unicodedata.normalize("NFKC", name).lower()) is not None


def _most(found: Iterator[bool]) -> bool:
    flags = list(found)
    return bool(flags) and sum(flags) >= ENOUGH * len(flags)
