# SPDX-License-Identifier: Apache-2.0
"""The study's files: complete, well-formed, repeatable, and all or nothing."""

from __future__ import annotations

import base64
import csv
import io
import json
import os
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from scoring.anonymizers import anonymize
from scoring.cli.main import main
from scoring.datasets.households import HOUSEHOLDS_SCHEMA, households
from scoring.studies import experiment, figures, pwscup2015
from scoring.studies.comparison import letters, paper_values
from scoring.studies.experiment import Measured, run_study
from scoring.studies.folder import FolderError, fill, new_folder
from scoring.studies.given import agrees_with_print
from scoring.studies.paper import paper_figures
from scoring.studies.recipes import CHAINS, SINGLES
from scoring.studies.sheets import sheets
from scoring.studies.texts import number, printed
from scoring.tables.number_lists import write_rows
from scoring.tables.writing import write_table
from tests.scoring import studies

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "explanation" / "the-2015-paper-again.md"
PNG = b"\x89PNG\r\n\x1a\n"
TABLES = {
    "table05-index": 4,
    "table06-teams": 12,
    "table07-methods": 20,
    "table10-expected-effects": 8 * 13,
    "table11-single-methods": 9 * 14,
    "table12-chains": 12 * 14,
    "table13-signs": 12 * 13,
    "table13-methods": 20,
    "table13-confusion": 3 * 8,
    "table13-trials": 8 + 12 + 28,
    "table14-combination": 3 * 13,
    "table15-attacks": 12 * 7,
    "table15-summary": 5 * 3,
    "figure1-u4-e3": 20,
    "figures2-6-euc1": 2 * (13 + 2 * 12) + 2,
}
FIGURES = {
    "figure1-u4-e3",
    "figure2-time-by-quasi-identifiers",
    "figure3-rate-by-quasi-identifiers",
    "figure4-time-by-amounts",
    "figure5-rate-by-amounts",
    "figure6-time-by-records",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """What the command writes, with the tiny study in place of the quick one."""
    out = tmp_path_factory.mktemp("study") / "again"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(experiment, "run_study", lambda *args, **more: studies.tiny())
        patch.setattr(figures, "_DPI", 40)  # small pictures are quicker
        assert main(["study", "pwscup2015", "--out", str(out), "--quick", "--json"]) == 0
    return out


def rows(data: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(data.decode())))


@pytest.mark.long
def test_every_file_is_there(folder):
    found = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert found == {
        "README.md",
        "index.html",
        *(f"tables/{name}.csv" for name in TABLES),
        *(f"figures/{name}.png" for name in FIGURES),
    }
    assert os.listdir(folder.parent) == ["again"]
    mask = os.umask(0)
    os.umask(mask)
    assert folder.stat().st_mode & 0o777 == 0o777 & ~mask


def test_tables_are_whole(folder):
    for name, n_rows in TABLES.items():
        table = rows((folder / "tables" / f"{name}.csv").read_bytes())
        assert len(table) == n_rows, name
        assert None not in {key for row in table for key in row}, name
    study, paper = studies.tiny(), paper_figures()
    for row in rows((folder / "tables" / "table11-single-methods.csv").read_bytes()):
        values = study.sample.values
        if row["table"] != "original":
            values = study.singles[row["table"]].values
        assert float(row["measured"]) == values[row["measure"]]
        assert float(row["paper"]) == paper.table11[row["table"]][row["measure"]]


class Structure(HTMLParser):
    """Which tags are open, what they point at, and the rows of every table."""

    VOID = {"meta", "img", "br"}

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.widths: list[set[int]] = []
        self.text = ""

    def handle_starttag(self, tag, attrs):
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag not in self.VOID:
            self.open.append(tag)
        if tag == "table":
            self.widths.append(set())
            self.cells = 0
        if tag == "tr":
            self.cells = 0
        if tag in ("td", "th"):
            self.cells += 1

    def handle_endtag(self, tag):
        assert self.open.pop() == tag
        if tag == "tr":
            self.widths[-1].add(self.cells)

    def handle_data(self, data):
        self.text += data


