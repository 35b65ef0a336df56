# SPDX-License-Identifier: Apache-2.0
"""`python -m scoring rank-estimates`: the boards of a contest from the file that it offers, and mistakes."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest

from scoring.cli.main import main
from scoring.errors import ProblemsFound
from scoring.formats.disclosure.boards import read_marks

ROOT = Path(__file__).parents[2]
FENCE = re.compile(r"^```csv\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BOARD = (
    "\ufeffround,rank,team,house_team,total,table-L2,table-L2_rank,table-spearman,table-spearman_rank\r\n"
    "batch,1,Blue,0,1.0,30.0,1,0.9,1\r\n"
    "batch,2,Green,0,2.0,30.0,1,0.2,3\r\n"
    "batch,3,Red,0,2.5,40.0,3,0.5,2\r\n"
    "batch,,Grey,0,,,,,\r\n"
    "interactive,1,Red,0,1.0,5e-3,1,0.99,1\r\n"
    "interactive,2,Blue,0,2.0,9.0,2,,\r\n"
)


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Run the command on a board; returns exit status, standard output and standard error."""
    monkeypatch.chdir(tmp_path)

    def call(text=BOARD, *more):
        (tmp_path / "B.csv").write_text(text, encoding="utf-8", newline="")
        status = main(["rank-estimates", "--board", "B.csv", *more])
        return status, *capsys.readouterr()

    return call


def test_the_boards_and_their_comparison(run):
    status, out, _ = run(BOARD, "--json")
    teams = json.loads(out)["teams"]
    assert status == 0
    # Interactive: Blue is 2nd in L2 and, without a rank correlation, the last of four.
    assert [(t["team"], t["rank"], t["total"]) for t in teams] == [
        ("Red", 1, 1.75),
        ("Blue", 2, 2.0),
        ("Green", 3, 3.0),
        ("Grey", None, None),
    ]
    assert teams[1]["rounds"] == {
        "batch": {"rank": 1, "total": 1.0, "ranks": {"table-L2": 1, "table-spearman": 1}},
        "interactive": {"rank": 2, "total": 3.0, "ranks": {"table-L2": 2, "table-spearman": 4}},
    }
    assert teams[2]["rounds"]["interactive"] is None


def test_the_text_names_every_team_and_round(run):
    _, out, _ = run()
    lines = [line.split() for line in out.splitlines()]
    assert lines[0] == ["rank", "team", "total", "batch", "interactive"]
    assert lines[1] == ["1", "Red", "1.7500", "2.5000", "(3)", "1.0000", "(1)"]
    assert lines[4] == ["–", "Grey", "–", "–", "–"]


def test_the_rules_say_what_is_ranked(run, tmp_path):
    from scoring.rulesets import load_ruleset

    text = load_ruleset("dp-disclosure").text
    only = text.replace('utility = ["table-L2", "table-spearman"]', 'utility = ["table-L2"]')
    assert only != text
    (tmp_path / "r.toml").write_text(only, encoding="utf-8")
    _, out, _ = run(BOARD, "--json", "--ruleset", "r.toml")
    teams = {t["team"]: t["total"] for t in json.loads(out)["teams"]}
    assert teams == {"Red": 2.0, "Blue": 1.5, "Green": 2.5, "Grey": None}


def test_the_example_of_the_page_has_the_ranks_that_are_computed(run):
    page = (ROOT / "docs" / "reference" / "disclosure.md").read_text(encoding="utf-8")
    board = next(found for found in FENCE.findall(page) if found.startswith("round,"))
    _, out, _ = run(board, "--json")
    teams = {team["team"]: team["rounds"] for team in json.loads(out)["teams"]}
    for line in csv.DictReader(io.StringIO(board)):
        computed = teams[line["team"]][line["round"]]
        assert computed["total"] == float(line["total"])
        assert computed["rank"] == int(line["rank"])
        for measure, rank in computed["ranks"].items():
            assert rank == int(line[f"{measure}_rank"])


def test_rules_without_a_hidden_table_are_a_mistake(run):
    status, _, err = run(BOARD, "--ruleset", "pwscup2015")
    assert status == 2
    assert "expected one that hides its table, got pwscup2015" in err


def test_all_problems_are_reported_together():
    data = b"round,team,table-L2\nbatch,a,x\nbatch,a,1\n,b,nan\nbatch\nbatch,,2\n\nbatch,c,inf\nbatch,d,3\n"
    with pytest.raises(ProblemsFound) as found:
        read_marks(data, ["table-L2"], file="B.csv")
    assert [(p.code, p.row, p.column) for p in found.value.problems] == [
        ("cell.not_a_number", 1, "table-L2"),
        ("scores.repeated", 2, "team"),
        ("cell.not_finite", 3, "table-L2"),
        ("cell.empty", 3, "round"),
        ("record.cell_count", 4, None),
        ("cell.empty", 5, "team"),
        ("record.empty_line", 6, None),
        ("cell.not_finite", 7, "table-L2"),
    ]


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "file.empty"),
        (b"round,team\nbatch,a\n", "header.missing"),
        (b"round,team,table-L2\n", "file.header_only"),
        (b"round,team,team,table-L2\n", "header.repeated"),
    ],
)
def test_files_that_are_no_board(data, code):
    with pytest.raises(ProblemsFound) as found:
        read_marks(data, ["table-L2"], file="B.csv")
    assert [problem.code for problem in found.value.problems] == [code]
