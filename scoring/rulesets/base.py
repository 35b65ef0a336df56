# SPDX-License-Identifier: Apache-2.0
"""A contest format as frozen data: stages, rounds, files, measures and ranking."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from scoring.formats.sequential.limits import NO_LIMITS, SeriesLimits
from scoring.formulas import FINAL, FORMULAS, MEASURE_RANKS, TIE_BREAKS
from scoring.registry import ALL_MEASURES
from scoring.rulesets.kinds import DRAWN, ONLY_STAGE, ORGANIZER, ROUND_KINDS, TEAMS
from scoring.scores.options import COMBINE, DECLARED

if TYPE_CHECKING:
    from collections.abc import Mapping
    from decimal import Decimal

    from scoring.questions.asked import QuestionSpec
    from scoring.registry import Measure
    from scoring.scores.options import Options
    from scoring.tables.schema import Schema

ONLY_BOARD = "score"
"""The key of the board of a ruleset that ranks scores without a list of boards."""
MAX_ORIGINALS = 10
"""The largest number of tables that a ruleset may draw for each team."""
CHOOSE = EACH, ONCE = ("each", "once")
"""A team of several originals names one for each submission, or gets only the one that it chooses once."""
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
class BandSpec:
    """A band of rates in feedback: rates of at least `at_least`, from 0 to 1, up to the next band."""

    at_least: float
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
    is None. `tries_per_day` limits the same on a calendar day of the contest's time zone, and
    `tries_in_all` the guesses of a team in the whole round, against all others together.

    Attack rounds: `attacks` is the key of the round whose tables are attacked, `gives` what
    attackers get in addition to the shuffled table, `marking` selects the records that a rate is a share of, and
    `truth`, one of `TRUTHS`, what a guess that names a record has to name.
    Elsewhere they are None and empty. `criteria` are those of judges in a presentation round,
    `questions` are those of a round that asks some, `combine` makes one result of theirs, and `bands` name the
    rates in coarse feedback, the lowest first. Tables are submitted `by` the teams or the organizer only.
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
    tries_in_all: int | None = None
    attacks: str | None = None
    gives: tuple[str, ...] = ()
    marking: str = ""
    truth: str = DECLARED
    criteria: tuple[CriterionSpec, ...] = ()
    epsilon: Decimal | None = None
    questions: tuple[QuestionSpec, ...] = ()
    combine: str = "max"
    bands: tuple[BandSpec, ...] = ()
    by: str = TEAMS

    @property
    def phase(self) -> str:
        """The phase of the round, one of `PHASES`."""
        return ROUND_KINDS[self.kind].phase

    @property
    def is_organizers(self) -> bool:
        """Only teams that the platform plays submit tables, which participants attack."""
        return self.by == ORGANIZER

    @property
    def chance(self) -> float:
        """The rate of guessing, 0 to 1, as far as the questions decide it: the highest of theirs."""
        return max((question.chance for question in self.questions), default=0.0)

    def band(self, rate: float) -> BandSpec | None:
        """The named band of a rate; None without bands."""
        reached = [band for band in self.bands if band.at_least <= rate]
        return reached[-1] if reached else None

    def file(self, key: str) -> FileSpec:
        """The file specification with this key; KeyError where the round asks for none."""
        for spec in self.files:
            if spec.key == key:
                return spec
        raise KeyError(key)


@dataclass(frozen=True, slots=True)
class RareSpec:
    """Rare records: the `records` of them, with this value of the column, are all among the shared records."""

    column: str
    value: str
    records: int


@dataclass(frozen=True, slots=True)
class PartSpec:
    """One of the tables that a team submits together, with some columns of its original, or with all."""

    key: str
    title: Text = field(hash=False)
    columns: tuple[str, ...] = ()
    required: bool = True


@dataclass(frozen=True, slots=True)
class DataSpec:
    """The table that teams anonymize.

    `tables` is "common", one table for all, or "per_team": for each team `sample` records are drawn
    from the organizer's table, and `decoys` further ones stand with them in the table of candidates.
    "cohort" draws in the same way, and teams submit tables of any number of rows. "hidden" keeps
    the table with the platform. Of a "series" of tables, one for each time, each team gets the records of `sample`
    people, whom no other team gets. `schema` is None where the organizer's own table decides the columns.
    """

    tables: str
    schema: Schema | None = None
    sample: int | None = None
    decoys: int | None = None
    shared: int = 0
    """Records that all teams have, in addition to the `sample` of each."""
    strata: tuple[str, ...] = ()
    """Combinations of the values of these columns are drawn in their proportions of the whole table."""
    rare: RareSpec | None = None
    candidates: str = DRAWN
    """The records that attackers may choose from, one of `CANDIDATES`."""
    originals: int = 1
    """Tables that are drawn for each team."""
    choose: str = EACH
    """When a team chooses one of several originals, one of `CHOOSE`."""

    parts: tuple[PartSpec, ...] = ()
    """The tables that a team submits together; without any it submits one."""
    combine: str = COMBINE[0]
    """The way to one value of those of the tables."""

    def columns_of_parts(self, schema: Schema) -> dict[str, tuple[str, ...]]:
        """The columns of each table that is submitted, by its key."""
        return {part.key: part.columns or schema.public().names for part in self.parts}

    def columns_of(self, key: str) -> tuple[str, ...]:
        """The columns of a table that is submitted with others; none if it has all, or is no such table."""
        return next((part.columns for part in self.parts if part.key == key), ())

    @property
    def optional_parts(self) -> tuple[str, ...]:
        """The keys of the tables that may be left out."""
        return tuple(part.key for part in self.parts if not part.required)

    @property
    def numbers(self) -> tuple[int | None, ...]:
        """The numbers of a team's originals, from 1; None for the only one."""
        return (None,) if self.originals == 1 else tuple(range(1, self.originals + 1))

    @property
    def n_own(self) -> int:
        """The number of records of a team's table."""
        return (self.sample or 0) + self.shared


