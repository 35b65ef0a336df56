# SPDX-License-Identifier: Apache-2.0
"""Schema files, the proposal of a schema, and problems as data."""

from __future__ import annotations

import random
import string

import pytest

from scoring.errors import MESSAGES, Problem, ProblemsFound
from scoring.tables.reading import read_table
from scoring.tables.schema import Column, Kind, Role, Schema
from scoring.tables.suggestion import suggest_schema
from scoring.tables.text import MAX_UNUSABLE

TOML = """
[[column]]
name = "id"
role = "identifier"
kind = "integer"

[[column]]
name = "age"
role = "quasi_identifier"
kind = "category"
cross = true
values = ["10代", "20代"]

[[column]]
name = "income"
role = "sensitive"
kind = "integer"
min = 0
max = 1000

[[column]]
name = "rate"
role = "sensitive"
kind = "number"
min = -0.5

[[column]]
name = "note"
role = "other"
kind = "category"

[attacks]
e2_column = "income"
e4_column = "rate"
"""


def test_a_schema_file_is_read_and_written():
    schema = Schema.from_toml(TOML)
    assert schema.names == ("id", "age", "income", "rate", "note")
    assert schema.quasi_identifiers == schema.cross == ("age",)
    assert schema.sensitive_numeric == ("income", "rate")
    assert schema.public().names == ("age", "income", "rate", "note")
    assert (schema.e2_column, schema.e4_column) == ("income", "rate")
    assert schema.column("income") == Column(
        "income", Role.SENSITIVE, Kind.INTEGER, min=0, max=1000
    )
    assert Schema.from_toml(schema.to_toml()) == schema
    assert "attacks" not in Schema(schema.columns).to_toml()


def test_a_column_is_replaced_by_name():
    schema = Schema.from_toml(TOML)
    changed = schema.replace_column(Column("note", Role.QUASI_IDENTIFIER, Kind.CATEGORY))
    assert changed.quasi_identifiers == ("age", "note")
    with pytest.raises(KeyError):
        schema.replace_column(Column("none", Role.OTHER, Kind.CATEGORY))
    with pytest.raises(ProblemsFound):  # an attack looks at it
        schema.replace_column(Column("rate", Role.OTHER, Kind.NUMBER))


@pytest.mark.parametrize(
    ("old", "new", "code", "params"),
    [
        ("[attacks]", "[attacks", "toml.syntax", None),
        ("[attacks]", "[attack]", "toml.unknown_key", {"key": "attack"}),
        ('name = "note"', 'title = "note"', "toml.unknown_key", {"key": "column[5].title"}),
        ('name = "note"', 'title = "note"', "toml.missing_key", {"key": "column[5].name"}),
        ('name = "note"', "name = 5", "toml.wrong_type", {"key": "column[5].name", "got": "int"}),
        ('role = "other"', 'role = "QI"', "toml.wrong_value", {"got": "QI"}),
        ('kind = "number"', 'kind = "float"', "toml.wrong_value", {"got": "float"}),
        ("cross = true", "cross = 1", "toml.wrong_type", {"key": "column[2].cross"}),
        ("min = 0\n", "min = true\n", "toml.wrong_type", {"key": "column[3].min"}),
        ("min = 0\n", "min = nan\n", "toml.wrong_type", {"key": "column[3].min"}),
        ("min = -0.5", "decimals = 10", "toml.wrong_value", {"key": "decimals", "got": "10"}),
        ("min = -0.5", "decimals = true", "toml.wrong_type", {"key": "column[4].decimals"}),
        ("cross = true", "decimals = 2", "schema.range_on_category", {"key": "decimals"}),
        ("max = 1000", "max = -1", "schema.min_above_max", {"min": 0, "max": -1}),
        ('"20代"]', "5]", "toml.wrong_type", {"key": "column[2].values"}),
        ('["10代", "20代"]', "[]", "toml.wrong_type", {"key": "column[2].values"}),
        ('"20代"]', '"10代"]', "schema.repeated_value", {"got": "10代"}),
        ('name = "note"', 'name = "age"', "schema.repeated_name", {"got": "age"}),
        ('name = "note"', 'name = ""', "toml.wrong_value", {"key": "name"}),
        ('name = "note"', 'name = "a\\nb"', "toml.wrong_value", {"key": "name"}),
        ('name = "note"', 'name = "source_row"', "schema.reserved_name", None),
        ('role = "quasi_identifier"', 'role = "other"', "schema.cross_not_quasi_identifier", None),
        ("min = -0.5", 'values = ["1"]', "schema.values_on_number", None),
        ("cross = true", "min = 1", "schema.range_on_category", {"key": "min"}),
        ('e2_column = "income"', 'e2_column = "tax"', "schema.unknown_column", {"got": "tax"}),
        ('e2_column = "income"', 'e2_column = "age"', "schema.not_numeric_sensitive", None),
        ('e2_column = "income"', "e2_column = 5", "toml.wrong_type", None),
    ],
)
def test_what_is_wrong_with_a_schema_is_named(old, new, code, params):
    assert old in TOML
    with pytest.raises(ProblemsFound) as error:
        Schema.from_toml(TOML.replace(old, new, 1))
    matching = [p for p in error.value.problems if p.code == code]
    assert matching, error.value
    assert matching[0].file == "schema"
    assert (params or {}).items() <= dict(matching[0].params).items()


