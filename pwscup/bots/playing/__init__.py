"""How bots play each kind of round."""
