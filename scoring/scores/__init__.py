# SPDX-License-Identifier: Apache-2.0
"""Scores: an original prepared once, comparisons with it, and options."""
