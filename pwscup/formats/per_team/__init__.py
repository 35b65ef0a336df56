# SPDX-License-Identifier: Apache-2.0
"""Each team anonymizes its own table, and attackers search for its records among decoys."""
