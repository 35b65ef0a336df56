"""What the pages of submissions show."""
