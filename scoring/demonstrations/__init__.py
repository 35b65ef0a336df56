# SPDX-License-Identifier: Apache-2.0
"""Demonstrations of attacks on data that only looks anonymous, on small synthetic tables.

Each demonstration is a pure function with a small result; `catalog` names them for the command line.
"""
