# SPDX-License-Identifier: Apache-2.0
"""Numbers as reports write them."""

from __future__ import annotations


def percent(share: float) -> str:
    """A share as per cent, with two decimals as on the platform's pages.

    Examples
    --------
    >>> percent(0.4567), percent(0.00012), percent(0.9996), percent(0.0), percent(1.0)
    ('45.67 %', '0.01 %', '99.96 %', '0.00 %', '100.00 %')
    """
    return f"{share * 100:.2f} %"


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
