# SPDX-License-Identifier: Apache-2.0
"""The appearance of a contest: its accent colour, its pictures and its sponsors."""
