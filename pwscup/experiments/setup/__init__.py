# SPDX-License-Identifier: Apache-2.0
"""The setup of an experiment."""
