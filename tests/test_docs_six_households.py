# SPDX-License-Identifier: Apache-2.0
"""The worked example of six households: every number of the page, in both languages, is that of the library."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import pytest

import scoring
from scoring.cli import main as cli
from scoring.rulesets import load_ruleset
from scoring.tables.schema import Column, Kind, Role, Schema

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "explanation"
PAGES = [FOLDER / f"scores-with-six-households{end}" for end in (".md", ".ja.md")]
TEAMS = ("ume", "take", "kiku")
CATEGORY, QUASI_IDENTIFIER = Kind.CATEGORY, Role.QUASI_IDENTIFIER
SCHEMA = Schema(
    (
        Column("town", QUASI_IDENTIFIER, CATEGORY, cross=True, values=("east", "west")),
        Column("size", QUASI_IDENTIFIER, CATEGORY, cross=True, values=("1", "2", "3")),
        Column("food", Role.SENSITIVE, Kind.INTEGER),
        Column("rent", Role.SENSITIVE, Kind.INTEGER),
    ),
    e2_column="food",
    e4_column="food",
)


def tables_of(page: Path) -> dict[str, bytes]:
    text = page.read_text(encoding="utf-8")
    found = re.findall(r"`(\w+)\.csv`:\n\n```csv\n(.*?)```", text, re.DOTALL)
    return {name: content.encode() for name, content in found}


def shown(page: Path) -> list[list[list[str]]]:
    """The numbers of the three tables: measures, attacks, ranks."""
    text = page.read_text(encoding="utf-8")
    tables = re.findall(r"^\|[-:| ]+\|\n((?:\|.*\|\n)+)", text, re.MULTILINE)
    rows = [[line.strip("|\n").split("|") for line in table.splitlines()] for table in tables]
    return [[[cell.strip() for cell in row] for row in table] for table in rows]


def test_both_pages_show_the_same_tables():
    english, japanese = map(tables_of, PAGES)
    assert set(english) == {"original", *TEAMS}
    assert english == japanese
    numbers = [[[row[-3:] for row in table] for table in shown(page)] for page in PAGES]
    assert numbers[0] == numbers[1]


@pytest.fixture(scope="module")
def scores() -> dict[str, scoring.Scores]:
    files = tables_of(PAGES[0])
    original = scoring.read(files["original"], SCHEMA)
    return {
        team: scoring.score(original, scoring.read(files[team], SCHEMA), SCHEMA) for team in TEAMS
    }


def test_measures_are_those_of_the_library(scores):
    measures = shown(PAGES[0])[0]
    assert len(measures) == 6
    for id_, _better, *values in measures:
        assert [float(v) for v in values] == [round(float(scores[t][id_]), 3) for t in TEAMS]


def test_ranks_and_totals_are_those_of_the_library(scores, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = load_ruleset("pwscup2015").text
    text = re.sub(r"^utility = .*$", 'utility = ["U1", "U5"]', text, flags=re.MULTILINE)
    text = re.sub(r"^linkage = .*$", 'linkage = ["E1", "EUC2"]', text, flags=re.MULTILINE)
    Path("six.toml").write_text(text, encoding="utf-8")
    _measures, attacks, ranks = shown(PAGES[0])
    rates = {
        row[0]: [float(Fraction(c.replace(" ", ""))) if c else None for c in row[1:]]
        for row in attacks
    }
    lines = [
        f"{a},team," + ",".join("" if r is None else f"{r:.6f}" for r in rates[a]) for a in TEAMS
    ]
    for id_ in ("E1", "EUC2"):
        lines.append(f"{id_},built-in attack," + ",".join(f"{scores[t][id_]:.6f}" for t in TEAMS))
    Path("R.csv").write_text(
        "\n".join([f"attacker,kind,{','.join(TEAMS)}", *lines, ""]), encoding="utf-8"
    )
    board = ["team,U1,U5,S1,S2,worst_rate"]
    for at, team in enumerate(TEAMS):
        others = [rates[a][at] for a in TEAMS if rates[a][at] is not None]
        worst = max(*others, scores[team]["E1"], scores[team]["EUC2"])
        own = [scores[team][id_] for id_ in ("U1", "U5", "S1", "S2")]
        board.append(",".join([team, *(f"{float(v):.6f}" for v in (*own, worst))]))
    Path("B.csv").write_text("\n".join([*board, ""]), encoding="utf-8")
    assert cli.main(["rank", "--ruleset", "six.toml", "--board", "B.csv", "--rates", "R.csv"]) == 0
    printed = [line.split() for line in capsys.readouterr().out.splitlines()[1:]]
    found = {row[1]: [float(cell) for cell in (row[0], *row[2:])] for row in printed}
    by_name = {row[0].strip("*").partition("**")[0]: row[-3:] for row in ranks}
    for at, team in enumerate(TEAMS):
        place, total, table, utility, safety, _worst, attack, _mean = found[team]
        expected = [place, total, table, utility, safety, attack]
        names = ("place", "total", "rank by table", "utility rank", "safety rank", "rank by attack")
        assert [float(by_name[name][at]) for name in names] == expected


def test_the_lines_for_a_computer_work(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name, content in tables_of(PAGES[0]).items():
        Path(f"{name}.csv").write_bytes(content)
    Path("schema.toml").write_text(SCHEMA.to_toml(), encoding="utf-8")
    [code] = re.findall(r"```python\n(.*?)```", PAGES[0].read_text(encoding="utf-8"), re.DOTALL)
    assert f"```python\n{code}```" in PAGES[1].read_text(encoding="utf-8")
    exec(code, {})
    assert "U1 0" in capsys.readouterr().out
