# SPDX-License-Identifier: Apache-2.0
"""`sequential risk` on the command line, its pictures, and guesses of sensitive values."""

from __future__ import annotations

import json
import xml.dom.minidom

import numpy as np
import pytest

from scoring.cli.main import main
from scoring.formats.sequential import pictures
from scoring.formats.sequential.examples import SCHEMA, SMALL, TABLE_10, TABLE_11
from scoring.formats.sequential.guesses import mark_guesses, most_frequent_values
from scoring.formats.sequential.release_files import write_counterfeits, write_release
from scoring.formats.sequential.risk import Definition, identification_risks, risks_over_time
from tests.scoring.sequential_tables import T12, T13, T16

FILES = ("--schema", "S.toml", "--tables", "T1.csv", "T2.csv", "--releases", "R1.csv", "R2.csv")
COUNTERFEITS = ("--counterfeits", "C1.csv", "C2.csv")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with the small tables of the paper and their releases, in which the command runs."""
    (tmp_path / "S.toml").write_text(SCHEMA.to_toml(), encoding="utf-8")
    for time, table in enumerate((TABLE_10, TABLE_11), start=1):
        lines = ["name,age,zip,disease", *(",".join(map(str, patient)) for patient in table)]
        (tmp_path / f"T{time}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    for time, release in enumerate((T12, T13), start=1):
        (tmp_path / f"R{time}.csv").write_bytes(write_release(release, SMALL))
        (tmp_path / f"C{time}.csv").write_bytes(write_counterfeits(release))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(capsys, *arguments, status=0):
    assert main(["sequential", "risk", *FILES, *arguments]) == status
    return capsys.readouterr()


def result(capsys, *arguments, status=0):
    return json.loads(run(capsys, *arguments, "--json", status=status).out)


@pytest.mark.parametrize(
    ("arguments", "bob", "worlds"),
    [
        ((), 2 / 3, None),
        (("--definition", "worlds"), 3 / 5, 10),
        (("--definition", "worlds-counterfeit-known", *COUNTERFEITS), 2 / 3, 6),
        (("--definition", "m-invariance"), 1 / 2, 8),
    ],
)
def test_bob(folder, capsys, arguments, bob, worlds):
    values = result(capsys, *arguments)
    assert values["risks"][0] == {"id": "Bob", "risk": bob}
    assert (values["worlds"], values["n_sampled"]) == (worlds, 0)
    assert values["max"] == bob
    assert values["mean"] == pytest.approx(np.mean([line["risk"] for line in values["risks"]]))


def test_over_time(folder, capsys):
    bob = result(capsys, "--definition", "worlds", "--over-time")["risks"][0]
    assert bob["over_time"] == [1 / 2, 3 / 5]
    assert bob["pinned_by"] == [1, 2]
    assert "pinned by" in run(capsys, "--over-time").out


def test_pictures_are_written(folder, capsys):
    values = result(capsys, "--over-time", "--pictures", "P")
    assert values["pictures"] == ["regions-1-2.svg", "risk-over-time.svg", "risks.svg"]
    for name in values["pictures"]:
        xml.dom.minidom.parse(str(folder / "P" / name))


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--definition", "worlds-counterfeit-known"), "--counterfeits"),
        (COUNTERFEITS, "--counterfeits"),
        (("--samples", "0"), "--samples"),
        (("--definition", "worlds-counterfeit-known", "--counterfeits", "C1.csv"), "2 releases"),
    ],
)
def test_wrong_use(folder, capsys, arguments, told):
    assert told in run(capsys, *arguments, status=2).err


def test_what_does_not_fit_is_rejected(folder, capsys):
    (folder / "R2.csv").write_bytes(b"".join((folder / "R2.csv").read_bytes().splitlines(True)[:3]))
    values = result(capsys, status=1)
    assert [p["code"] for p in values["problems"]] == ["release.too_few_rows"]
    assert main(["sequential", "risk", *FILES[:-1]]) == 1
    assert "each table needs its release" in capsys.readouterr().out


def test_counterfeits_that_are_not_there_are_rejected(folder, capsys):
    (folder / "C2.csv").write_text("group,count\n1,2\n", encoding="utf-8")
    values = result(capsys, "--definition", "worlds-counterfeit-known", *COUNTERFEITS, status=1)
    assert [(p["code"], p["file"]) for p in values["problems"]] == [("release.counterfeits", "C2")]


# pictures


def test_overlaps_are_those_that_give_bob_away():
    assert pictures.overlapping(T12, T13).tolist() == [[1, 2]]
    assert pictures.overlapping(T13, T13).tolist() == [[1, 2], [2, 1]]
    assert pictures.overlapping(T16, T16).tolist() == []
    picture = pictures.boxes(SMALL.attributes, T12, T13).svg()
    label = xml.dom.minidom.parseString(picture).documentElement.getAttribute("aria-label")
    assert label.endswith("of both 1 and 2, of T*(2) 1 and 2")


def test_pictures_say_what_they_show():
    rng = np.random.default_rng(1)
    history = risks_over_time(SMALL, (T12, T13), Definition.WORLDS, rng=rng)
    histogram = pictures.histogram(history[-1], m=2, labels=("リスク", "人数")).svg()
    assert "largest risk 0.600, mean 0.580" in histogram
    assert all(f">{label}<" in histogram for label in ("リスク", "人数"))
    assert "1: largest risk 0.500, mean 0.500; 2: largest" in pictures.over_time(history).svg()


# guesses


def test_the_baseline_guess_is_what_row_counting_finds_most_often():
    points = SMALL.snapshots[1].qi
    guess = most_frequent_values(points, T13, len(SMALL.sensitive_values))
    assert [SMALL.sensitive_values[value] for value in guess] == ["dyspepsia"] * 3
    assert (
        most_frequent_values(points + 90_000, T13, 3).tolist()
        == [np.bincount(T13.sensitive).argmax()] * 3
    )


def test_a_baseline_guess_on_one_release_hits_as_often_as_its_mean_risk_at_most_tells():
    points, truth = SMALL.snapshots[0].qi, SMALL.snapshots[0].sensitive
    guess = most_frequent_values(points, T12, len(SMALL.sensitive_values))
    found = identification_risks(SMALL, (T12,), Definition.COUNTING, rng=np.random.default_rng(1))
    assert (guess == truth).mean() == found.mean == 1 / 2


def test_marks():
    truth = {"Bob": "flu", "Alice": "gastritis"}
    assert mark_guesses(truth, {}).rate == 0
    assert mark_guesses(truth, {"Bob": "", "Alice": "flu"}).n_guesses == 1
    assert mark_guesses(truth, truth).hits == 2
    with pytest.raises(ValueError, match="Carol"):
        mark_guesses(truth, {"Carol": "flu"})
    with pytest.raises(ValueError, match="at least one"):
        mark_guesses({}, {})
