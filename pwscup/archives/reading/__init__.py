# SPDX-License-Identifier: Apache-2.0
"""Reading archives into contests."""
