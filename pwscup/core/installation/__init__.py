# SPDX-License-Identifier: Apache-2.0
"""The parts of an installation: its processes, its folders, and a diagnosis."""
