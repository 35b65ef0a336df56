# SPDX-License-Identifier: Apache-2.0
"""Playing of bots in each kind of round."""
