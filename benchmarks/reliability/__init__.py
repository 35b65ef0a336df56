# SPDX-License-Identifier: Apache-2.0
"""Load and faults on a real installation made of processes, as users run it: `make load` and `make chaos`."""
