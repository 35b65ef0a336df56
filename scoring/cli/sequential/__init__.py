"""The command `sequential` and its parts."""
