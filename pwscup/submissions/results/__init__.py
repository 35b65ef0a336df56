# SPDX-License-Identifier: Apache-2.0
"""Results: the submissions that count, and the values that a viewer may see."""
