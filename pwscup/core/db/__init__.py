"""Database tools of all apps: queries, locks, clocks."""
