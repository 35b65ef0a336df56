"""A contest format as frozen data: stages, rounds, files, measures and ranking."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from scoring.formats.sequential.limits import NO_LIMITS, SeriesLimits
from scoring.formulas import MEASURE_RANKS
from scoring.rulesets.kinds import ONLY_STAGE, ROUND_KINDS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from decimal import Decimal

    from scoring.scores.options import Options
    from scoring.tables.schema import Schema

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
class CriterionSpec:
    """A criterion by which judges grade a presentation, from 0 to 100."""

    key: str
    title: Text


@dataclass(frozen=True, slots=True)
class StageSpec:
    """A part of the season with its own standings, such as a preliminary and a final.

    `weight` is its share in the season's total; shares need not add up to 1, and a stage for
    practice has weight 0.
    """

    key: str
    title: Text
    weight: float


@dataclass(frozen=True, slots=True)
class RoundSpec:
    """One round: what is submitted, how often, what counts, and the feedback to a team.

    `tries` is the number of scored submissions a team may make in the round, `tries_per_target`
    the number of guesses it may make against each other team; the one that its kind does not use
    is None. `tries_per_day` limits the same on a calendar day of the contest's time zone.

    Attack rounds: `attacks` is the key of the round whose tables are attacked, `gives` what
    attackers get in addition to the shuffled table, and `marking` selects the records that a rate is a share of.
    Elsewhere they are None and empty. `criteria` are those of judges in a presentation round,
    `epsilon` what a round of disclosure gives away in all, exactly, and `minutes` the length that a
    new contest proposes.
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
    minutes: int
    stage: str = ONLY_STAGE
    tries_per_day: int | None = None
    attacks: str | None = None
    gives: tuple[str, ...] = ()
    marking: str = ""
    criteria: tuple[CriterionSpec, ...] = ()
    epsilon: Decimal | None = None

    @property
    def phase(self) -> str:
        """The phase of the round, one of `PHASES`."""
        return ROUND_KINDS[self.kind].phase

    def file(self, key: str) -> FileSpec:
        """The file specification with this key; KeyError where the round asks for none."""
        for spec in self.files:
            if spec.key == key:
                return spec
        raise KeyError(key)


@dataclass(frozen=True, slots=True)
class DataSpec:
    """The table that teams anonymize.

    `tables` is "common", one table for all, or "per_team": for each team `sample` records are drawn
    from the organizer's table, and `decoys` further ones stand with them in the table of candidates.
    "hidden" keeps the table with the platform. Of a "series" of tables, one for each time, each team
    gets the records of `sample` people, whom no other team gets. `schema` is None where the
    organizer's own table decides the columns.
    """

    tables: str
    schema: Schema | None = None
    sample: int | None = None
    decoys: int | None = None


@dataclass(frozen=True, slots=True)
class DisclosureSpec:
    """The disclosure of a hidden table under differential privacy, and the target of estimates.

    `columns` are those whose values are released and may be asked for; the contingency table over
    `target`, some of them, is what teams estimate.
    """

    columns: tuple[str, ...]
    target: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SequentialSpec:
    """The requirements on a series of releases.

    Every group has at least `m` records, and no sensitive value twice. `require` is "m-unique", no more
    than that, or "m-invariance", the definition of Xiao & Tao. `definition` is the
    definition of risk; see `scoring.formats.sequential.risk.Definition`. `limits` bound
    how much a series may leave out, displace and add as counterfeits.
    """

    m: int
    require: str
    definition: str
    limits: SeriesLimits = NO_LIMITS


@dataclass(frozen=True, slots=True)
class ValiditySpec:
    """Rules for an anonymized table in addition to its schema.

    `values`: "schema" allows every value of the column's domain, "original" only those that occur
    in that column of the team's original. With `blank_records` a deleted record is a line of empty
    cells.
    """

    values: str = "schema"
    blank_records: bool = False


@dataclass(frozen=True, slots=True)
class MeasureSpec:
    """A measure that is computed, the direction in which it is better, and its weight in a heading."""

    id: str
    direction: str
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class RankingSpec:
    """The rules of the boards.

    `formula` names one of the ranking formulas and `settings` its parameters. The formula
    "measure-ranks" ranks the measures of the three headings, with the weights of the overall board,
    and "estimate-ranks" the utility measures of estimates; the others work with scores in per cent,
    of which utility is 100 · (1 − `utility_measure`).
    `tie_breaks` decide, one after the other, between teams with equal totals. `attackers` says how a
    team's rates against all tables become one.
    """

    utility: tuple[str, ...] = ()
    safety: tuple[str, ...] = ()
    linkage: tuple[str, ...] = ()
    anonymization_weight: float = 0.5
    attack_weight: float = 0.5
    formula: str = MEASURE_RANKS
    settings: Mapping[str, float | int] = field(default_factory=dict)
    utility_measure: str | None = None
    tie_breaks: tuple[str, ...] = ()
    attackers: str = "mean"


@dataclass(frozen=True, slots=True)
class Limits:
    """The largest file in bytes, the largest team, and the most records of an anonymized table
    as a multiple of the original's."""

    max_file_bytes: int
    max_team_size: int
    max_records_factor: float


@dataclass(frozen=True, slots=True)
class Ruleset:
    """A contest format.

    `text` is the TOML source and `digest` its SHA-256 in hex, which is recorded on every
    evaluation.
    """

    id: str
    version: int
    title: Text
    summary: Text
    data: DataSpec
    stages: tuple[StageSpec, ...]
    rounds: tuple[RoundSpec, ...]
    validity: ValiditySpec
    measure_specs: tuple[MeasureSpec, ...]
    options: Options
    ranking: RankingSpec
    limits: Limits
    text: str
    digest: str
    disclosure: DisclosureSpec | None = None
    sequential: SequentialSpec | None = None
    baseline_teams: tuple[str, ...] = ()
    """The teams played by the platform that a new contest has, some of `BASELINE_TEAMS`."""

    @property
    def tables(self) -> str:
        """The tables: "common" is one table for all teams, "per_team" one for each, "hidden" none;
        "series" is one for each time and team."""
        return self.data.tables

    @property
    def schema(self) -> Schema | None:
        """The columns of the table; None where the organizer's own table decides."""
        return self.data.schema

    @property
    def measures(self) -> tuple[str, ...]:
        """The ids of the measures that are computed, in the order in which they are shown."""
        return tuple(spec.id for spec in self.measure_specs)

    @property
    def weights(self) -> dict[str, float]:
        """The weight of every measure among those of its heading, by its id."""
        return {spec.id: spec.weight for spec in self.measure_specs}

    def stage(self, key: str) -> StageSpec:
        """The stage with this key; KeyError where there is none."""
        for spec in self.stages:
            if spec.key == key:
                return spec
        raise KeyError(key)

    def rounds_of(self, stage: str) -> tuple[RoundSpec, ...]:
        """The rounds of a stage, in order."""
        return tuple(spec for spec in self.rounds if spec.stage == stage)

    def round(self, key: str) -> RoundSpec:
        """The round with this key; KeyError where there is none."""
        for spec in self.rounds:
            if spec.key == key:
                return spec
        raise KeyError(key)


def localized(text: Mapping[str, str], language: str) -> str:
    """The words in `language` ("ja-JP" falls back to "ja"), else in English."""
    return text.get(language) or text.get(language.split("-")[0]) or text["en"]
