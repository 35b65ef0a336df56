# SPDX-License-Identifier: Apache-2.0
"""The certificate of a dry run: what each cheater gains next to honest bots and to chance."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import TYPE_CHECKING, Any

from django.utils import timezone

from pwscup.bots.cast import BY_NAME, CAST, PLAYED, SACRIFICED
from pwscup.contests.selectors import dataset_of
from pwscup.contests.teams.tables import draw_of
from pwscup.leaderboards import facts
from pwscup.leaderboards.boards.build import final_lines
from pwscup.leaderboards.boards.sections import Facts, Player
from pwscup.leaderboards.scope import scope_of
from pwscup.submissions import evaluation, selectors
from pwscup.submissions.models import Submission
from pwscup.submissions.states import State
from scoring.formulas import direction_of
from scoring.formulas.ranking import averaged
from scoring.questions.chance import of_share
from scoring.rulesets.answers import answer_to

if TYPE_CHECKING:
    from pwscup.contests.models import Contest, Round
    from pwscup.submissions.models import Release
    from scoring.rulesets import Ruleset

Line = dict[str, Any]
Z = 1.96
"""Standard errors on either side of a 95 % interval."""
NEGLIGIBLE = 1e-6
TOP_K = "top-k-attack"
"""The formula that looks at the best tables only: a table that is given away is none of them."""


def certified(copy: Contest) -> Line:
    """The certificate of a copy that has been played, as plain values, with the rules that it is about."""
    found = gathered(copy)
    lines = [line for one in found for line in (*_tables(one, copy), *_attacks(one, copy))]
    for line in lines:
        line["answer"] = answer_to(copy.ruleset, line["cheater"]) if line["is_red"] else ""
    return {"digest": copy.ruleset.digest, "lines": lines}


def gathered(copy: Contest) -> list[Facts]:
    """The facts of the last stage of a copy, in which honest bots and cheaters are ranked."""
    scope = scope_of(copy, timezone.now(), stage=copy.ruleset.stages[-1].key, is_final=True)
    ranking = replace(
        scope.rules.ranking, baselines=tuple({*scope.rules.ranking.baselines} - {"house"})
    )
    return facts.gather(replace(scope, rules=replace(scope.rules, ranking=ranking)))


# Tables


def _tables(found: Facts, copy: Contest) -> Iterable[Line]:
    """A line for each cheater who submitted a table, a series or an estimate."""
    honest = [player for player in found.everybody if player.name in BY_NAME]
    direction = _direction(found.rules)
    for player in found.everybody:
        made = _submitted(copy, player, found)
        if player.name in BY_NAME or made is None:
            continue
        line: Line = {"cheater": PLAYED[player.name].cheat, "kind": "table", "is_red": False}
        if made.state != State.SCORED:
            yield line | {"problems": made.problems[:2]}
            continue
        totals = totals_with(found, honest, player)
        usual = [total for one in honest if (total := totals.get(one.id)) is not None]
        own = totals.get(player.id)
        if own is None or not usual:
            continue
        above = (own - median(usual)) * (1 if direction == "higher" else -1)
        yield line | {
            "value": own,
            "usual": median(usual),
            "direction": direction,
            "is_red": above > NEGLIGIBLE,
        }


def _submitted(copy: Contest, player: Player, found: Facts) -> Submission | None:
    made = Submission.objects.filter(team=player.id, round__contest=copy, target=None)
    keys = [spec.key for spec in found.rules.rounds_of(found.stage.key)]
    return (
        made.filter(round__key__in=keys).exclude(round__kind="presentation").order_by("pk").last()
    )


def _direction(rules: Ruleset) -> str:
    return rules.boards[0].direction if rules.boards else direction_of(rules.ranking.formula)


def totals_with(found: Facts, honest: list[Player], cheater: Player) -> dict[int, float | None]:
    """The totals of the honest bots and one cheater, who attacks as the median of the honest ones does."""
    players = (*honest, cheater)
    ids, by_target = {player.id for player in players}, defaultdict(list)
    rates = {
        (a, d): rate for (a, d), rate in found.rates.items() if {a, d} <= ids and a != cheater.id
    }
    for (_attacker, defender), rate in rates.items():
        by_target[defender].append(rate)
    rates |= {(cheater.id, d): median(of) for d, of in by_target.items() if d != cheater.id}
    sizes = {defender: n for (_attacker, defender), n in found.n_guessed.items()}
    only = replace(
        found,
        players=players,
        everybody=players,
        baselines=(),
        measured={team: of for team, of in found.measured.items() if team in ids},
        published=found.published & ids,
        rates=rates,
        n_guessed={(a, d): sizes[d] for a, d in rates if d in sizes},
    )
    return {team: line.total for team, line in final_lines(only).items()}


# Attacks


@dataclass(frozen=True, slots=True)
class Rate:
    """The rate of an attack, that of chance with its standard error, on the scale of the rules."""

    value: float
    chance: float
    error: float


def _attacks(found: Facts, copy: Contest) -> Iterable[Line]:
    """A line for each cheater who attacked, over all honest tables."""
    for round in copy.rounds.select_related("contest").order_by("position"):
        if not round.format.has_targets or round.spec.stage != found.stage.key:
            continue
        made: dict[str, list[Submission]] = defaultdict(list)
        guesses = Submission.objects.filter(round=round, state=State.SCORED).select_related(
            "team", "target__team"
        )
        for guess in guesses:
            made[guess.team.name].append(guess)
        for bot in CAST:
            own = made.get(bot.name, [])
            on_honest = [guess for guess in own if _target(guess).team.name != SACRIFICED]
            if bot.cheat == "sacrificial":
                rate = _given_away(found, round, own)
            else:
                rate = _mean([rate_of(guess, round) for guess in on_honest])
            if rate is not None:
                bound = rate.chance + Z * rate.error
                yield {
                    "cheater": bot.cheat,
                    "kind": "attack",
                    "value": rate.value,
                    "usual": rate.chance,
                    "bound": bound,
                    "is_red": rate.value > bound + NEGLIGIBLE,
                }


def _target(guess: Submission) -> Release:
    if guess.target is None:
        raise ValueError("a guess without a target")
    return guess.target


def values_of(guess: Submission) -> Mapping[str, Any]:
    """The values of a scored guess."""
    return selectors.holding().filter(submission=guess).latest("pk").values or {}


def rate_of(guess: Submission, round: Round) -> Rate:
    """The rate of a scored guess, and what chance would have on the scale of the rules."""
    values = values_of(guess)
    if round.format.asks_questions:
        return _of_questions(guess, round, float(values["rate"]))
    n, p = int(values["n_records"]), 0.0
    if "baseline_hits" not in values:
        target = _target(guess)
        drawn = draw_of(target.team, target.submission.original)
        p = 1 / (drawn or dataset_of(round.contest)).n_records
    known = of_share(float(values["rate"]), p, n)
    return Rate(known.rate, known.chance, known.error)


def _of_questions(guess: Submission, round: Round, value: float) -> Rate:
    """Chance and its error by an evaluation under rules with a margin of nothing, which computes them."""
    spec, rules = round.spec, round.contest.ruleset
    asked = tuple(replace(question, margin=0.0) for question in spec.questions)
    rounds = tuple(replace(one, questions=asked) if one is spec else one for one in rules.rounds)
    values = evaluation.evaluate(guess.pk, replace(rules, rounds=rounds)).values
    found = []
    for question in spec.questions:
        chance, error = (
            float(values.get(f"{question.key}.{name}") or 0) for name in ("chance", "error")
        )
        if question.margin is not None or question.result.startswith("over_"):
            error, chance = error / max(1 - chance, NEGLIGIBLE), 0.0
        found.append(Rate(value, chance, error))
    if spec.combine == "max":
        return max(found, key=lambda rate: rate.chance + Z * rate.error)
    return _mean(found) or Rate(value, 0.0, 0.0)


def _mean(rates: Sequence[Rate]) -> Rate | None:
    """The mean of some rates, with the error of a mean of independent ones; None without any."""
    n = len(rates)
    if not n:
        return None
    value, chance = (
        math.fsum(getattr(rate, name) for rate in rates) / n for name in ("value", "chance")
    )
    return Rate(value, chance, math.hypot(*(rate.error for rate in rates)) / n)


def _given_away(found: Facts, round: Round, guesses: Sequence[Submission]) -> Rate | None:
    """The average of an attacker who has a team's file, and otherwise attacks as the median of the honest bots does,
    next to one without the file; None where boards do not average over all tables.
    """
    names = {player.id: player.name for player in found.everybody}
    if not guesses or any(spec.formula == TOP_K for spec in found.rules.score_boards):
        return None
    usual: dict[str, list[float]] = defaultdict(list)
    for (attacker, defender), rate in found.rates.items():
        if names.get(attacker) in BY_NAME and names[defender] in {*BY_NAME, SACRIFICED}:
            usual[names[defender]].append(rate)
    without = {name: median(rates) for name, rates in usual.items()}
    owned = without | {SACRIFICED: max(float(values_of(guess)["rate"]) for guess in guesses)}
    value, chance = (averaged([*of.values()], found.ranking.attackers) for of in (owned, without))
    return Rate(value, chance, rate_of(guesses[0], round).error / math.sqrt(len(owned)))
