"""Costs of scoring, compared with other ways to compute the same: `make bench`."""
