# SPDX-License-Identifier: Apache-2.0
"""Calls of external servers."""
