# SPDX-License-Identifier: Apache-2.0
"""`python -m scoring rank`: boards and seasons from files, mistakes, and the page about formulas."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from scoring.cli.main import main
from scoring.cli.rank_boards import written
from scoring.formulas import FORMULAS, OFFICIAL, PARTS, Line, Scores, combined, ranked
from scoring.rulesets import load_ruleset
from tests.scoring.test_formulas import RANGES, SETTINGS

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "reference" / "formulas.md").read_text(encoding="utf-8")
CODE = re.compile(r"`([^`\n]+)`")
FILES = re.findall(r"^```csv\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)

MATRIX = {
    "ume": {"take": 40.0, "matsu": 10.0},
    "take": {"ume": 20.0, "matsu": 30.0},
    "matsu": {"ume": 60.0, "take": 0.0},
    "kiku": {"ume": 10.0, "take": 20.0},
}
UTILITY = {"ume": 90.0, "take": 60.0, "matsu": 45.0}
CUP = Scores(
    ("ume", "take", "matsu", "kiku"),
    MATRIX,
    UTILITY,
    {},
    frozenset({"ume", "take", "matsu"}),
    loss={"ume": 0.2, "take": 3.5, "matsu": 12.0},
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with the page's files, and with a final of other numbers."""
    matrix, utility, loss = FILES
    (tmp_path / "L.csv").write_text(loss, encoding="utf-8")
    (tmp_path / "M.csv").write_text(matrix, encoding="utf-8")
    (tmp_path / "U.csv").write_text(utility, encoding="utf-8")
    (tmp_path / "M2.csv").write_text("attacker,take,ume\ntake,,50\nume,10,\n", encoding="utf-8")
    (tmp_path / "U2.csv").write_text("team,utility\nume,70\ntake,80\n", encoding="utf-8")
    (tmp_path / "P.csv").write_text("team,presentation\nume,70\nkiku,90\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run(folder, capsys):
    """Run `rank`; returns exit status, standard output and standard error."""

    def call(line):
        capsys.readouterr()
        status = main(["rank", *line.split()])
        return status, *capsys.readouterr()

    return call


def as_dicts(board):
    fields = Line.__dataclass_fields__
    lines = [{"team": t, **{name: getattr(line, name) for name in fields}} for t, line in board]
    return sorted(lines, key=lambda line: line["rank"])


ONE = "--matrix M.csv --utility U.csv"
LOSS = {"surviving-loss": " --loss L.csv"}
TWO = "--matrix M.csv M2.csv --utility U.csv U2.csv"


@pytest.mark.parametrize("id_", FORMULAS)
def test_the_board_is_the_library_s(run, id_):
    settings = SETTINGS.get(id_, {})
    given = "".join(f" --set {name}={value}" for name, value in settings.items())
    status, out, err = run(f"--formula {id_}{given} {ONE}{LOSS.get(id_, '')} --json")
    assert (status, err) == (0, "")
    assert json.loads(out) == {
        "formula": id_,
        "settings": FORMULAS[id_].with_defaults(settings),
        "direction": FORMULAS[id_].direction,
        "tie_breaks": [],
        "attackers": "mean",
        "teams": as_dicts(ranked(id_, CUP, settings).items()),
    }


def test_presentation_marks_count(run):
    _, out, _ = run(f"--formula weighted-sum {ONE} --presentation P.csv --json")
    [kiku] = [line for line in json.loads(out)["teams"] if line["team"] == "kiku"]
    # 20 * 10 + 20 * 90, of 100
    assert (kiku["total"], kiku["presentation"]) == (20, 90)
    status, out, _ = run(f"--formula weighted-sum {ONE} --presentation P.csv")
    assert status == 0
    assert "presentation" in out.splitlines()[2]


def test_tie_breaks_part_equal_totals(run):
    for option in ("--tie-break protection attack", "--tie-break protection --tie-break attack"):
        _, out, _ = run(f"--formula part-ranks {ONE} {option} --json")
        found = json.loads(out)
        ranks = [(line["team"], line["rank"], line["tie_broken_by"]) for line in found["teams"]]
        assert found["tie_breaks"] == ["protection", "attack"]
        assert ranks == [
            ("matsu", 1, None),
            ("take", 2, "protection"),
            ("ume", 3, "protection"),
            ("kiku", 4, None),
        ]


@pytest.mark.parametrize("weights", ["1:9", "1,9", "0.1:0.9"])
def test_a_season_is_the_weighted_mean_of_its_totals(run, weights):
    status, out, _ = run(f"--formula minimum {TWO} --weights {weights} --json")
    found = json.loads(out)
    assert status == 0
    # preliminary 40, 60, 45; final 50, 80, and no matsu
    totals = {line["team"]: line["total"] for line in found["teams"]}
    assert totals == {"take": 78, "ume": 49, "matsu": 4.5, "kiku": None}
    assert [line["rank"] for line in found["teams"]] == [1, 2, 3, 4]
    final = Scores(
        ("take", "ume"), {"take": {"ume": 50.0}, "ume": {"take": 10.0}}, {"ume": 70.0, "take": 80.0}
    )
    boards = [ranked("minimum", CUP), ranked("minimum", final)]
    numbers = [float(weight) for weight in re.split("[:,]", weights)]
    assert found["seasons"] == [
        {"matrix": name, "weight": weight, "teams": as_dicts(board.items())}
        for name, weight, board in zip(("M.csv", "M2.csv"), numbers, boards, strict=True)
    ]
    season = combined(list(zip(numbers, boards, strict=True)), "higher")
    assert found["teams"] == as_dicts(season.items())


def test_people_get_a_table(run):
    _, out, _ = run(f"--formula part-ranks {ONE} --tie-break protection")
    assert out == (
        "Sum of the ranks in utility, protection and attack, lower is better\n\n"
        "rank  team     total  utility  protection   attack  decided by\n"
        "   1  matsu   5.0000  45.0000     70.0000  30.0000\n"
        "   2  take    6.0000  60.0000     60.0000  25.0000  protection\n"
        "   3  ume     6.0000  90.0000     40.0000  25.0000  protection\n"
        "   4  kiku   12.0000        –           –  10.0000\n"
    )
    _, out, _ = run(f"--formula minimum {TWO} --weights 1:9")
    lines = [line.split() for line in out.splitlines()[2:]]
    assert lines[0][:7] == ["rank", "team", "total", "season", "1", "season", "2"]
    assert lines[1][:5] == ["1", "take", "78.0000", "60.0000", "80.0000"]
    assert lines[3][:5] == ["3", "matsu", "4.5000", "45.0000", "–"]


def test_the_order_of_lines_and_columns_decides_nothing(run, folder):
    rows = [line.split(",") for line in FILES[0].split()]
    turned = [[row[0], *reversed(row[1:])] for row in [rows[0], *reversed(rows[1:])]]
    (folder / "T.csv").write_text("\n".join(map(",".join, turned)), encoding="utf-8")
    for id_ in FORMULAS:
        boards = [
            json.loads(
                run(f"--formula {id_} --matrix {m} --utility U.csv{LOSS.get(id_, '')} --json")[1]
            )["teams"]
            for m in ("M.csv", "T.csv")
        ]
        first, second = ({line["team"]: line for line in board} for board in boards)
        assert first == second


def test_the_former_name_of_a_formula_is_understood_and_said(run):
    _, expected, _ = run(f"--formula part-ranks {ONE} --json")
    status, out, err = run(f"--formula rank-sum {ONE} --json")
    assert (status, out) == (0, expected)
    assert "deprecated: the formula rank-sum is now called part-ranks" in err


# --- by a ruleset ---

# Ranks: U1 1 2, S1 2 1, worst rate 2 1 (a by E1, b by c); of the attacks a 0.1, b 0, c (0.2 + 0.3) / 2.
BOARD = "rank,team,worst_rate,U1,S1\n,a,0.25,1,2\n,b,0.2,2,3\n,c,,,\n"
RATES = "attacker,kind,a,b\nc,team,0.2,0.3\na,team,,0.1\nE1,built-in attack,0.4,0.25\n"
OFFICIAL_ONE = "--ruleset rules.toml --board B.csv --rates R.csv"


@pytest.fixture
def rules(folder):
    """The rules of 2015 with three measures, and the downloads of a contest."""
    text = load_ruleset("pwscup2015").text
    before = text.partition("measures = [")[0]
    options = text[text.index("[scoring.options]") : text.index("[ranking]")]
    limits = text[text.index("[limits]") :] if "[limits]" in text[text.index("[ranking]") :] else ""
    ranking = (
        '[ranking]\nutility = ["U1"]\nsafety = ["S1"]\nlinkage = ["E1"]\n'
        "anonymization_weight = 0.75\nattack_weight = 0.25\n"
    )
    measures = 'measures = ["U1", "S1", "E1"]\n'
    (folder / "rules.toml").write_text(before + measures + options + ranking + limits, "utf-8")
    (folder / "B.csv").write_text(BOARD, encoding="utf-8")
    (folder / "R.csv").write_text(RATES, encoding="utf-8")


def test_the_boards_of_a_ruleset_are_worked_out_on_paper(run, rules):
    status, out, _ = run(f"{OFFICIAL_ONE} --json")
    found = json.loads(out)
    assert (status, found["formula"], found["ruleset"]) == (0, "measure-ranks", "pwscup2015")
    a, b, c = sorted(found["teams"], key=lambda line: line["team"])
    # utility ranks 1 2, safety ranks (2 + 2) / 2 and (1 + 1) / 2: both 1.5, and c without a table is third
    assert [line["anonymization"]["total"] for line in (a, b)] == [1.5, 1.5]
    assert [line["anonymization"]["worst_rate"] for line in (a, b)] == [0.4, 0.3]
    assert c["anonymization"] is None
    assert [line["attack"] for line in (a, b, c)] == [
        {"mean_rate": 0.1, "rank": 2},
        {"mean_rate": 0.0, "rank": 3},
        {"mean_rate": 0.25, "rank": 1},
    ]
    assert [(line["rank"], line["total"]) for line in (a, b, c)] == [(1, 1.25), (2, 1.5), (3, 2.5)]


def test_before_the_attacks_are_known_the_board_of_tables_ranks(run, rules):
    _, out, _ = run("--ruleset rules.toml --board B.csv --json")
    teams = json.loads(out)["teams"]
    assert [(line["team"], line["rank"], line["total"]) for line in teams] == [
        ("a", 1, 1.5),
        ("b", 1, 1.5),
        ("c", None, None),
    ]
    assert [line["anonymization"] and line["anonymization"]["worst_rate"] for line in teams] == [
        0.25,
        0.2,
        None,
    ]


def test_a_season_by_a_ruleset_is_the_weighted_mean_of_its_stages(run, rules, folder):
    (folder / "B2.csv").write_text("team,U1,S1\nb,1,9\na,2,1\n", encoding="utf-8")
    (folder / "R2.csv").write_text("attacker,kind,b,a\nb,team,,0.5\n", encoding="utf-8")
    line = "--ruleset rules.toml --board B.csv B2.csv --rates R.csv R2.csv --weights 1:4"
    _, out, err = run(f"{line} --json")
    found = json.loads(out)
    # a 1.25 and 2, b 1.5 and 1, c 2.5 and nothing, which counts as the number of teams
    assert [(t["team"], t["rank"], t["total"]) for t in found["teams"]] == [
        ("b", 1, 1.1),
        ("a", 2, 1.85),
        ("c", 3, 2.9),
    ]
    assert [season["weight"] for season in found["seasons"]] == [1, 4]
    assert err == ""
    assert run(line)[1].splitlines()[1].split() == ["1", "b", "1.1000"]


def test_people_get_a_table_of_the_boards(run, rules):
    _, out, _ = run(OFFICIAL_ONE)
    assert out == (
        "rank  team   total  table  utility  safety  worst rate  attack  mean rate\n"
        "   1  a     1.2500      1   1.0000  2.0000      0.4000       2     0.1000\n"
        "   2  b     1.5000      1   2.0000  1.0000      0.3000       3     0.0000\n"
        "   3  c     2.5000      –        –       –           –       1     0.2500\n"
    )


def test_the_problems_of_a_download_are_listed_together(run, rules, folder):
    (folder / "R.csv").write_text(
        "attacker,kind,a,b\na,team,,1.5\na,team,x,\n,team,,\nc,team,-1\n", encoding="utf-8"
    )
    status, out, _ = run(f"{OFFICIAL_ONE} --json")
    assert status == 1
    assert [(p["row"], p["column"], p["code"]) for p in json.loads(out)["problems"]] == [
        (1, "b", "cell.above_maximum"),
        (2, "attacker", "scores.repeated"),
        (2, "a", "cell.not_a_number"),
        (3, "attacker", "cell.empty"),
        (4, None, "record.cell_count"),
    ]
    (folder / "B.csv").write_text("name,U9\na,1\n", encoding="utf-8")
    problems = json.loads(run(f"{OFFICIAL_ONE} --json")[1])["problems"]
    assert [p["params"]["expected"] for p in problems] == ["team", "U1, S1, E1"]


def test_a_measure_without_a_column_is_noted(run, rules, folder):
    (folder / "B.csv").write_text("team,U1\na,1\nb,2\n", encoding="utf-8")
    status, _, err = run(OFFICIAL_ONE)
    assert status == 0
    assert "B.csv has no column S1: read as a measure that no team has" in err


def test_facts_beside_the_matrix(run, folder):
    (folder / "L2.csv").write_text("team,repeats\nume,3\ntake,1\n", encoding="utf-8")
    (folder / "N.csv").write_text("attacker,ume\nmatsu,5\n", encoding="utf-8")

    def totals(line):
        status, out, err = run(f"{line} --json")
        assert (status, err) == (0, "")
        return {team["team"]: team["total"] for team in json.loads(out)["teams"]}

    # protection 40 - 2, 60, 70
    assert totals(f"--formula sum {ONE} --repeats L2.csv")["ume"] == 128
    assert totals(f"--formula sum {ONE} --lost ume")["ume"] == 90
    without = totals(f"--formula sum {ONE} --baseline matsu")
    assert without == {"ume": 130, "take": 120, "kiku": None}
    chance = "--formula surviving-loss --set n=10 --set p=0.3 --loss L.csv"
    # 3 hits of 5, of which R(5) = 4 are needed
    assert totals(f"{chance} {ONE} --guesses N.csv")["ume"] == 0.2


# --- mistakes ---


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (
            f"--formula median {ONE}",
            "expected one of measure-ranks, part-ranks, weighted-sum, harmonic, minimum, ",
        ),
        (f"--formula minimum --set k=3 {ONE}", "unknown option k of minimum — expected no option"),
        (
            f"--formula weighted-sum --set use=3 {ONE}",
            "unknown option use of weighted-sum — expected utility, protection, attack, presentation",
        ),
        (f"--formula weighted-sum --set utility=-1 {ONE}", "a number of at least 0 — got “-1”"),
        (f"--formula weighted-sum --set utility=inf {ONE}", "a number of at least 0 — got “inf”"),
        (f"--formula top-k-attack --set k=1.5 {ONE}", "an integer of at least 1 — got “1.5”"),
        (f"--formula top-k-attack --set k {ONE}", "--set k: expected NAME=VALUE"),
        (f"--formula top-k-attack --set k=4 {ONE}", "from 1 to the 3 defenders of the matrix"),
        (f"--formula binomial-threshold --set alpha=0 {ONE}", "from 1e-09 to 1 — got “0”"),
        ("--formula harmonic --matrix M.csv", "--utility is needed: the formula harmonic uses it"),
        (
            f"--formula minimum {ONE} M2.csv",
            "--utility: expected one file a matrix, 1 in all, got 2",
        ),
        (f"--formula minimum {TWO}", "--weights is needed: one number a matrix, 2 in all"),
        (f"--formula minimum {TWO} --weights 1:9:1", "2 in all and not all of them 0"),
        (f"--formula minimum {TWO} --weights 1;9", "2 in all and not all of them 0"),
        (f"--formula minimum {TWO} --weights 2:-1", "--weights: expected one number of 0 or more"),
        (f"--formula minimum {TWO} --weights 0:0", "not all of them 0"),
        (f"--formula minimum {TWO} --weights 1:nan", "got 1:nan"),
        (f"--formula minimum {ONE} --weights 1:9", "1 in all and not all"),
        (
            f"--formula minimum {ONE} --tie-break earlier",
            f"some of {', '.join(PARTS)}, got earlier",
        ),
        (f"--formula minimum {ONE} --tie-break presentation", "--presentation is needed"),
        ("--formula minimum --matrix none.csv --utility U.csv", "cannot read none.csv: No such"),
        ("--formula minimum --matrix . --utility U.csv", "cannot read .: Is a directory"),
        ("--matrix M.csv", "--formula is needed, or --ruleset"),
        ("--formula part-ranks", "--matrix is needed: the formula part-ranks uses it"),
        (f"--formula minimum {ONE} --board M.csv", "--board is for --ruleset"),
        ("--formula measure-ranks --board B.csv", "--ruleset is needed: measure-ranks"),
        ("--ruleset pwscup2015", "--board is needed: measure-ranks ranks its measures"),
        ("--ruleset pets-lecture", "--board is needed, the measures of the tables; or --matrix"),
        ("--ruleset pets-lecture --board B.csv --matrix M.csv", "--board or --matrix, not both"),
        ("--ruleset pets-lecture --board B.csv", "cannot read B.csv: No such"),
        (
            "--ruleset pets-lecture --board B.csv --formula minimum",
            "--formula: the ruleset pets-lecture says it",
        ),
        (
            "--ruleset pets-lecture --board B.csv --rates R.csv R.csv",
            "--rates: expected one file a board, 1 in all, got 2",
        ),
        (
            "--ruleset pets-lecture --matrix M.csv --totals T.csv",
            "--weights is needed: one number a matrix, 2 in all",
        ),
        (f"--formula minimum {ONE} --totals M.csv", "--totals is for --ruleset"),
        (f"--formula minimum {ONE} --baseline nobody", "--baseline: no matrix names nobody"),
        (f"--formula minimum {ONE} --lost nobody", "--lost: no matrix names nobody"),
        (f"--formula surviving-loss {ONE}", "--loss is needed: the formula surviving-loss"),
        (
            "--ruleset dp-disclosure --board B.csv",
            "dp-disclosure ranks estimates, see rank-estimates",
        ),
        (
            "--ruleset pwscup2015 --formula minimum --board B.csv",
            "--formula: pwscup2015 ranks by measure-ranks, got minimum",
        ),
        (
            "--ruleset pwscup2015 --board B.csv --tie-break utility",
            "--tie-break is for formulas of scores",
        ),
        (
            "--ruleset pwscup2015 --board B.csv --rates R.csv R.csv",
            "--rates: expected one file a board, 1 in all, got 2",
        ),
        ("--ruleset pwscup2015 --board B.csv B.csv", "--weights is needed: one number a board"),
    ],
)
def test_wrong_use_says_what_is_expected(run, line, words):
    status, out, err = run(line)
    assert (status, out) == (2, "")
    assert words in err


