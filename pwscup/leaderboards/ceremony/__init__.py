"""The closing ceremony."""
