"""Loops over whole tables, compiled with numba; importing a module here loads its machine code."""
