"""Contexts of the pages of submissions."""
