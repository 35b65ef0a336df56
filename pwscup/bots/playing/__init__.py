"""Playing of bots in each kind of round."""
