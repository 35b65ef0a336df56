"""Measures of an anonymized table: utility, anonymity and linkage."""