def test_all_bad_settings_are_named_together(run):
    line = f"--formula binomial-threshold --set n=0 --set p=2 --set q=1 {ONE} --json"
    status, out, err = run(line)
    assert status == 2
    assert [p["params"]["option"] for p in json.loads(out)["problems"]] == ["n", "p", "q"]
    assert len(err.splitlines()) == 3


def test_the_problems_of_all_files_are_listed_together(run, folder):
    (folder / "M.csv").write_text("attacker,a,b\na,,120\na,x,1\n", encoding="utf-8")
    (folder / "U.csv").write_text("team,utility\nz,5\nz,-5\n", encoding="utf-8")
    (folder / "U2.csv").write_text("team,utility\nume,7\nsakura,8\n", encoding="utf-8")
    status, out, err = run(f"--formula minimum {TWO} --weights 1:9 --json")
    assert (status, err) == (1, "")
    found = json.loads(out)
    assert found["n_problems"] == 6
    assert [(p["file"], p["row"], p["column"], p["code"]) for p in found["problems"]] == [
        ("M.csv", 1, "b", "cell.above_maximum"),
        ("M.csv", 2, "attacker", "scores.repeated"),
        ("M.csv", 2, "a", "cell.not_a_number"),
        ("U.csv", 2, "team", "scores.repeated"),
        ("U.csv", 2, "utility", "cell.below_minimum"),
        ("U2.csv", 2, "team", "scores.unknown_team"),
    ]
    assert found["problems"][5]["message"].endswith("expected one of take, ume — got “sakura”")
    status, out, _ = run(f"--formula minimum {TWO} --weights 1:9")
    assert status == 1
    assert out.startswith("rejected: 6 problems\n")


