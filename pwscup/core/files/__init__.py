"""Files, and the space that they take."""
