"""Everything that the kit can find out about one anonymized table, and a report to hand on."""

NOTABLE_TIMES = 2
"""A record that so many attackers find is not found by luck alone."""
