# SPDX-License-Identifier: Apache-2.0
"""The rules of a contest as text."""