def test_the_page_is_well_formed_and_fetches_nothing(folder):
    page = Structure()
    page.feed((folder / "index.html").read_text(encoding="utf-8"))
    assert page.open == []
    assert len(page.widths) == 11
    assert all(len(widths) == 1 for widths in page.widths)
    ids = {value for _, name, value in page.attributes if name == "id"}
    links = [value for _, name, value in page.attributes if name in ("href", "src")]
    pictures = [link for link in links if link.startswith("data:image/png;base64,")]
    assert {link[1:] for link in links if link.startswith("#")} == ids
    assert len(links) == len(ids) + len(pictures)
    embedded = {base64.b64decode(link.partition(",")[2]) for link in pictures}
    assert embedded == {path.read_bytes() for path in (folder / "figures").iterdir()}
    assert all(data.startswith(PNG) for data in embedded)
    alternatives = [value for tag, name, value in page.attributes if (tag, name) == ("img", "alt")]
    assert len(alternatives) == len(FIGURES)
    assert all(alternatives)
    for word in ("None", "nan", "{", "}"):
        assert word not in re.sub(r"(?s)^.*</style>", "", page.text.partition("}\n}\n")[2]), word


@pytest.mark.long
def test_one_seed_one_study():
    first, paper = studies.tiny(), paper_figures()
    second = run_study(1, studies.TINY, clock=studies.ticks(), step=lambda text: None)
    assert sheets(first, paper) == sheets(second, paper)
    assert pwscup2015.summary(first) == pwscup2015.summary(second)


