"""Reading archives into contests."""
