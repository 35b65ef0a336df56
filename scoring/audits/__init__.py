"""Everything that the kit can find out about one anonymized table, and a report to hand on."""
