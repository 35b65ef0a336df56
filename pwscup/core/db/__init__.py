# SPDX-License-Identifier: Apache-2.0
"""Database tools of all apps: queries, locks, clocks."""
