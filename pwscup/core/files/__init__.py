"""Files and disk space."""
