"""Requests and answers, of whatever app."""
