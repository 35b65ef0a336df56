# SPDX-License-Identifier: Apache-2.0
"""Disclosure under differential privacy: a hidden table is released once, or queried.

Attributes are columns with listed values; records are codes of shape (n, W), the positions of their values. ε is a
decimal of at most six places, neighbouring tables differ by one record's values, and what is released is drawn by
`scoring.privacy.sampling`. Budgets are kept by the caller.
"""
