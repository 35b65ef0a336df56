# SPDX-License-Identifier: Apache-2.0
"""Proof of fairness: commitments, the audit log's chain, reveals."""
