"""Pure functions from facts to boards."""
