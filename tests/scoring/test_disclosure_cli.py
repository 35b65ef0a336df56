# SPDX-License-Identifier: Apache-2.0
"""The commands by which a team releases, asks, estimates and marks a table of its own."""

from __future__ import annotations

import json
from decimal import Decimal

import numpy as np
import pytest

from scoring.cli import dp_disclosure
from scoring.cli import main as cli
from scoring.formats.disclosure.attributes import attributes_of, codes_of
from scoring.formats.disclosure.estimates import marks, read_estimate, write_estimate
from scoring.formats.disclosure.estimators import counted, reconstructed
from scoring.formats.disclosure.queries import noisy_answer, parse_query
from scoring.formats.disclosure.releases import read_release, release_csv, rho_at
from scoring.privacy import reconstruction
from scoring.privacy.sampling import seeded
from scoring.tables.reading import read_records
from scoring.tables.schema import Column, Kind, Role, Schema

SCHEMA = Schema(
    (
        Column("town", Role.QUASI_IDENTIFIER, Kind.CATEGORY, values=("a", "b, c")),
        Column("sex", Role.QUASI_IDENTIFIER, Kind.CATEGORY, values=("F", "M")),
        Column("age", Role.QUASI_IDENTIFIER, Kind.CATEGORY, values=("18", "35", "65")),
        Column("income", Role.SENSITIVE, Kind.INTEGER),
    )
)
TABLE = b"""town,sex,age,income
a,F,18,1
a,F,18,2
"b, c",F,65,3
a,M,35,4
"b, c",M,65,5
a,M,65,6
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "T.csv").write_bytes(TABLE)
    (tmp_path / "S.toml").write_text(SCHEMA.to_toml(), encoding="utf-8")
    return tmp_path


@pytest.fixture
def attributes():
    return attributes_of(SCHEMA, ["town", "sex", "age"])


@pytest.fixture
def codes(attributes):
    return codes_of(read_records(TABLE, SCHEMA, file="table", original=True), attributes)


def run(part, *arguments, status=0):
    assert cli.main(["dp", part, "--schema", "S.toml", *arguments]) == status


def printed(capsys):
    return json.loads(capsys.readouterr().out)


def rng(seed):
    return seeded(np.random.default_rng(seed))


def test_a_release_is_the_librarys(folder, capsys, attributes, codes):
    columns = ["--columns", "town,sex,age", "--epsilon", "1.5"]
    run("release", "--table", "T.csv", *columns, "--seed", "7", "--out", "Z.csv", "--json")
    epsilon = Decimal("1.5")
    assert printed(capsys) == {
        "n_records": 6,
        "epsilon": "1.5",
        "rho": rho_at(epsilon, attributes),
        "out": "Z.csv",
    }
    released = (folder / "Z.csv").read_bytes()
    assert released == release_csv(codes, attributes, epsilon, rng(7))
    assert len(read_release(released, attributes)) == 6


def test_an_answer_is_the_librarys(capsys, attributes, codes):
    asked = ["--columns", "age,sex", "--where", 'town="b, c"', "--where", "age=65,18"]
    run("ask", "--table", "T.csv", *asked, "--epsilon", "0.5", "--seed", "3")
    lines = capsys.readouterr().out.splitlines()
    data = {"columns": ["sex", "age"], "where": {"town": ["b, c"], "age": ["18", "65"]}}
    query = parse_query(data, attributes)
    counts = noisy_answer(query, codes, attributes, Decimal("0.5"), rng(3)).ravel().tolist()
    cells = [["F", "18"], ["F", "65"], ["M", "18"], ["M", "65"]]
    assert lines[0] == "sex,age,count"
    expected = [f"{','.join(cell)},{count}" for cell, count in zip(cells, counts, strict=True)]
    assert lines[1:] == expected
    run("ask", "--table", "T.csv", *asked, "--epsilon", "0.5", "--seed", "3", "--json")
    assert printed(capsys) == {
        "query": json.loads(query.text),
        "epsilon": "0.5",
        "sensitivity": 2,
        "cells": [{"values": v, "count": c} for v, c in zip(cells, counts, strict=True)],
    }


def test_without_columns_it_is_a_single_count_and_without_a_seed_it_is_secret(capsys):
    run("ask", "--table", "T.csv", "--where", "sex=F", "--epsilon", "1000")
    assert capsys.readouterr().out == "count\n3\n"
    drawn = set()
    for _ in range(3):
        run("ask", "--table", "T.csv", "--epsilon", "0.000001")
        drawn.add(capsys.readouterr().out)
    assert len(drawn) == 3


def test_estimates_from_a_release_are_the_librarys(folder, capsys, attributes):
    columns = ["--columns", "age,town,sex", "--epsilon", "2"]
    run("release", "--table", "T.csv", *columns, "--seed", "7", "--out", "Z.csv")
    released = attributes_of(SCHEMA, ["age", "town", "sex"])
    records = read_release((folder / "Z.csv").read_bytes(), released)
    target = attributes[1:]
    from_release = ["--release", "Z.csv", "--columns", "sex,age", "--out", "E.csv"]
    run("estimate", *from_release, "--epsilon", "2", "--iterations", "50")
    found = read_estimate((folder / "E.csv").read_bytes(), target)
    expected = reconstructed(records, released, target, Decimal(2), iterations=50)
    assert found.tolist() == expected.tolist()
    capsys.readouterr()
    run("estimate", *from_release, "--method", "counted", "--json")
    assert printed(capsys) == {"method": "counted", "n_cells": 6, "total": 6, "out": "E.csv"}
    found = read_estimate((folder / "E.csv").read_bytes(), target)
    assert found.tolist() == counted(records, released, target).tolist()


def test_an_answer_becomes_an_estimate_and_is_marked(folder, capsys, attributes, codes):
    answer = b"age,sex,count\n18,F,2\n18,M,-3\n35,F,1\n35,M,1\n65,F,1\n65,M,5\n"
    (folder / "A.csv").write_bytes(answer)
    run("estimate", "--answer", "A.csv", "--columns", "sex,age", "--out", "E.csv")
    assert (folder / "E.csv").read_bytes() == (
        b"sex,age,count\nF,18,2\nF,35,1\nF,65,1\nM,18,0\nM,35,1\nM,65,5\n"
    )
    capsys.readouterr()
    marked = ["--table", "T.csv", "--columns", "sex,age", "--estimate", "E.csv"]
    run("mark", *marked, "--json")
    estimate = read_estimate((folder / "E.csv").read_bytes(), attributes[1:])
    expected = marks(estimate, counted(codes, attributes, attributes[1:]))
    found = printed(capsys)
    assert found == expected
    assert found["table-L2"] == pytest.approx(10**0.5)
    run("mark", *marked)
    assert capsys.readouterr().out.splitlines()[0].split() == ["table-L2", "3.162278"]


def test_an_undefined_mark_is_none(folder, capsys, attributes):
    zeros = write_estimate(np.zeros((2, 3), dtype=np.int64), attributes[1:])
    (folder / "E.csv").write_bytes(zeros)
    marked = ["--table", "T.csv", "--columns", "sex,age", "--estimate", "E.csv"]
    run("mark", *marked, "--json")
    assert printed(capsys)["table-spearman"] is None
    run("mark", *marked)
    assert capsys.readouterr().out.splitlines()[1].split() == ["table-spearman", "–"]


PRICE = ["--epsilon", "1"]
RELEASE = ["release", "--table", "T.csv", "--out", "o"]
ASK = ["ask", "--table", "T.csv"]
ESTIMATE = ["estimate", "--columns", "sex", "--out", "o"]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([*RELEASE, "--columns", "sex", "--epsilon", "0"], ["--epsilon: expected a number above"]),
        ([*RELEASE, "--columns", "sex", "--epsilon", "1e2"], ["--epsilon: expected"]),
        ([*RELEASE, "--columns", "sex", "--epsilon", "0.0000001"], ["--epsilon: expected"]),
        ([*RELEASE, "--columns", "income,x,sex,sex", *PRICE], ["a list of", "no such", "twice"]),
        ([*RELEASE, "--columns", "sex", *PRICE, "--out", "T.csv"], ["--table reads it"]),
        ([*ASK, "--epsilon", "-1"], ["--epsilon: expected"]),
        ([*ASK, "--columns", "sex,x", "--where", "age=17,18,18", *PRICE],
         ["no such column", "not one of", "listed twice"]),
        ([*ASK, "--where", "sex", *PRICE], ["--where: expected COL=VAL"]),
        ([*ASK, "--where", "sex=", *PRICE], ["a filter without values"]),
        ([*ASK, "--where", "sex=F", "--where", "sex=M", *PRICE], ["one filter per column"]),
        ([*ASK, "--table", "no.csv", *PRICE], ["cannot read no.csv"]),
        ([*ESTIMATE, "--release", "T.csv"], ["--epsilon is needed"]),
        ([*ESTIMATE, "--answer", "T.csv", *PRICE], ["--epsilon: an answer"]),
        ([*ESTIMATE, "--release", "T.csv", *PRICE, "--iterations", "0"], ["--iterations"]),
        ([*ESTIMATE, "--release", "R.csv", *PRICE], ["--columns: the release has no sex"]),
        ([*ESTIMATE, "--release", "R.csv", *PRICE, "--out", "R.csv"], ["--release reads it"]),
    ],
)  # fmt: skip
def test_wrong_use_is_reported_and_nothing_is_written(arguments, told, folder, capsys):
    (folder / "R.csv").write_text("age\n18\n")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    run(*arguments, status=2)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == len(told)
    for line, words in zip(lines, told, strict=True):
        assert words in line
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_a_bad_estimate_is_rejected_with_all_its_problems(folder, capsys):
    (folder / "E.csv").write_text("sex,count\nF,-1\nF,1.5\n")
    marked = ["--table", "T.csv", "--columns", "sex", "--estimate", "E.csv"]
    run("mark", *marked, "--json", status=1)
    assert [(p["code"], p["file"], p["row"]) for p in printed(capsys)["problems"]] == [
        ("cell.below_minimum", "estimate", 1),
        ("cell.not_an_integer", "estimate", 2),
        ("counts.repeated_cell", "estimate", 2),
        ("estimate.missing_cells", "estimate", None),
    ]


def test_a_target_that_does_not_fit_is_refused(folder, capsys):
    values = tuple(map(str, range(200)))
    wide = Schema(tuple(Column(n, Role.OTHER, Kind.CATEGORY, values=values) for n in "abc"))
    (folder / "S.toml").write_text(wide.to_toml(), encoding="utf-8")
    (folder / "T.csv").write_text("a,b,c\n1,2,3\n")
    run("mark", "--table", "T.csv", "--columns", "a,b,c", "--estimate", "E.csv", status=2)
    assert "expected at most 1000000 — got 8000000" in capsys.readouterr().err
    run("ask", "--table", "T.csv", "--columns", "a,b", *PRICE, status=2)
    assert "expected at most 10000 — got 40000" in capsys.readouterr().err
    run("release", "--table", "T.csv", "--columns", "a,b,c", *PRICE, "--out", "Z.csv")
    assert len((folder / "Z.csv").read_text().splitlines()) == 2


def test_choices_and_defaults_are_the_librarys():
    options = cli.parser().parse_args(
        ["dp", "estimate", "--columns", "a", "--answer", "A.csv", "--out", "E.csv"]
    )
    assert options.iterations == reconstruction.MAX_ITERATIONS
    assert options.method == "reconstructed"
    assert [name for name, _text, _arguments in dp_disclosure.SUBCOMMANDS] == list(
        dp_disclosure.RUN
    )