def test_the_result_names_what_agrees(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(experiment, "run_study", lambda *args, **more: studies.tiny())
    monkeypatch.setattr(pwscup2015, "study_files", lambda study: {"index.html": b"", "a/b": b"x"})
    arguments = ["study", "pwscup2015", "--out", str(tmp_path / "again")]
    assert main([*arguments, "--json"]) == 0
    values = json.loads(capsys.readouterr().out)
    assert values["files"] == ["a/b", "index.html"]
    assert values["methods"]["D_8"]["paper_guess"] == "C E G"
    assert values["table10"]["marks"] == 104
    assert main([*arguments[:-1], str(tmp_path / "more")]) == 0
    assert "2 files" in capsys.readouterr().out


# All or nothing


def test_a_failure_in_the_middle_leaves_nothing_behind(tmp_path, monkeypatch):
    def fails(study):
        raise ZeroDivisionError

    monkeypatch.setattr(experiment, "run_study", lambda *args, **more: None)
    monkeypatch.setattr(pwscup2015, "study_files", fails)
    with pytest.raises(ZeroDivisionError):
        main(["study", "pwscup2015", "--out", str(tmp_path / "again")])
    assert list(tmp_path.iterdir()) == []


def test_a_failure_while_writing_leaves_nothing_behind(tmp_path):
    with (
        pytest.raises(FolderError, match="cannot write"),
        new_folder(str(tmp_path / "again")) as folder,
    ):
        fill(folder, {"a": b"1", "a/b": b"2"})  # a file where a folder must be
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("case", ["a file", "a full folder", "no parent"])
def test_a_place_that_cannot_be_is_refused_before_the_work(tmp_path, monkeypatch, capsys, case):
    def works(*args, **more):
        raise AssertionError("the work began")

    monkeypatch.setattr(experiment, "run_study", works)
    target = tmp_path / "again"
    if case == "a file":
        target.write_text("mine")
    elif case == "a full folder":
        target.mkdir()
        (target / "mine").write_text("mine")
    else:
        target = tmp_path / "nowhere" / "again"
    before = sorted(tmp_path.rglob("*"))
    assert main(["study", "pwscup2015", "--out", str(target)]) == 2
    assert capsys.readouterr().err.count("error: cannot write") == 1
    assert sorted(tmp_path.rglob("*")) == before


def test_an_empty_folder_is_filled(tmp_path):
    target = tmp_path / "again"
    target.mkdir()
    with new_folder(str(target)) as folder:
        fill(folder, {"a/b": b"1"})
    assert (target / "a" / "b").read_bytes() == b"1"


def test_a_folder_filled_meanwhile_is_left_only(tmp_path):
    target = tmp_path / "again"

    def write_into_what_somebody_fills():
        with new_folder(str(target)) as folder:
            fill(folder, {"a": b"1"})
            target.mkdir()
            (target / "mine").write_text("mine")

    with pytest.raises(FolderError):
        write_into_what_somebody_fills()
    assert [path.name for path in tmp_path.iterdir()] == ["again"]
    assert os.listdir(target) == ["mine"]


# What the documentation quotes


def test_the_documentation_quotes_seed_1():
    run, paper = studies.documented(), paper_figures()
    made = {**run.singles, **run.chains}
    figures = {**paper.table11, **paper.table12}
    text = PAGE.read_text(encoding="utf-8")
    quoted = re.findall(r"^\| (D_\w+) \| (\w+) \| ([\d.]+) \| ([\d.]+) \|$", text, re.MULTILINE)
    assert len(quoted) == 21
    for name, measure, here, there in quoted:
        assert here == number(made[name].values[measure]), (name, measure)
        exact = paper.table15.get(name, {}).get(measure, figures[name][measure])
        assert there == printed(exact), (name, measure)
    assert f"D_7 then has {run.chains['D_7'].own_row:.3f}" in text
    assert f"columns gives {number(made['D_5'].values['U4'])} here" in text


# The tables of those who hold them


@pytest.fixture
def given(tmp_path):
    """Three chains of the tiny study as files, as somebody would hold those of the contest."""
    folder = tmp_path / "held"
    folder.mkdir()
    table = households(250, seed=1)
    (folder / "X.csv").write_bytes(write_table(table, HOUSEHOLDS_SCHEMA))
    for n in (3, 7, 10):
        recipe = next(r for r in CHAINS if r.name == f"D_{n}")
        place = [r.name for r in (*SINGLES, *CHAINS)].index(recipe.name)
        rng = np.random.default_rng((1, 2, place))
        made = anonymize(table, HOUSEHOLDS_SCHEMA, recipe.steps, rng=rng)
        (folder / f"Y{n}.csv").write_bytes(write_table(made.table, HOUSEHOLDS_SCHEMA))
        (folder / f"J{n}.csv").write_bytes(write_rows(made.source))
    (folder / "readme.txt").write_text("theirs")
    return folder


def test_tables_that_somebody_holds_are_measured_as_those_of_the_study(given, tmp_path, capsys):
    out = tmp_path / "out"
    line = ["study", "pwscup2015", "--tables", str(given), "--out", str(out), "--json"]
    assert main(line) == 0
    told, study = json.loads(capsys.readouterr().out), studies.tiny()
    assert list(told["methods"]) == ["D_3", "D_7", "D_10"]
    for row in rows((out / "tables" / "table12-chains.csv").read_bytes()):
        assert float(row["measured"]) == study.chains[row["table"]].values[row["measure"]]
    for row in rows((out / "tables" / "table15-attacks.csv").read_bytes()):
        if row["attack"] == "EUC1 own row":
            assert float(row["measured"]) == study.chains[row["table"]].own_row
    summary = rows((out / "tables" / "table15-summary.csv").read_bytes())
    e3 = [study.chains[name].values["E3"] for name in told["methods"]]
    shown = {(row["attack"], row["row"]): float(row["measured"]) for row in summary}
    assert shown["E3", "mean"] == pytest.approx(np.mean(e3))
    assert shown["E3", "standard deviation"] == pytest.approx(np.std(e3))
    for name, methods in told["methods"].items():
        assert methods["read_off"] == letters(study.chains[name].guess)
    page = Structure()
    page.feed((out / "index.html").read_text(encoding="utf-8"))
    assert page.open == []
    assert all(len(widths) == 1 for widths in page.widths)


@pytest.mark.parametrize(
    ("lost", "named"), [("J7.csv", "J7.csv"), ("X.csv", "X.csv"), ("Y3.csv", "Y3.csv")]
)
def test_a_file_that_is_missing_is_named(given, tmp_path, capsys, lost, named):
    (given / lost).unlink()
    out = tmp_path / "out"
    assert main(["study", "pwscup2015", "--tables", str(given), "--out", str(out), "--json"]) == 2
    assert f"expected also {named} in" in json.loads(capsys.readouterr().out)["error"]
    assert not out.exists()


def test_what_is_wrong_with_held_tables_is_named(given, tmp_path, capsys):
    (given / "J7.csv").write_text("row\n0\n")
    out = tmp_path / "out"
    assert main(["study", "pwscup2015", "--tables", str(given), "--out", str(out), "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["problems"]
    assert not out.exists()


def test_values_are_as_printed_where_they_round_to_the_print():
    paper = paper_figures()
    printed = paper_values(paper, "D_3")
    recipe = next(r for r in CHAINS if r.name == "D_3")
    exact = Measured(recipe, printed, printed["EUC1"], frozenset("AG"))
    assert str(agrees_with_print(exact, paper)) == "13 of 13"
    moved = {**printed, "U3": printed["U3"] + 0.006, "E3": printed["E3"] + 0.00004}
    assert str(agrees_with_print(replace(exact, values=moved), paper)) == "12 of 13"
