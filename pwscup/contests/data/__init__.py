"""From an organizer's files to what a contest needs."""
