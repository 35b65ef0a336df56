"""From facts to boards: pure functions."""
