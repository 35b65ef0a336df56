"""Calls of external servers."""
