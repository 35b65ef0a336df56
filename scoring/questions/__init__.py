"""Question sheets: questions about published tables, answer files, and their results."""
