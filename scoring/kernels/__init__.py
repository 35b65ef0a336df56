# SPDX-License-Identifier: Apache-2.0
"""Loops over whole tables, compiled with numba; importing a module here loads its machine code."""

needs_blas = True
"""False, set before the first kernel is loaded: numba starts without SciPy's linear algebra, which takes
0.15 s to load and which no kernel calls. Only for a process that compiles nothing else."""
