# SPDX-License-Identifier: Apache-2.0
"""Batch against interactive disclosure at equal ε: the published experiment, on its table or on any other."""
