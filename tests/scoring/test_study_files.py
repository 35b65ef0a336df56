"""The study's files: complete, well-formed, repeatable, and all or nothing."""

from __future__ import annotations

import base64
import csv
import io
import json
import os
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from scoring.cli.main import main
from scoring.studies import experiment, figures, pwscup2015
from scoring.studies.experiment import run_study
from scoring.studies.folder import FolderError, fill, new_folder
from scoring.studies.paper import paper_figures
from scoring.studies.sheets import sheets
from scoring.studies.words import number, printed
from tests.scoring import studies

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "explanation" / "the-2015-paper-again.md"
PNG = b"\x89PNG\r\n\x1a\n"
TABLES = {
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
    assert len(page.widths) == 10
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


def test_a_folder_filled_meanwhile_is_left_alone(tmp_path):
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
    assert len(quoted) == 18
    for name, measure, here, there in quoted:
        assert here == number(made[name].values[measure]), (name, measure)
        exact = paper.table15.get(name, {}).get(measure, figures[name][measure])
        assert there == printed(exact), (name, measure)
    assert f"D_7 then has {run.chains['D_7'].own_row:.3f}" in text
    assert f"columns gives {number(made['D_5'].values['U4'])} here" in text
