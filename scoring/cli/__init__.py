# SPDX-License-Identifier: Apache-2.0
"""The command line: the same code as the server, to run locally."""
