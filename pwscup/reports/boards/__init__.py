# SPDX-License-Identifier: Apache-2.0
"""The boards of a final report."""
