"""Everything that the kit can find out about one anonymized table, and a report to hand on."""

from scoring.errors import gettext_noop as _

VERDICT = _("%(attack)s (%(title)s) hurts most: it finds %(rate)s of the records.")
"""The first sentence of a report and of a page."""
NOTABLE_TIMES = 2
"""A record that so many attackers find is not found by luck alone."""
