"""Statistical analyses of both tables: each makes the same figures of either, and the measure is their difference."""
