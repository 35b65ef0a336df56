"""The database, of whatever app: queries, locks, clocks."""
