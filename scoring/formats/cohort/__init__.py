# SPDX-License-Identifier: Apache-2.0
"""Cohorts: teams with records of their own and shared ones, drawn in the proportions of the whole table."""
