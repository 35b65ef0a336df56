"""Texts that several apps show."""
