# SPDX-License-Identifier: Apache-2.0
"""Programs that are not part of the platform, run as processes without network and with limits."""

from scoring.sandbox.running import PARTS, Finished, Limits, enforcement, run

__all__ = ["PARTS", "Finished", "Limits", "enforcement", "run"]
