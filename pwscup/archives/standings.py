# SPDX-License-Identifier: Apache-2.0
"""The boards of a contest in an archive, and their comparison."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from pwscup.archives.naming import Called
from pwscup.leaderboards import facts
from pwscup.leaderboards.boards import build
from pwscup.leaderboards.boards.sections import Facts, Player, built_in_attacks
from pwscup.leaderboards.scope import Scope, has_season, moments, scope_of
from scoring.formulas import MEASURE_RANKS

if TYPE_CHECKING:
    from pwscup.contests.models import Contest

Board = dict[str, Any]


def moment_of(contest: Contest, now: datetime) -> datetime:
    """The last time up to now at which the clock has changed the boards.

    They have been the same since, so archives of the same facts are equal.
    """
    changes = [contest.created_at, *moments(contest)]
    return max((moment for moment in changes if moment <= now), default=contest.created_at)


def scopes_of(contest: Contest, moment: datetime, *, is_final: bool) -> Iterator[Scope]:
    """All stages and the season, for everybody and by division.

    If not final, the public ones: without hidden measures, and frozen if they are.
    """
    hidden = () if is_final else contest.hidden_measures
    rules = contest.ruleset
    for division in (None, *contest.divisions.all()):
        given: dict[str, Any] = {"division": division, "hidden": hidden, "is_final": is_final}
        for stage in rules.stages:
            if is_final or stage.key in _stages_at(contest, moment):
                yield scope_of(contest, moment, stage=stage.key, **given)
        if has_season(rules):
            yield scope_of(contest, moment, is_season=True, **given)


def _stages_at(contest: Contest, moment: datetime) -> set[str]:
    """The stages of the rules at the time of the freeze."""
    return {stage.key for stage in scope_of(contest, moment).rules.stages}


def boards_of(
    contest: Contest, moment: datetime, teams: Mapping[int, Called], *, is_final: bool
) -> list[Board]:
    """Every board, with the names of teams from `teams`.

    Without intervals: a copy of an archive without the answer key has not what they are computed from.
    """
    found = []
    for scope in scopes_of(contest, moment, is_final=is_final):
        known = [_renamed(part, teams) for part in facts.gather(scope)]
        made = build.build_season(known) if scope.is_season else build.build(known[0])
        found.append({**_what(scope), "boards": _without_intervals(made)})
    return json.loads(json.dumps(found, allow_nan=False))


def _what(scope: Scope) -> Board:
    return {
        "stage": "" if scope.is_season else scope.stage.spec.key,
        "division": scope.division.key if scope.division else "",
    }


def _renamed(known: Facts, teams: Mapping[int, Called]) -> Facts:
    def called(players: Iterable[Player]) -> tuple[Player, ...]:
        found = (Player(teams[p.id].n, teams[p.id].name, p.is_house) for p in players)
        return tuple(sorted(found, key=lambda player: player.id))

    def by_team(values: Mapping[int, Any]) -> dict[int, Any]:
        return dict(sorted((teams[team].n, value) for team, value in values.items()))

    return replace(
        known,
        players=called(known.players),
        everybody=called(known.everybody),
        baselines=called(known.baselines),
        lost=frozenset(teams[team].n for team in known.lost),
        repeats=by_team(known.repeats),
        n_guessed={(teams[a].n, teams[d].n): n for (a, d), n in known.n_guessed.items()},
        measured=by_team(known.measured),
        arrived=by_team(known.arrived),
        published=frozenset(teams[team].n for team in known.published),
        rates={(teams[a].n, teams[d].n): rate for (a, d), rate in known.rates.items()},
        marks=by_team(known.marks),
        disclosures=tuple(
            replace(
                round,
                measured=by_team(round.measured),
                arrived=by_team(round.arrived),
                estimates=tuple(replace(e, team=teams[e.team].n) for e in round.estimates),
            )
            for round in known.disclosures
        ),
    )


# Public values


def shown_values(
    contest: Contest, moment: datetime, teams: Mapping[int, Called]
) -> Iterator[dict[str, Any]]:
    """The public part of evaluations: the measures of tables and estimates, the rates of guesses."""
    for scope in scopes_of(contest, moment, is_final=False):
        if scope.is_season or scope.division is not None:
            continue
        stage, known = scope.stage.spec.key, facts.gather(scope)[0]
        measures = _shown_measures(known)
        of_rounds: list[tuple[dict[str, Any], Any]] = [({}, known.measured)]
        of_rounds += [({"round": d.spec.key}, d.measured) for d in known.disclosures]
        for where, measured in of_rounds:
            named = ((teams[team], values) for team, values in measured.items())
            for team, values in sorted(named, key=lambda pair: pair[0].n):
                shown = {measure: values.get(measure) for measure in measures}
                yield {"stage": stage, **where, "team": team.slug, "values": shown}
        rates = ((teams[a], teams[d], rate) for (a, d), rate in known.rates.items())
        for attacker, team, rate in sorted(rates, key=lambda found: (found[0].n, found[1].n)):
            yield {"stage": stage, "team": attacker.slug, "target": team.slug, "rate": rate}


def _shown_measures(known: Facts) -> list[str]:
    measures: Iterable[str] = known.rules.measures
    if known.ranking.formula == MEASURE_RANKS:
        ranking = known.ranking
        on_board = {*ranking.utility, *ranking.safety, *built_in_attacks(known)}
        measures = [measure for measure in measures if measure in on_board]
    return [measure for measure in measures if measure not in known.hidden]


# Comparison


def differences(expected: list[Board], found: list[Board]) -> list[dict[str, Any]]:
    """Differences of recomputed boards: by board and team, the ranks and totals; empty if they are equal."""
    if expected == found:
        return []
    before, after = (dict(_tables(board)) for board in (expected, found))
    lines = [
        line
        for name in dict.fromkeys([*before, *after])
        for line in _lines(name, before.get(name, {}), after.get(name, {}))
    ]
    return lines or [{"board": "", "team": "", "expected": None, "got": None}]


def _without_intervals(part: Any) -> Any:
    if isinstance(part, dict):
        return {key: _without_intervals(v) for key, v in part.items() if key != "interval"}
    return [_without_intervals(one) for one in part] if isinstance(part, list) else part


def _tables(found: Iterable[Board]) -> Iterator[tuple[str, dict[str, list[Any]]]]:
    for variant in found:
        for section in _ranked(variant["boards"]):
            rows = variant["boards"].get(section, {}).get("rows", [])
            name = "/".join(
                part for part in (variant["stage"], variant["division"], section) if part
            )
            total = {
                row["name"]: [row["rank"], row.get("total", row.get("mean_rate"))] for row in rows
            }
            yield name, total


def _ranked(boards: Mapping[str, Any]) -> list[str]:
    """The boards with ranks of teams: those of a list say their kind."""
    kinds = {name: part.get("kind") for name, part in boards.items() if isinstance(part, dict)}
    listed = (name for name, kind in kinds.items() if kind and name not in build.RANKED)
    return [*build.RANKED, *listed]


def _lines(
    name: str, before: Mapping[str, list[Any]], after: Mapping[str, list[Any]]
) -> Iterator[dict[str, Any]]:
    for team in dict.fromkeys([*before, *after]):
        expected, got = before.get(team), after.get(team)
        if expected != got:
            yield {"board": name, "team": team, "expected": expected, "got": got}
