# SPDX-License-Identifier: Apache-2.0
"""Django's backend for PostgreSQL, with a cheaper check of idle connections."""
