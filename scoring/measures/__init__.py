# SPDX-License-Identifier: Apache-2.0
"""Measures of an anonymized table: utility, anonymity and linkage."""
