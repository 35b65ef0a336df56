# SPDX-License-Identifier: Apache-2.0
"""A table changes over time, and each team publishes releases of its own individuals."""
