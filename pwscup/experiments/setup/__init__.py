"""The setup of an experiment."""
