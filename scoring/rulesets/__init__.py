# SPDX-License-Identifier: Apache-2.0
"""Contest formats: a TOML file each, read into frozen dataclasses."""

from scoring.rulesets.base import (
    CriterionSpec,
    DataSpec,
    FileSpec,
    Limits,
    MeasureSpec,
    ProgramSpec,
    RankingSpec,
    RoundSpec,
    Ruleset,
    StageSpec,
    Text,
    ValiditySpec,
    localized,
)
from scoring.rulesets.installed import Format
from scoring.rulesets.loader import load_ruleset, parse_ruleset, ruleset_names

__all__ = [
    "CriterionSpec",
    "DataSpec",
    "FileSpec",
    "Format",
    "Limits",
    "MeasureSpec",
    "ProgramSpec",
    "RankingSpec",
    "RoundSpec",
    "Ruleset",
    "StageSpec",
    "Text",
    "ValiditySpec",
    "load_ruleset",
    "localized",
    "parse_ruleset",
    "ruleset_names",
]
