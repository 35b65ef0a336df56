# SPDX-License-Identifier: Apache-2.0
"""Each team gets a cohort of records, and publishes a synthetic table of any number of rows."""
