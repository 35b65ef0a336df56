"""The rules of a contest in words."""
