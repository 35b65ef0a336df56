"""All teams anonymize the same table."""
