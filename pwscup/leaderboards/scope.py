# SPDX-License-Identifier: Apache-2.0
"""The scope of boards: stage, division, audience, and time."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from pwscup.contests.models import Contest, Division, Round, RulesetVersion
from pwscup.contests.policies import is_frozen
from pwscup.submissions.results import finals
from scoring.rulesets import Ruleset, StageSpec

TICK = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class Stage:
    """The rounds of a stage that the boards are about, at one time."""

    spec: StageSpec
    now: datetime
    anonymization: Round | None
    attack: Round | None
    presentation: Round | None
    disclosures: tuple[Round, ...] = ()

    @property
    def scored_rounds(self) -> list[Round]:
        """The rounds whose submissions are scored; presentations are graded by judges."""
        return [r for r in (self.anonymization, self.attack, *self.disclosures) if r]

    @property
    def rounds(self) -> list[Round]:
        return [*self.scored_rounds, *([self.presentation] if self.presentation else [])]

    @property
    def shown_rounds(self) -> list[Round]:
        return [round for round in self.rounds if may_show(round, self.now)]

    def shown(self, round: Round | None) -> Round | None:
        """The round, if everybody may see its values."""
        return round if round and may_show(round, self.now) else None


@dataclass(frozen=True, slots=True)
class Scope:
    """One variant of a contest's boards; the season has no stage of its own.

    `now` is the time that the boards show. If they are frozen, they contain nothing from `before` or later,
    and `now` is just before it. `hidden` are the measures whose values are hidden from the readers.
    """

    contest: Contest
    rules: Ruleset
    now: datetime
    before: datetime | None
    stages: tuple[Stage, ...]
    is_season: bool
    division: Division | None
    hidden: frozenset[str]

    @property
    def stage(self) -> Stage:
        """The only stage of a variant that is not the season."""
        return self.stages[0]

    @property
    def rounds(self) -> list[Round]:
        return [round for stage in self.stages for round in stage.rounds]

    @property
    def shown_rounds(self) -> list[Round]:
        return [round for stage in self.stages for round in stage.shown_rounds]

    @property
    def variant(self) -> str:
        """The key of the variant within the contest."""
        division = self.division.key if self.division else ""
        audience = "less" if self.hidden else "all"
        moment = "live" if self.before is None else "frozen"
        return f"{'' if self.is_season else self.stage.spec.key}/{division}/{audience}/{moment}"


def may_show(round: Round, now: datetime) -> bool:
    """Everybody may see the values of a round."""
    at_once = round.format.is_attacked and round.feedback == Round.Feedback.EXACT
    return at_once or round.is_settled(now)


def moments(contest: Contest) -> list[datetime]:
    """The times at which the boards change only because of the clock."""
    found = [] if contest.frozen_at is None else [contest.frozen_at]
    for round in contest.rounds.all():
        found += [round.opens_at, round.closes_at, round.results_at + round.settles_after]
    return found + finals.moments(contest)


def scope_of(
    contest: Contest,
    now: datetime,
    *,
    stage: str | None = None,
    is_season: bool = False,
    division: Division | None = None,
    hidden: Iterable[str] = (),
    is_final: bool = False,
) -> Scope:
    """The requested variant, without `stage` the current one; KeyError if there is no such stage.

    A frozen contest is shown in its state at the freeze, unless the final boards are requested.
    """
    before = contest.frozen_at if is_frozen(contest, now) and not is_final else None
    rules = contest.ruleset if before is None else rules_at(contest, before)
    shown_at = now if before is None else before - TICK
    if stage is not None:
        rules.stage(stage)  # also for the season, which is shared by all of them
    if is_season:
        keys = [spec.key for spec in weighted_stages(rules)]
    else:
        keys = [current_stage(contest, rules, shown_at) if stage is None else stage]
    return Scope(
        contest=contest,
        rules=rules,
        now=shown_at,
        before=before,
        stages=tuple(stage_at(contest, rules, key, shown_at) for key in keys),
        is_season=is_season,
        division=division,
        hidden=frozenset(hidden),
    )


def rules_at(contest: Contest, before: datetime) -> Ruleset:
    """The rules of the contest at that time; later ones may reveal later events."""
    applied = RulesetVersion.objects.filter(contest=contest, applied_at__lt=before)
    version = applied.order_by("applied_at", "number").last()
    return version.ruleset if version else contest.ruleset


def weighted_stages(rules: Ruleset) -> list[StageSpec]:
    """The stages that enter the season's total."""
    return [spec for spec in rules.stages if spec.weight > 0]


def has_season(rules: Ruleset) -> bool:
    return len(weighted_stages(rules)) > 1


def current_stage(contest: Contest, rules: Ruleset, now: datetime) -> str:
    """The key of the stage that opened last, or will open first."""
    by_key = {round.key: round for round in contest.rounds.all()}
    found = [(by_key[spec.key], spec.stage) for spec in rules.rounds if spec.key in by_key]
    found.sort(key=lambda pair: pair[0].position)
    opened = [stage for round, stage in found if round.has_opened(now)]
    if opened:
        return opened[-1]
    return found[0][1] if found else rules.stages[0].key


def stage_at(contest: Contest, rules: Ruleset, key: str, now: datetime) -> Stage:
    """The rounds of a stage: of those with tables, the one that opened last (or will open first); of those
    with attacks, the one that the rules link to it; the presentation; and all rounds in which a hidden table
    is estimated."""
    rows = {round.key: round for round in contest.rounds.all()}
    specs = [spec for spec in rules.rounds_of(key) if spec.key in rows]

    rounds = [rows[spec.key] for spec in specs]
    candidates = [round for round in rounds if round.format.is_attacked]
    opened = [round for round in candidates if round.has_opened(now)]
    current = opened[-1] if opened else next(iter(candidates), None)
    attacks = [rows[spec.key] for spec in specs if current and spec.attacks == current.key]
    return Stage(
        rules.stage(key),
        now,
        current,
        next(iter(attacks), None),
        next((round for round in rounds if round.format.is_judged), None),
        tuple(round for round in rounds if round.format.tells_of_table),
    )