def unfit_parts(parts: tuple[PartSpec, ...], schema: Schema) -> list[tuple[str, str]]:
    """Columns that are in no required part, and names that are no column: what is expected, and what was found."""
    if not parts:
        return []
    known = schema.public().names
    named = {name for part in parts for name in part.columns}
    strange = [(f"columns out of: {', '.join(known)}", name) for name in sorted(named - {*known})]
    in_all = {name for part in parts if part.required for name in part.columns or known}
    missing = [name for name in known if name not in in_all]
    if missing:
        strange.append(
            ("each column in a part that is required", f"none with {', '.join(missing)}")
        )
    return strange


@dataclass(frozen=True, slots=True)
class DisclosureSpec:
    """The disclosure of a hidden table under differential privacy, and the target of estimates.

    `columns` are those whose values are released and may be asked for; the contingency table over
    `target`, some of them, is what teams estimate. Errors of estimates are distances from counts with noise of
    `errors_epsilon`, drawn once for all of them; from the true counts if it is None.
    """

    columns: tuple[str, ...]
    target: tuple[str, ...]
    errors_epsilon: Decimal | None = None


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
    own: Measure | None = field(default=None, hash=False)
    """The measure itself, if the ruleset defines it; None for one of the library."""

    @property
    def measure(self) -> Measure:
        """The measure, of the ruleset or of the library."""
        return self.own or ALL_MEASURES[self.id]


@dataclass(frozen=True, slots=True)
class GateSpec:
    """The bounds of a measure: a table outside of them is rejected. None is no bound; `stage` is the only stage in
    which it holds, None for all."""

    measure: str
    low: float | None = None
    high: float | None = None
    stage: str | None = None

    def admits(self, value: float | None) -> bool:
        """True for a value within both bounds; False for one that is not known."""
        return (
            value is not None
            and (self.low is None or value >= self.low)
            and (self.high is None or value <= self.high)
        )


@dataclass(frozen=True, slots=True)
class ProgramSpec:
    """A program as scorer, which the site's administrator allows under this name.

    `values` become measures of the ruleset; `messages` are the texts by which the program may reject a submission.
    """

    name: str
    values: tuple[MeasureSpec, ...]
    messages: Mapping[str, Text] = field(default_factory=dict)

    @property
    def bounds(self) -> tuple[tuple[str, float, float | None], ...]:
        """Each value with its lowest and highest number."""
        owns = (spec.own for spec in self.values)
        return tuple((own.id, own.low, own.high) for own in owns if own is not None)


@dataclass(frozen=True, slots=True)
class RankingSpec:
    """The rules of the boards.

    `formula` names one of the ranking formulas and `settings` its parameters. The formula
    "measure-ranks" ranks the measures of the three headings, with the weights of the overall board,
    and "estimate-ranks" the utility measures of estimates; the others work with scores in per cent,
    of which utility is 100 · (1 − `utility_measure`).
    `tie_breaks` decide, one after the other, between teams with equal totals. `attackers` says how a
    team's rates against all tables become one. `loss_measure` is a loss without an upper bound.
    `baselines`, some of `BASELINES`, attack for the worst case and are not ranked. The table of a
    `disqualified` team is "out" of the contest or counts as "lost", with all its records found. With the
    `penalty` "repeats" each attacker after the first who finds the same record takes a point of protection.
    With the `ties` "not-separable" teams share the rank of the best one from whom the data do not separate them.
    """

    utility: tuple[str, ...] = ()
    safety: tuple[str, ...] = ()
    linkage: tuple[str, ...] = ()
    anonymization_weight: float = 0.5
    attack_weight: float = 0.5
    formula: str = MEASURE_RANKS
    settings: Mapping[str, float | int | str] = field(default_factory=dict)
    utility_measure: str | None = None
    full_utility: float | None = None
    """The value of the measure of utility that is a utility of 100, if it is a composite."""
    tie_breaks: tuple[str, ...] = ()
    attackers: str = "mean"
    loss_measure: str | None = None
    baselines: tuple[str, ...] = ()
    disqualified: str = "out"
    penalty: str = "none"
    ties: str = "equal"
    directions: Mapping[str, str] = field(default_factory=dict)
    """Direction of each measure that the ruleset defines."""

    @property
    def shares_ranks(self) -> bool:
        """Teams that are not separable share a rank."""
        return self.ties == "not-separable"

    def direction(self, measure: str) -> str:
        """Direction of a measure, "lower" or "higher"; KeyError for an unknown one."""
        return self.directions.get(measure) or ALL_MEASURES[measure].direction

    def utility_in(self, values: Mapping[str, float | None]) -> float | None:
        """The utility in per cent of a table with these measures; None if it has none."""
        value = values.get(self.utility_measure) if self.utility_measure else None
        if value is None:
            return None
        return 100 * (1 - value) if self.full_utility is None else 100 * value / self.full_utility

    @property
    def utility_formula(self) -> str:
        """The utility as a formula of its measure, empty if there is none."""
        measure, full = self.utility_measure, self.full_utility
        if measure is None:
            return ""
        return f"100 · (1 − {measure})" if full is None else f"100 · {measure} / {full:g}"


