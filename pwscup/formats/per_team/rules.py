"""The rules of a contest whose teams have tables of their own, in words: those of a shared one."""

from pwscup.formats.common.rules import (
    ATTACK_BOARD,
    FAMILIES,
    FORMULAS,
    HEADLINE,
    PARTS,
    SHORT_FAMILIES,
    asked,
    contents,
    risks,
    round_sentence,
)

__all__ = [
    "ATTACK_BOARD",
    "FAMILIES",
    "FORMULAS",
    "HEADLINE",
    "PARTS",
    "SHORT_FAMILIES",
    "asked",
    "contents",
    "risks",
    "round_sentence",
]
