# SPDX-License-Identifier: Apache-2.0
"""HTTP requests and responses of all apps."""
