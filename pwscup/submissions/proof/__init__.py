"""Receipts and reveals."""
