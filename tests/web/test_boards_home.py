# SPDX-License-Identifier: Apache-2.0
"""Boards of measures and attacks computed at home from their downloads: the same as on the platform."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pwscup.leaderboards.boards import build
from pwscup.leaderboards.boards.sections import Facts, Phase, Player
from pwscup.leaderboards.export import lines_of
from scoring.cli.main import main
from scoring.formulas import TIE_BREAKS
from scoring.reporting.spreadsheets import BOM, csv_text
from scoring.rulesets import load_ruleset, parse_ruleset
from tests.every import every

SHOWN = Phase(
    shown=True, closed=True, settled=True, shown_at="2030-01-01T00:00:00+00:00", n_awaited=0
)
AWAITED = replace(SHOWN, shown=False, closed=False)
NAMES = ("Red", "kind", "=1+1", "team", "匿名", "E1", "b,c", '"q"', "House")
ON_BOARD = ("total", "utility_rank", "safety_rank", "worst_rate", "worst_rank")


def ruleset_text(rng: random.Random) -> str:
    """The rules of 2015 with other weights, averages and tie-breaks; times of arrival are in no download."""
    text = load_ruleset("pwscup2015-robust").text
    share, tie_breaks = (
        rng.choice([0.5, 0.3, 1.0]),
        [t for t in TIE_BREAKS if t not in ("earlier", "presentation")],
    )
    rng.shuffle(tie_breaks)
    chosen = json.dumps(tie_breaks[: rng.randrange(len(tie_breaks) + 1)])
    more = f'utility_measure = "marginals"\ntie_breaks = {chosen}\nanonymization_weight = {share}'
    start, _, rest = text.partition("measures = [")
    listed, _, rest = rest.partition("]\n")
    text = f"{start}{rest}\n" + "".join(
        measure(name, rng) for name in json.loads(f"[{listed.rstrip().rstrip(',')}]")
    )
    text = text.replace("anonymization_weight = 0.5", more).replace(
        "attack_weight = 0.5", f"attack_weight = {1 - share}"
    )
    return text.replace('"median"', f'"{rng.choice(["mean", "median", "trimmed"])}"')


def measure(name: str, rng: random.Random) -> str:
    from scoring.registry import ALL_MEASURES

    direction, weight = ALL_MEASURES[name].direction, rng.choice([1, 1, 0.1, 3])
    return f'[[scoring.measure]]\nid = "{name}"\ndirection = "{direction}"\nweight = {weight}\n'


def facts_of(text: str, rng: random.Random) -> Facts:
    """A contest at random, with equal and missing values, attackers without tables, and teams that did nothing."""
    rules = parse_ruleset(text)
    n_teams = rng.randint(1, len(NAMES))
    players = tuple(
        Player(n, name, name == "House") for n, name in enumerate(rng.sample(NAMES, n_teams))
    )
    ids = [player.id for player in players]
    measured = {team: values_of(rules.measures, rng) for team in ids if rng.random() < 0.7}
    is_over = rng.random() < 0.8
    pairs = [(a, d) for a in ids for d in measured if a != d and is_over and rng.random() < 0.6]
    return Facts(
        players=players,
        everybody=players,
        rules=rules,
        stage=rules.stages[0],
        anonymization=SHOWN,
        attack=SHOWN if is_over else AWAITED,
        presentation=None,
        measured=measured,
        arrived={},
        published=frozenset(measured) if is_over else frozenset(),
        rates={pair: rng.choice([0.0, 0.25, 1 / 3, 1e-5, rng.random()]) for pair in pairs},
        marks={},
        hidden=frozenset(),
        is_frozen=False,
    )


def values_of(measures: Any, rng: random.Random) -> dict[str, float | None]:
    some = {m: rng.choice([None, 0.0, 0.25, 1 / 3, rng.random()]) for m in measures}
    return some | {"U1": rng.choice([0.0, 0.5, 1.0])}


def downloaded(folder: Path, facts: Facts, board: str) -> str:
    """The path of a board as its page offers it."""
    header, *rows = lines_of(board, build.build(facts)[board])
    lines = [["" if cell is None else cell for cell in row] for row in rows]
    path = folder / f"{board}.csv"
    path.write_text(BOM + csv_text(header, lines), encoding="utf-8", newline="")
    return str(path)


def at_home(
    folder: Path, capsys: Any, facts: Facts, everybody: Facts | None = None
) -> dict[str, Any]:
    """What `rank` makes of the downloads, by team; the matrix is that of everybody."""
    rules = folder / "rules.toml"
    rules.write_text(facts.rules.text, encoding="utf-8")
    line = ["rank", "--ruleset", str(rules), "--board", downloaded(folder, facts, "anonymization")]
    if facts.is_attack_shown:
        line += ["--rates", downloaded(folder, everybody or facts, "matrix")]
    capsys.readouterr()
    status = main([*line, "--json"])
    out, err = capsys.readouterr()
    assert status == 0, out + err
    return {team["team"].removeprefix("'"): team for team in json.loads(out)["teams"]}


def check(facts: Facts, home: dict[str, Any]) -> None:
    web = build.build(facts)
    assert home.keys() == {player.name for player in facts.players}
    for row in web["anonymization"]["rows"]:
        table = home[row["name"]]["anonymization"]
        assert (table is not None) == row["submitted"]
        if table is not None:
            assert {name: table[name] for name in ("rank", *ON_BOARD)} == {
                name: row[name] for name in ("rank", *ON_BOARD)
            }
    for row in web["attack"]["rows"]:
        expected = {"rank": row["rank"], "mean_rate": row["mean_rate"]}
        assert home[row["name"]]["attack"] == expected
    ranked = web["overall" if facts.is_attack_shown else "anonymization"]["rows"]
    assert {row["name"]: (row["rank"], row.get("total")) for row in ranked} == {
        name: (team["rank"], team["total"]) for name, team in home.items()
    }


@pytest.mark.long
@every(seed=range(40))
def test_the_downloads_of_any_contest_are_ranked_as_on_its_boards(seed, tmp_path, capsys):
    rng = random.Random(seed)
    facts = facts_of(ruleset_text(rng), rng)
    if facts.measured:
        check(facts, at_home(tmp_path, capsys, facts))


@every(seed=range(15))
def test_a_division_is_ranked_from_its_board_and_the_matrix_of_all(seed, tmp_path, capsys):
    rng = random.Random(seed)
    whole = facts_of(ruleset_text(rng), rng)
    inside = tuple(player for player in whole.players if rng.random() < 0.6)
    division = replace(whole, players=inside)
    if any(player.id in whole.measured for player in inside):
        check(division, at_home(tmp_path, capsys, division, whole))
