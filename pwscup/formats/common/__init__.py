# SPDX-License-Identifier: Apache-2.0
"""All teams anonymize the same table."""
