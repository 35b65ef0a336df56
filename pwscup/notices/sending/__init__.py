# SPDX-License-Identifier: Apache-2.0
"""Sending of notices."""
