"""What boards and reports say about attacks: as where all teams share a table."""

from pwscup.formats.common.boards import ATTACK, risks

__all__ = ["ATTACK", "risks"]
