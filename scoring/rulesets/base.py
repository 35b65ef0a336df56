"""What a contest format consists of, as frozen data: rounds, files, limits, measures and ranking."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scoring.comparison import Options
    from scoring.schema import Schema

Text = dict[str, str]
"""A text for people: language code ("en", "ja") to words."""


@dataclass(frozen=True, slots=True)
class FileSpec:
    """One file that a round asks a team for."""

    key: str
    kind: str
    required: bool
    title: Text


@dataclass(frozen=True, slots=True)
class RoundSpec:
    """One round: what is handed in, how often, what counts and what a team is told at once.

    `tries` is the number of scored submissions a team may make in the round, `tries_per_target`
    the number of guesses it may make against each other team; the one that its kind does not use
    is None.
    """

    key: str
    kind: str
    title: Text
    description: Text
    files: tuple[FileSpec, ...]
    tries: int | None
    tries_per_target: int | None
    counts: str
    feedback: str
    days: int

    def file(self, key: str) -> FileSpec:
        """The file specification with this key; KeyError where the round asks for none."""
        for spec in self.files:
            if spec.key == key:
                return spec
        raise KeyError(key)


@dataclass(frozen=True, slots=True)
class RankingSpec:
    """Which measures are ranked under which heading, and the weights of the overall board."""

    utility: tuple[str, ...]
    safety: tuple[str, ...]
    linkage: tuple[str, ...]
    anonymization_weight: float = 0.5
    attack_weight: float = 0.5


@dataclass(frozen=True, slots=True)
class Limits:
    """The largest file in bytes, the largest team, and the most records of an anonymized table
    as a multiple of the original's."""

    max_file_bytes: int
    max_team_size: int
    max_records_factor: float


@dataclass(frozen=True, slots=True)
class Ruleset:
    """A contest format. `tables` says who anonymizes what: "common" is one table for all teams.

    `text` is the TOML source and `digest` its SHA-256 in hex, which is recorded on every
    evaluation; `schema` is None where the organizer's own table decides the columns.
    """

    id: str
    version: int
    title: Text
    summary: Text
    tables: str
    rounds: tuple[RoundSpec, ...]
    measures: tuple[str, ...]
    options: Options
    ranking: RankingSpec
    limits: Limits
    schema: Schema | None
    text: str
    digest: str

    def round(self, key: str) -> RoundSpec:
        """The round with this key; KeyError where there is none."""
        for spec in self.rounds:
            if spec.key == key:
                return spec
        raise KeyError(key)


def localized(text: Mapping[str, str], language: str) -> str:
    """The words in `language` ("ja-JP" falls back to "ja"), else in English."""
    return text.get(language) or text.get(language.split("-")[0]) or text["en"]
