"""The teams of a contest, and their own tables."""
