# SPDX-License-Identifier: Apache-2.0
"""Receipts and reveals."""
