# SPDX-License-Identifier: Apache-2.0
"""Several aligned tables that are submitted together: their values, and what a ruleset says of them."""

from __future__ import annotations

import io
import json
import statistics
import zipfile

import numpy as np
import pandas as pd
import pytest
import tomli_w

from scoring.cli.main import main
from scoring.errors import ProblemsFound
from scoring.evaluate import prepared_parts, score, score_parts
from scoring.formats.lecture import joined, read_parts
from scoring.registry import MEASURES
from scoring.rulesets import load_ruleset
from scoring.tables.aligned import write_aligned
from scoring.tables.archives import unpacked
from scoring.tables.records import Records
from scoring.tables.schema import Column, Kind, Role, Schema
from tests.scoring.rulesets import parsed, problems_of, values_of

SCHEMA = Schema(
    (
        Column("city", Role.QUASI_IDENTIFIER, Kind.CATEGORY, cross=True, values=("A", "B", "C")),
        Column("age", Role.SENSITIVE, Kind.INTEGER),
        Column("balance", Role.SENSITIVE, Kind.NUMBER),
    )
)
COLUMNS = {"people": ("city", "age"), "money": ("city", "balance"), "all": SCHEMA.names}
EVERY = np.arange(30)


def tables() -> tuple[Records, dict[str, Records]]:
    """An original, and three tables that are noisier one after the other."""
    rng = np.random.default_rng(3)
    original = pd.DataFrame(
        {
            "city": rng.choice(["A", "B", "C"], 30),
            "age": rng.integers(20, 60, 30).astype(float),
            "balance": rng.integers(0, 100, 30).astype(float),
        }
    )
    made = {}
    for n, (key, names) in enumerate(COLUMNS.items()):
        noisy = original.copy()
        for name in ("age", "balance"):
            noisy[name] += n + 1
        made[key] = Records.of(noisy[list(names)], SCHEMA.only(names))
    return Records.of(original, SCHEMA), made


@pytest.mark.parametrize(("how", "expected"), [("worst", max), ("mean", statistics.fmean)])
def test_one_value_is_made_of_those_of_all_tables(how, expected):
    original, made = tables()
    measures = [MEASURES["U1"], MEASURES["LOSS"]]
    originals = prepared_parts(original, COLUMNS, SCHEMA)
    found = score_parts(originals, made, EVERY, combine=how, measures=measures)
    plain = {
        key: score(
            original.to_frame()[list(names)],
            made[key].to_frame(),
            EVERY,
            SCHEMA.only(names),
            measures=measures,
        )
        for key, names in COLUMNS.items()
    }
    for measure in ("U1", "LOSS"):
        each = [values[measure] for values in plain.values()]
        assert found[measure] == pytest.approx(expected(each))
        assert [found[f"{measure}.{key}"] for key in COLUMNS] == each
    assert (found["n_original"], found["n_anonymized"]) == (30, 30)


def test_the_joined_table_has_each_column_of_the_first_table_with_it():
    original, made = tables()
    whole = joined(made, SCHEMA)
    assert whole.names == SCHEMA.names
    assert (whole.numbers["age"] - original.numbers["age"]).tolist() == [1] * 30
    assert (whole.numbers["balance"] - original.numbers["balance"]).tolist() == [2] * 30


def test_records_are_deleted_in_all_tables_or_in_none():
    original, made = tables()
    lines = EVERY.copy()
    lines[[4, 9]] = -1
    files = {k: write_aligned(t, lines, SCHEMA.only(t.names)) for k, t in made.items()}
    how = {"original": original, "schema": SCHEMA, "original_values_only": False}
    kept, source = read_parts(files, COLUMNS, **how)
    assert {len(table) for table in kept.values()} == {28}
    assert source.tolist() == [row for row in range(30) if row not in (4, 9)]
    whole = write_aligned(made["money"], EVERY, SCHEMA.only(made["money"].names))
    with pytest.raises(ProblemsFound) as error:
        read_parts({**files, "money": whole}, COLUMNS, **how)
    assert [(p.code, p.file, p.row) for p in error.value.problems] == [
        ("aligned.parts_differ", "money", 5),
        ("aligned.parts_differ", "money", 10),
    ]


