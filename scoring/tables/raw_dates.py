# SPDX-License-Identifier: Apache-2.0
"""Dates as people and offices write them, Japanese eras included."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from datetime import date

ORDERS = ("ymd", "dmy", "mdy")
_SEPARATED = re.compile(r"(\d{1,4})\s?[-/.年]\s?(\d{1,2})\s?[-/.月]\s?(\d{1,4})\s?日?(?:[T\s].*)?")
_DIGITS = re.compile(r"(\d{4})(\d{2})(\d{2})")
_ERA = re.compile(
    r"(明治|大正|昭和|平成|令和|[MTSHR])\.?\s?(\d{1,2}|元)[-/.年](\d{1,2})[-/.月](\d{1,2})日?"
)
_BEFORE_ERA = {
    "明治": 1867,
    "大正": 1911,
    "昭和": 1925,
    "平成": 1988,
    "令和": 2018,
    "M": 1867,
    "T": 1911,
    "S": 1925,
    "H": 1988,
    "R": 2018,
}


def parse_date(cell: str, order: str = "ymd") -> date | None:
    """The date of a cell; None where it is none.

    A number of four digits is the year, wherever it stands; `order` says which number is which in dates such as
    3/4/1980. Eight digits are year, month and day. A time after the date is left out.

    Examples
    --------
    >>> parse_date("1957/3/9"), parse_date("昭和32年3月9日"), parse_date("S32.3.9")
    (datetime.date(1957, 3, 9), datetime.date(1957, 3, 9), datetime.date(1957, 3, 9))
    >>> parse_date("9.3.1957", "dmy"), parse_date("19570309"), parse_date("57/3/9")
    (datetime.date(1957, 3, 9), datetime.date(1957, 3, 9), None)
    """
    text = cell if cell.isascii() else unicodedata.normalize("NFKC", cell)
    if match := _SEPARATED.fullmatch(text):
        first, second, third = match.groups()
        if len(first) == 4 and len(third) <= 2:
            return _date(first, second, third)
        if len(third) != 4 or len(first) > 2:
            return None
        return _date(third, first, second) if order == "mdy" else _date(third, second, first)
    if match := _DIGITS.fullmatch(text):
        return _date(*match.groups())
    if match := _ERA.fullmatch(text):
        era, year, month, day = match.groups()
        return _date(str(_BEFORE_ERA[era] + (1 if year == "元" else int(year))), month, day)
    return None


def order_of(cells: Iterable[str]) -> str:
    """The order in which most of the cells are dates: year, day or month first; in doubt the first of `ORDERS`.

    A year at the end follows day and month with `ymd` as well.

    Examples
    --------
    >>> order_of(["3/25/1980", "4/5/1981"]), order_of(["25.3.1980"])
    ('mdy', 'ymd')
    """
    texts = list(cells)
    n_dates = {
        order: sum(parse_date(text, order) is not None for text in texts) for order in ORDERS
    }
    return max(ORDERS, key=lambda order: n_dates[order])


def age_on(born: date, day: date) -> int:
    """Completed years from birth to a day; negative before birth.

    Examples
    --------
    >>> age_on(date(2000, 3, 2), date(2026, 3, 1)), age_on(date(2000, 3, 2), date(2026, 3, 2))
    (25, 26)
    """
    return day.year - born.year - ((day.month, day.day) < (born.month, born.day))


def _date(year: str, month: str, day: str) -> date | None:
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        return None
