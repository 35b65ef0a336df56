# SPDX-License-Identifier: Apache-2.0
"""A hidden table is disclosed under differential privacy, and teams estimate counts of it."""
