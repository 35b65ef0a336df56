"""Each team anonymizes a table of its own, and attackers look for its records among decoys."""
