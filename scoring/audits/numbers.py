"""Numbers as reports write them."""

from __future__ import annotations


def percent(share: float) -> str:
    """A share as per cent, with more digits near nothing and near everything.

    Examples
    --------
    >>> percent(0.4567), percent(0.00012), percent(0.9996), percent(0.0), percent(1.0)
    ('45.7 %', '0.012 %', '99.960 %', '0 %', '100 %')
    """
    if share in (0, 1):
        return f"{share:.0%}".replace("%", " %")
    digits = 1 if 0.01 <= share <= 0.99 else 3
    return f"{share * 100:.{digits}f} %"


def number(value: float | int) -> str:
    """A measure with at most six significant digits.

    Examples
    --------
    >>> number(3), number(0.25), number(0.0000123456789), number(132955496816.3)
    ('3', '0.25', '1.23457e-05', '132,955,496,816')
    """
    if float(value).is_integer():
        return f"{int(value):,}"
    return f"{value:,.0f}" if abs(value) >= 1_000_000 else f"{value:,.6g}"
