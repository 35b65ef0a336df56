"""Scores: an original prepared once, comparisons with it, and options."""
