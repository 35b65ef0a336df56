"""Presentations and their grades."""