def test_all_problems_of_a_schema_come_together():
    text = TOML.replace('kind = "number"', 'kind = "x"').replace("max = 1000", "max = -1")
    with pytest.raises(ProblemsFound) as error:
        Schema.from_toml(text)
    assert [p.code for p in error.value.problems] == ["toml.wrong_value", "schema.min_above_max"]


@pytest.mark.parametrize("text", ["", "column = []", "column = 5", "column = [1]", "attacks = 1"])
def test_a_schema_needs_columns(text):
    with pytest.raises(ProblemsFound):
        Schema.from_toml(text)


def sample() -> bytes:
    lines = ["id,name,sex,age,income,score,memo,blank"]
    for i in range(300):
        memo = f"m{i % 250}"
        blank = "" if i == 7 else f"b{i % 250}"
        lines.append(f"{i + 5},n{i},{'mf'[i % 2]},{i % 40},{i * 37 % 299},{i / 8},{memo},{blank}")
    return ("\n".join(lines) + "\n").encode()


def test_a_schema_is_proposed_for_any_table():
    schema = suggest_schema(sample())
    assert {c.name: (c.role, c.kind) for c in schema.columns} == {
        "id": (Role.IDENTIFIER, Kind.INTEGER),
        "name": (Role.IDENTIFIER, Kind.CATEGORY),
        "sex": (Role.QUASI_IDENTIFIER, Kind.CATEGORY),
        "age": (Role.QUASI_IDENTIFIER, Kind.CATEGORY),
        "income": (Role.SENSITIVE, Kind.INTEGER),
        "score": (Role.SENSITIVE, Kind.NUMBER),
        "memo": (Role.OTHER, Kind.CATEGORY),
        "blank": (Role.OTHER, Kind.CATEGORY),
    }
    assert schema.column("sex").values == ("f", "m")
    assert schema.column("age").values == tuple(map(str, range(40)))
    assert schema.column("memo").values is None
    assert "" in (schema.column("blank").values or ())
    assert (schema.e2_column, schema.e4_column) == ("score", "income")
    assert schema.cross == ("sex", "age")
    assert Schema.from_toml(schema.to_toml()) == schema
    assert len(read_table(sample(), schema, file="original", original=True)) == 300


@pytest.mark.parametrize(
    ("name", "cell", "role", "kind", "n_listed"),
    [
        ("年齢", lambda i: i % 90, Role.QUASI_IDENTIFIER, Kind.INTEGER, None),
        ("Age", lambda i: i % 9, Role.QUASI_IDENTIFIER, Kind.CATEGORY, 9),
        ("year_of_birth", lambda i: 1930 + i % 90, Role.QUASI_IDENTIFIER, Kind.INTEGER, None),
        ("郵便番号", lambda i: f"{i:03}0001", Role.QUASI_IDENTIFIER, Kind.CATEGORY, None),
        ("income_age_group", lambda i: i % 9, Role.QUASI_IDENTIFIER, Kind.CATEGORY, 9),
        ("病名", lambda i: f"d{i % 12}", Role.SENSITIVE, Kind.CATEGORY, 12),
        ("annual income", lambda i: i % 20, Role.SENSITIVE, Kind.INTEGER, None),
        ("diagnosis_code", lambda i: f"d{i % 12}", Role.SENSITIVE, Kind.CATEGORY, 12),
        ("氏名", lambda i: f"n{i // 2}", Role.IDENTIFIER, Kind.CATEGORY, None),
        ("covid", lambda i: i % 2, Role.QUASI_IDENTIFIER, Kind.CATEGORY, 2),
        ("country name", lambda i: f"c{i % 9}", Role.QUASI_IDENTIFIER, Kind.CATEGORY, 9),
        ("mileage", lambda i: i % 290, Role.SENSITIVE, Kind.INTEGER, None),
        ("visits", lambda i: i % 20, Role.QUASI_IDENTIFIER, Kind.CATEGORY, 20),
    ],
)
def test_names_of_columns_speak_before_their_values(name, cell, role, kind, n_listed):
    data = "\n".join([f"{name},x", *(f"{cell(i)},{i % 7}" for i in range(300))])
    column = suggest_schema(data.encode()).columns[0]
    assert (column.role, column.kind) == (role, kind)
    assert (None if column.values is None else len(column.values)) == n_listed


