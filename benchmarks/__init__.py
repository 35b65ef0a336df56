"""What scoring costs, beside other ways to compute the same: `make bench`."""
