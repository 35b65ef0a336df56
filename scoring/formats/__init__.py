"""Contest formats: what each family adds to the library."""
