"""The boards of a final report."""
