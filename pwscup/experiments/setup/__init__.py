"""What somebody chooses for an experiment."""
