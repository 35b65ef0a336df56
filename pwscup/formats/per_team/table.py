"""The organizer's CSV, as where all teams share it."""

from pwscup.formats.common.table import check, describe, generated, prepare, unmeasured

__all__ = ["check", "describe", "generated", "prepare", "unmeasured"]
