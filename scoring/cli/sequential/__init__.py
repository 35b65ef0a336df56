# SPDX-License-Identifier: Apache-2.0
"""The command `sequential` and its parts."""
