"""From a request to submissions."""
