# SPDX-License-Identifier: Apache-2.0
"""Statistical analyses of both tables: each makes the same figures of either, and the measure is their difference."""
