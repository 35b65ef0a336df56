"""From a contest to an archive."""
