# SPDX-License-Identifier: Apache-2.0
"""The teams of a contest, and their own tables."""