@dataclass(frozen=True, slots=True)
class BoardSpec:
    """One of several boards: its formula with settings, and what decides between equal totals.

    A formula over other boards adds up what the `boards` of these keys have, times `weights`; any other
    one takes the best tables from the first of them, if it names one. `season` is one of
    `scoring.formulas.boards.SEASONS`, and `season_tie_breaks` are those of the season, where they are others.
    """

    key: str
    title: Text
    formula: str
    settings: Mapping[str, float | int | str] = field(default_factory=dict)
    boards: tuple[str, ...] = ()
    weights: tuple[float, ...] = ()
    tie_breaks: tuple[str, ...] = ()
    season: str = "totals"
    season_tie_breaks: tuple[str, ...] | None = None
    direction: str = "higher"

    @property
    def refers_to(self) -> set[str]:
        """The keys of the boards that have to be known before."""
        named = {*self.tie_breaks, *(self.season_tie_breaks or ())} - {*TIE_BREAKS, FINAL}
        return {*self.boards, *named}

    @property
    def season_direction(self) -> str:
        """Direction of the totals of the season: of ranks the lower ones are better."""
        return "lower" if self.season == "ranks" else self.direction


@dataclass(frozen=True, slots=True)
class Limits:
    """The largest file in bytes, the maximum team size, and the most and the least records of an anonymized
    table as a multiple of the original's."""

    max_file_bytes: int
    max_team_size: int
    max_records_factor: float
    min_records_factor: float = 0.0


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
    boards: tuple[BoardSpec, ...] = ()
    """The boards, the main one first, if the ruleset lists them; `ranking` has what they share."""
    program: ProgramSpec | None = None
    gates: tuple[GateSpec, ...] = ()
    """The bounds of measures, outside of which a table is rejected."""
    baseline_teams: tuple[str, ...] = ()
    """The teams played by the platform that a new contest has, some of `BASELINE_TEAMS`."""
    baseline_attackers: Mapping[str, str] = field(default_factory=dict, hash=False)
    """The attacks of such teams on tables, by the team's name, where they are not its own."""
    modelled_on: str = ""
    """The event in whose manner the contest is held, such as a past cup."""
    absent: tuple[str, ...] = ()
    """Measures, formulas and attacks of plugins that are not installed; of stored rules only."""

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
    def computed(self) -> tuple[str, ...]:
        """The ids of the measures that functions compute: all but a program's values, and what is made of these."""
        return tuple(id_ for id_ in self.measures if self.measure(id_).is_computed)

    def measure(self, id_: str) -> Measure:
        """The measure with this id, of the ruleset or of the library; KeyError where there is none."""
        named = (spec.measure for spec in self.measure_specs if spec.id == id_)
        return next(named, None) or ALL_MEASURES[id_]

    def gates_in(self, stage: str | None) -> tuple[GateSpec, ...]:
        """The gates that hold in a stage; without one, all."""
        return tuple(g for g in self.gates if stage is None or g.stage in (None, stage))

    @property
    def weights(self) -> dict[str, float]:
        """The weight of every measure among those of its heading, by its id."""
        return {spec.id: spec.weight for spec in self.measure_specs}

    @property
    def score_boards(self) -> tuple[BoardSpec, ...]:
        """The boards by formulas of scores: those of the list, or the only one; none where measures are ranked."""
        ranking = self.ranking
        known = ranking.formula in FORMULAS or ranking.formula in FORMULAS.stand_ins
        if self.boards or not known:
            return self.boards
        direction = FORMULAS[ranking.formula].direction
        return (
            BoardSpec(
                ONLY_BOARD,
                {},
                ranking.formula,
                ranking.settings,
                tie_breaks=ranking.tie_breaks,
                direction=direction,
            ),
        )

    def board(self, key: str) -> BoardSpec:
        """The board with this key; KeyError where there is none."""
        for spec in self.boards:
            if spec.key == key:
                return spec
        raise KeyError(key)

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
