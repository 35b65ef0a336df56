"""From an archive to a contest."""
