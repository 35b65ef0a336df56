"""Writing contests into archives."""
