"""A table changes over time, and each team publishes releases of its own individuals."""
