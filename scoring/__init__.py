"""Scores anonymized tables and attacks on them: functions from tables to numbers."""

__version__ = "1.2.0"
