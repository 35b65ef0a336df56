# SPDX-License-Identifier: Apache-2.0
"""What it takes to build boards: everything is looked through as often for thirty teams as for three."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from pwscup.leaderboards.boards import build, sections
from pwscup.leaderboards.boards.sections import Disclosure, Estimate, Facts, Phase, Player
from pwscup.leaderboards.boards.tables import table_of
from pwscup.leaderboards.export import lines_of
from scoring.rulesets import load_ruleset


class Counted(dict):
    """Counts how often somebody goes through all of it."""

    n_passes = 0

    def __iter__(self) -> Any:
        self.n_passes += 1
        return super().__iter__()

    def items(self) -> Any:
        self.n_passes += 1
        return super().items()


def facts(ruleset: str, n_teams: int, *, is_attack_shown: bool) -> Facts:
    """Teams that have all handed in, and attacked each other where that is shown."""
    rules = load_ruleset(ruleset)
    players = tuple(Player(n, f"Team {n}", is_house=False) for n in range(1, n_teams + 1))
    over = Phase(shown=True, closed=True, settled=True, shown_at="2031-01-01", n_awaited=0)
    attack = over if is_attack_shown else Phase(False, False, False, "2031-01-02", 0)
    pairs = [(a.id, d.id) for a in players for d in players if a is not d]
    return Facts(
        players=players,
        everybody=players,
        rules=rules,
        stage=rules.stages[0],
        anonymization=over,
        attack=attack,
        presentation=None,
        measured=Counted({p.id: dict.fromkeys(rules.measures, 1 / p.id) for p in players}),
        arrived={p.id: datetime(2031, 1, 1, tzinfo=UTC) for p in players},
        published=frozenset(p.id for p in players),
        rates=Counted({(a, d): 1 / (a + d) for a, d in pairs if is_attack_shown}),
        marks={},
        hidden=frozenset(rules.measures[:1]),
        is_frozen=False,
    )


@pytest.mark.parametrize("is_attack_shown", [False, True])
@pytest.mark.parametrize("ruleset", ["pwscup2015", "pets-lecture"])
def test_more_teams_are_no_more_passes(ruleset, is_attack_shown):
    passes = []
    for n_teams in (3, 30):
        known = facts(ruleset, n_teams, is_attack_shown=is_attack_shown)
        made = build.build(known)
        rows = made[build.first_board(known.rules, made)]["rows"]
        assert len(rows) == n_teams
        passes.append((known.measured.n_passes, known.rates.n_passes))
    assert passes[0] == passes[1]


@pytest.mark.parametrize("is_attack_shown", [False, True])
@pytest.mark.parametrize("ruleset", ["pwscup2015", "pets-lecture"])
def test_rows_have_a_cell_in_every_column(ruleset, is_attack_shown):
    """On pages and in reports; so have the lines of downloads, those of teams without a submission too."""
    known = facts(ruleset, 4, is_attack_shown=is_attack_shown)
    known = replace(known, measured={t: v for t, v in known.measured.items() if t > 1})
    made = build.build(known)
    for name in build.boards_of_formula(known.rules):
        table = table_of(name, made[name])
        assert {len(row.cells) for row in table.rows if row.cells} <= {len(table.columns)}
        header, *lines = lines_of(name, made[name])
        assert {len(line) for line in lines} <= {len(header)}
        assert len(set(header)) == len(header)


@pytest.mark.parametrize("is_attack_shown", [False, True])
@pytest.mark.parametrize("ruleset", ["pwscup2015", "pets-lecture", "dp-disclosure"])
def test_what_is_stored_is_the_same_boards(ruleset, is_attack_shown):
    """The matrix stands apart, and smaller."""
    made = build.build(facts(ruleset, 4, is_attack_shown=is_attack_shown))
    outline, matrix = (json.loads(json.dumps(part)) for part in sections.packed(made))
    assert sections.unpacked(outline, matrix) == json.loads(json.dumps(made))
    assert outline.keys() == made.keys()
    assert "rows" not in outline.get("matrix", {})


class Listed(tuple):
    """Counts how often somebody goes through all of it."""

    n_passes = 0

    def __iter__(self) -> Any:
        type(self).n_passes += 1
        return super().__iter__()


def test_more_estimates_are_no_more_passes():
    passes = []
    for n_teams in (3, 30):
        Listed.n_passes = 0
        known = estimated(n_teams)
        made = build.build(known)
        assert len(made["comparison"]["rows"]) == n_teams
        assert len(made["curve"]["rows"]) == 2 * n_teams
        measured = [round.measured.n_passes for round in known.disclosures]
        passes.append((measured, Listed.n_passes))
    assert passes[0] == passes[1]


def estimated(n_teams: int) -> Facts:
    """Teams that have all handed in an estimate in both rounds about a hidden table."""
    known = facts("dp-disclosure", n_teams, is_attack_shown=False)
    values = {p.id: dict.fromkeys(known.rules.measures, 1 / p.id) for p in known.players}
    rounds = tuple(
        Disclosure(
            spec=spec,
            phase=known.anonymization,
            measured=Counted(values),
            arrived=known.arrived,
            estimates=Listed(Estimate(team, Decimal(1), of, True) for team, of in values.items()),
        )
        for spec in known.rules.rounds
    )
    return replace(
        known,
        anonymization=None,
        attack=None,
        measured={},
        hidden=frozenset(),
        disclosures=rounds,
        n_cells=108,
    )
