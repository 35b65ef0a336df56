# SPDX-License-Identifier: Apache-2.0
"""Costs of scoring, compared with other ways to compute the same: `make bench`."""
