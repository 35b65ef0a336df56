"""The way from a request to submissions."""
