"""Calls of other people's servers."""
