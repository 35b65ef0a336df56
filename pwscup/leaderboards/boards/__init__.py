# SPDX-License-Identifier: Apache-2.0
"""Pure functions from facts to boards."""
