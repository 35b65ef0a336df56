# SPDX-License-Identifier: Apache-2.0
"""The client's commands: `pwscup login`, `download`, `submit` and so on."""
