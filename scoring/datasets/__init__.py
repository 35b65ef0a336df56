# SPDX-License-Identifier: Apache-2.0
"""Generators of tables to practise on, one a module."""

MAX_RECORDS = 1_000_000
HOUSEHOLDS = "households"
USUAL = {
    HOUSEHOLDS: 1_000,
    "census": 30_000,
    "diabetes": 20_000,
    "health": 30_000,
    "profile": 5_000,
    "ratings": 30_000,
    "survival": 12_000,
}
"""The schemas of the library of which tables can be drawn, and the number of records that a contest begins with."""