PARTS = [
    {"key": key, "title": {"en": key, "ja": key}, "columns": list(names)}
    for key, names in (("people", COLUMNS["people"]), ("money", COLUMNS["money"]))
]


def ruleset_values() -> dict:
    values = values_of("pets-lecture")
    values["data"] |= {"part": PARTS, "schema": SCHEMA.to_dict()}
    values["validity"]["values"] = "schema"
    for spec in values["round"]:
        if spec["kind"] == "aligned-anonymization":
            del spec["file"]
    return values


def test_each_part_is_a_file_of_the_round():
    rules = parsed(ruleset_values())
    assert [file.key for file in rules.rounds[0].files] == ["people", "money"]
    assert rules.data.combine == "worst"
    assert load_ruleset("pets-lecture").data.parts == ()


@pytest.mark.parametrize(
    ("change", "keys"),
    [
        (lambda data: data["part"][0].update(key="money"), {"data.part[2].key"}),
        (lambda data: data["part"][0].update(columns=["town"]), {"data.part[1].columns"}),
        (lambda data: data["part"][1].update(required=False), {"data.part"}),
        (lambda data: data.update(combine="best"), {"data.combine"}),
        (lambda data: data.update(originals=11), {"data.originals"}),
    ],
)
def test_what_a_ruleset_may_not_say(change, keys):
    values = ruleset_values()
    values["data"]["part"] = [dict(part) for part in PARTS]
    change(values["data"])
    assert keys <= {key for _code, key, _got in problems_of(values)}


def archive_of(files: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as out:
        for name, data in files.items():
            out.writestr(name, data)
    return packed.getvalue()


def test_an_archive_is_scored_and_validated_at_home(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    original, made = tables()
    values = ruleset_values()
    values["scoring"]["gate"] = [{"measure": "LOSS", "max": 0.9}]
    (tmp_path / "rules.toml").write_text(tomli_w.dumps(values), encoding="utf-8")
    (tmp_path / "X.csv").write_bytes(write_aligned(original, EVERY, SCHEMA))
    named = {
        f"{key}.csv": write_aligned(made[key], EVERY, SCHEMA.only(COLUMNS[key]))
        for key in ("people", "money")
    }
    given = ["--ruleset", "rules.toml", "--original", "X.csv", "--anonymized", "Y.zip", "--json"]

    def run(command: str) -> tuple[int, dict]:
        status = main([command, *given])
        return status, json.loads(capsys.readouterr().out)

    (tmp_path / "Y.zip").write_bytes(archive_of(named))
    status, found = run("score")
    assert status == 0
    assert found["LOSS"] == max(found["LOSS.people"], found["LOSS.money"])
    assert run("validate")[0] == 0
    values["scoring"]["gate"] = [{"measure": "LOSS", "max": found["LOSS"] / 1.01}]
    (tmp_path / "rules.toml").write_text(tomli_w.dumps(values), encoding="utf-8")
    for command in ("score", "validate"):
        status, found = run(command)
        assert status == 1
        assert {(p["code"], p["file"]) for p in found["problems"]} <= {
            ("gate.above", "people"),
            ("gate.above", "money"),
        }
    (tmp_path / "Y.zip").write_bytes(archive_of({"People.csv": b"", "more.csv": b""}))
    status, found = run("score")
    assert (status, {p["code"] for p in found["problems"]}) == (
        1,
        {"bundle.unknown", "bundle.missing"},
    )


def test_optional_tables_may_be_missing():
    data = archive_of({"a.csv": b"1"})
    assert unpacked(data, ["a", "b"], file="Y", optional=["b"]) == {"a": b"1"}
