# SPDX-License-Identifier: Apache-2.0
"""Boards in brief: first places and counts for pages of other apps."""
