# SPDX-License-Identifier: Apache-2.0
"""The documentation inside the platform: the pages of `docs/`, searched and shown under /help/."""
