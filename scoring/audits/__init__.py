# SPDX-License-Identifier: Apache-2.0
"""Audit of one anonymized table: all attacks and measures, and a report."""

from collections.abc import Callable, Sequence

from scoring.errors import gettext_noop as _

VERDICT = _("%(attack)s (%(title)s) is the strongest attack: it finds %(rate)s of the records.")
"""The first sentence of a report and of a page."""
REPLAYED = _(
    "The table is the result of %(chain)s with seed %(seed)s: anyone who has the original can reproduce it."
)
REPLAYED_ALWAYS = _(
    "The table is the result of %(chain)s with any seed: anyone who has the original can reproduce it."
)
"""The first sentence if the attacker `replay` has found out how the table was made."""
NOTABLE_TIMES = 2
"""A record found by so many attackers is not found by chance only."""


def how_made(chain: Sequence[str], seed: int | None, translate: Callable[[str], str] = str) -> str:
    """The anonymizers, and the seed if it matters, that reproduce the table."""
    text = translate(REPLAYED_ALWAYS if seed is None else REPLAYED)
    return text % {"chain": ", ".join(chain), "seed": seed}
