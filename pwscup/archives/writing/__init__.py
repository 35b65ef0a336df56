# SPDX-License-Identifier: Apache-2.0
"""Writing contests into archives."""
