# SPDX-License-Identifier: Apache-2.0
"""Decisions of organizers about submissions, and appeals."""
