# SPDX-License-Identifier: Apache-2.0
"""Contexts of the pages of submissions."""
