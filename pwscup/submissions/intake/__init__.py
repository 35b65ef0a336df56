# SPDX-License-Identifier: Apache-2.0
"""The way from a request to submissions."""
