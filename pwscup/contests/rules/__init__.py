"""The rules of a contest as text."""
