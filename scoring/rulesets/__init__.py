"""Contest formats: a TOML file each, read into frozen dataclasses."""

from scoring.rulesets.base import (
    FileSpec,
    Limits,
    RankingSpec,
    RoundSpec,
    Ruleset,
    Text,
    localized,
)
from scoring.rulesets.loader import load_ruleset, parse_ruleset, ruleset_names

__all__ = [
    "FileSpec",
    "Limits",
    "RankingSpec",
    "RoundSpec",
    "Ruleset",
    "Text",
    "load_ruleset",
    "localized",
    "parse_ruleset",
    "ruleset_names",
]
