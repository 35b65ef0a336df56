"""Sending of notices."""