def test_a_setting_by_default_may_be_larger_than_the_contest(run, folder):
    (folder / "M.csv").write_text("attacker,a,b\na,,20\nb,10,\n", encoding="utf-8")
    assert run("--formula top-k-attack --matrix M.csv")[0] == 0


def test_the_command_loads_no_numerical_library(folder):
    code = (
        "import sys; from scoring.cli.main import main\n"
        "main(['rank', '--help']); main(['rank', '--formula', 'part-ranks', '--matrix', 'M.csv'])\n"
        "print([m for m in ('numpy', 'pandas', 'scipy', 'numba') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines()[-1] == "[]"


def test_the_help_lists_every_formula_with_its_settings(run):
    _, out, _ = run("--help")
    assert re.findall(r"^  ([a-z][\w-]+) {2,}(.*); (.*) is better$", out, re.MULTILINE) == [
        (formula.id, formula.title, formula.direction)
        for formula in (OFFICIAL["measure-ranks"], *FORMULAS.values())
    ]
    for formula in FORMULAS.values():
        for setting in formula.settings:
            line = f"{setting.name}={written(setting.default)} {setting.description}"
            assert line in " ".join(out.split())


# --- the page about formulas ---


def section(id_):
    return PAGE.split(f"\n## {id_}\n")[1].partition("\n## ")[0]


def rows(text, head):
    """The rows of the table that begins with this head."""
    table = text.partition(f"{head}\n")[2].partition("\n\n")[0].splitlines()[1:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table]


def test_the_page_lists_every_formula():
    ranges = {
        (0, 100): "0 to 100",
        (0, 200): "0 to 200",
        (1, 30): "1 to 3 × teams",
        (0, 1000): "0 to 100 × teams",
        (0, 9999): "0 to `lost`",
    }
    assert rows(PAGE, "| formula | what it is | better | range | uses |") == [
        [
            f"[`{formula.id}`](#{formula.id})",
            formula.title,
            formula.direction,
            ranges[RANGES[formula.id](10)],
            ", ".join(formula.uses),
        ]
        for formula in FORMULAS.values()
    ]
    headings = re.findall(r"^## (.+)$", PAGE, re.MULTILINE)
    assert [heading for heading in headings if heading in FORMULAS] == list(FORMULAS)


@pytest.mark.parametrize("id_", FORMULAS)
def test_the_page_gives_every_setting(id_):
    assert rows(section(id_), "| setting | default | from | to | meaning |") == [
        [
            f"`{setting.name}`",
            written(setting.default),
            "" if setting.choices else f"{setting.low:g}",
            "" if setting.high == float("inf") else f"{setting.high:g}",
            setting.description
            + (
                ": " + ", ".join(f"`{name}`" for name in setting.choices) if setting.choices else ""
            ),
        ]
        for setting in FORMULAS[id_].settings
    ]


@pytest.mark.parametrize("id_", FORMULAS)
def test_the_examples_of_the_page_are_what_the_command_says(run, id_):
    chosen = {
        "top-k-attack": " --set k=2",
        "surviving-loss": " --set n=10 --set p=0.3 --loss L.csv",
    }
    more = chosen.get(id_, "")
    _, out, _ = run(f"--formula {id_}{more} {ONE} --json")
    assert rows(section(id_), "| team | rank | total |") == [
        [line["team"], str(line["rank"]), "–" if line["total"] is None else f"{line['total']:.11g}"]
        for line in json.loads(out)["teams"]
    ]
