# SPDX-License-Identifier: Apache-2.0
"""Question sheets: questions about published tables, answer files, and their results."""
