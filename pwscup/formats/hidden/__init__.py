"""A hidden table is disclosed under differential privacy, and teams estimate counts of it."""
