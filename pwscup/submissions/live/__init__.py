# SPDX-License-Identifier: Apache-2.0
"""A running contest at a glance, for its organizers."""