IDENTIFYING = (
    *("氏名", "氏名（カナ）", "名前", "name", "Last name", "patientName", "email", "E-mail", "mail", "mail_address"),
    *("電話", "自宅電話", "phone", "Tel.", "phone_2", "住所", "住所２", "address", "Home address", "address_line_1"),
    *("患者番号", "患者ID", "ＩＤ", "patient_id", "PatientID", "id", "ID", "seqn", "SEQN", "student no", "会員コード"),
)  # fmt: skip


@pytest.mark.parametrize("cell", [lambda i: f"v{i % 7}", lambda i: i % 90, lambda i: f"{i}.5"])
def test_columns_named_like_identifiers_are_hidden_whatever_their_values(cell):
    data = "\n".join(
        [
            ",".join(IDENTIFYING) + ",x",
            *(f"{cell(i)}," * len(IDENTIFYING) + str(i % 7) for i in range(300)),
        ]
    )
    schema = suggest_schema(data.encode())
    assert {column.name for column in schema.columns if column.role is not Role.IDENTIFIER} == {"x"}
    assert schema.cross == ("x",)


def test_whole_numbers_that_all_differ_are_identifiers():
    data = "turnover,weight,x\n" + "".join(f"{i * i + 7},{i}.5,{i % 7}\n" for i in range(300))
    roles = [column.role for column in suggest_schema(data.encode()).columns]
    assert roles == [Role.IDENTIFIER, Role.SENSITIVE, Role.QUASI_IDENTIFIER]


def test_the_roles_of_a_table_like_adult():
    """Age is known to others and income is what they want to know, whatever their cells look like."""
    draw = random.Random(7)
    lines = ["age,workclass,fnlwgt,education,sex,capital-gain,hours-per-week,income"]
    for _ in range(400):
        job, school = draw.choice("abcdef"), draw.choice(["HS-grad", "Bachelors", "11th"])
        gain = draw.choice([0, 0, 0, *range(100, 9000, 77)])
        amounts = draw.choice("MF"), gain, draw.randrange(80), draw.choice(["<=50K", ">50K"])
        cells = draw.randrange(17, 91), job, draw.randrange(20_000, 400_000), school, *amounts
        lines.append(",".join(map(str, cells)))
    lines.append(lines[-1])  # no column of numbers is without repetition
    schema = suggest_schema("\n".join(lines).encode())
    assert schema.quasi_identifiers == ("age", "workclass", "education", "sex")
    assert schema.sensitive == ("fnlwgt", "capital-gain", "hours-per-week", "income")


def test_the_columns_of_attackers_are_numbers():
    data = "病名,cost\n" + "".join(f"d{i % 40},{i}.5\n" for i in range(60))
    schema = suggest_schema(data.encode())
    assert (schema.e2_column, schema.e4_column) == ("cost", None)


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "file.empty"),
        (b"a,b\n", "file.header_only"),
        (b"a,a\n1,2\n", "header.repeated"),
        (b"a,b\n1\n", "record.cell_count"),
        ("氏名\n山田".encode("cp932") + b"\x85\x40\n", "file.cp932"),
        (b"source_row,b\n1,2\n", "schema.reserved_name"),
    ],
)
def test_no_schema_is_proposed_for_what_cannot_be_read(data, code):
    with pytest.raises(ProblemsFound) as error:
        suggest_schema(data)
    assert [p.code for p in error.value.problems] == [code]


def test_a_proposal_gives_up_on_a_file_without_records_of_one_length():
    with pytest.raises(ProblemsFound) as error:
        suggest_schema(b"a,b\n" + b"\n" * 1_000_000)
    assert error.value.n_total == MAX_UNUSABLE + 1


def test_problems_survive_as_data():
    problem = Problem("cell.not_a_number", {"got": "{x}"}, "anonymized", 3, "food")
    assert Problem.from_dict(problem.to_dict()) == problem
    assert problem.message.endswith("got “{x}”")
    assert str(problem).startswith("anonymized, record 3, column food — not a number")
    assert str(Problem("file.empty")) == MESSAGES["file.empty"]


def test_messages_name_their_parameters():
    for message in MESSAGES.values():
        assert all(name != "" for _, name, _, _ in string.Formatter().parse(message))
