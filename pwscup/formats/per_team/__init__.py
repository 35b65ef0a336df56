"""Each team anonymizes its own table, and attackers search for its records among decoys."""
