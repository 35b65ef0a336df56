"""Results: the submissions that count, and the values that a viewer may see."""
