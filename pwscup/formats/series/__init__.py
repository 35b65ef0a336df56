"""A table changes over time, and each team publishes releases of people of its own."""
