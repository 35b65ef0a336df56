"""Proof of fairness: commitments, the audit log's chain, reveals."""
