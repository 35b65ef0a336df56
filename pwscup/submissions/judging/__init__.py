# SPDX-License-Identifier: Apache-2.0
"""Presentations and their grades."""
