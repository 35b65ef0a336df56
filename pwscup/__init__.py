"""The contest platform."""
