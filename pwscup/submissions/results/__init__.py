"""What a result is worth: what counts, and what a viewer may know of it."""
