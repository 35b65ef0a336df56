# SPDX-License-Identifier: Apache-2.0
"""The parts of a competition.yaml, a module for each; `base.Reading` is what all of them read and note."""
