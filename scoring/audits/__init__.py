"""Everything that the kit can find out about one anonymized table, and a report to hand on."""

from collections.abc import Callable, Sequence

from scoring.errors import gettext_noop as _

VERDICT = _("%(attack)s (%(title)s) hurts most: it finds %(rate)s of the records.")
"""The first sentence of a report and of a page."""
REPLAYED = _(
    "The table is what %(chain)s makes with seed %(seed)s: anyone who has the original can make it again."
)
REPLAYED_ALWAYS = _(
    "The table is what %(chain)s makes with any seed: anyone who has the original can make it again."
)
"""What is said first where the attacker `replay` has found out how the table was made."""
NOTABLE_TIMES = 2
"""A record that so many attackers find is not found by luck alone."""


def how_made(chain: Sequence[str], seed: int | None, translate: Callable[[str], str] = str) -> str:
    """The anonymizers, and the seed if it matters, that make the table again."""
    text = translate(REPLAYED_ALWAYS if seed is None else REPLAYED)
    return text % {"chain": ", ".join(chain), "seed": seed}
