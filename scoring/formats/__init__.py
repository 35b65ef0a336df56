# SPDX-License-Identifier: Apache-2.0
"""Contest formats: what each family adds to the library."""
