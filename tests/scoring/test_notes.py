# SPDX-License-Identifier: Apache-2.0
"""Files as spreadsheets on Japanese Windows save them: read with a note, the values the same as from UTF-8."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from scoring.cli.main import main
from scoring.errors import ProblemsFound
from scoring.formats.disclosure.attributes import Attribute
from scoring.formats.disclosure.estimates import read_estimate
from scoring.formulas.files import read_matrix, read_part
from scoring.privacy.experiments.counts import read_counts
from scoring.tables.aligned import read_aligned
from scoring.tables.notes import noted
from scoring.tables.reading import read_guess, read_table, write_rows, write_table
from scoring.tables.records import Records
from scoring.tables.row_order import note_row_order
from scoring.tables.schema import Column, Kind, Role, Schema
from scoring.tables.suggestion import suggest_schema
from scoring.tables.text import decode
from scoring.tables.validation import read_submission

SCHEMA = Schema(
    (
        Column("職業", Role.QUASI_IDENTIFIER, Kind.CATEGORY),
        Column("年収", Role.SENSITIVE, Kind.INTEGER, min=0, max=1000),
    )
)
TEXT = "職業,年収\r\nソムリエ,100\r\n能楽師,200\r\n表具師,300\r\n"
ORIGINAL = read_table(TEXT.encode(), SCHEMA, file="original", original=True)


def read(text: str, encoding: str = "utf-8"):
    """The table of a file, and the codes, columns and quoted values of its notes."""
    with noted() as notes:
        table = read_table(text.encode(encoding), SCHEMA, file="anonymized")
    return table, [(note.code, note.column, note.params.get("got")) for note in notes]


@pytest.mark.parametrize("compiled", [False, True])
def test_a_file_in_cp932_is_the_same_table(compiled, monkeypatch):
    monkeypatch.setattr("scoring.tables.ordinary_files.pays", lambda _n: compiled)
    for encoding in ("utf-8", "utf-8-sig"):
        table, notes = read(TEXT, encoding)
        assert notes == []
        assert table["年収"].tolist() == [100, 200, 300]
    found, notes = read(TEXT, "cp932")
    assert found.equals(table)
    assert notes == [("note.cp932", None, None)]
    # The header alone needs another encoding, or the cells alone.
    numbers = Schema((SCHEMA.column("年収"),))
    for schema, text in ((numbers, "年収\n1\n"), (SCHEMA, TEXT)):
        with noted() as notes:
            found = read_table(text.encode("cp932"), schema, file="anonymized")
        assert [note.code for note in notes] == ["note.cp932"], text


def test_characters_that_windows_writes_otherwise_are_read_from_cp932():
    text = decode("氏名\n".encode("cp932") + b"\xfb\xfc\x8b\xb4,\xfa\xb1\n", file="anonymized")
    assert text == "氏名\n髙橋,﨑\n"
    for byte in (b"\x80", b"\xa0", b"\xfd", b"\xff"):
        with pytest.raises(ProblemsFound) as caught:
            decode("氏名,都道府県\n".encode("cp932") + byte + b"\n", file="anonymized")
        assert [problem.code for problem in caught.value.problems] == ["file.cp932"]


def test_other_encodings_are_no_cp932():
    for text in ("café,1\n", "Frédéric née Béatrice,1\n", "Müller,1\n", "naïve ñandú,1\n"):
        with pytest.raises(ProblemsFound) as caught:
            decode(text.encode("latin-1"), file="anonymized")
        assert [problem.code for problem in caught.value.problems] == ["file.not_utf8"], text
    for bytes_cut in range(1, 3):  # UTF-8 that a limit has cut
        with pytest.raises(ProblemsFound) as caught:
            decode("東京都,大阪府".encode()[:-bytes_cut], file="anonymized")
        assert [problem.code for problem in caught.value.problems] == ["file.not_utf8"]


@pytest.mark.parametrize("compiled", [False, True])
def test_full_width_digits_are_digits(compiled, monkeypatch):
    monkeypatch.setattr("scoring.tables.ordinary_files.pays", lambda _n: compiled)
    text = TEXT.replace("100", "１００．５").replace("300", "３００")
    for encoding, codes in (("utf-8", []), ("cp932", ["note.cp932"])):
        table, notes = read(text, encoding)
        assert table["年収"].tolist() == [100.5, 200, 300]
        assert [code for code, *_ in notes] == [*codes, "note.full_width"]
    assert notes[-1] == ("note.full_width", "年収", "１００．５")
    # In a category they are text as any other.
    table, notes = read(TEXT.replace("能楽師", "能楽師２"))
    assert (table["職業"][1], notes) == ("能楽師２", [])
    with pytest.raises(ProblemsFound) as caught:
        read(TEXT.replace("100", "１００").replace("200", "－９").replace("300", "３x"))
    assert [(p.code, p.row, p.params["got"]) for p in caught.value.problems] == [
        ("cell.below_minimum", 2, "-9"),
        ("cell.not_a_number", 3, "３x"),
    ]


@pytest.mark.parametrize("compiled", [False, True])
def test_guesses_and_row_numbers(compiled, monkeypatch):
    monkeypatch.setattr("scoring.tables.ordinary_files.pays", lambda _n: compiled)
    with noted() as notes:
        guess = read_guess("２\n\n１\n".encode(), n_original=3, n_records=3)
    assert guess.tolist() == [1, -1, 0]
    assert [(note.code, note.file, note.params) for note in notes] == [
        ("note.full_width", "guess", {"got": "２"})
    ]
    rows = "row\n3\n１\n2\n".encode("cp932")
    with noted() as notes:
        _table, source = read_submission(
            TEXT.encode("cp932"), rows, original=ORIGINAL, schema=SCHEMA
        )
    assert source.tolist() == [2, 0, 1]
    assert [(note.code, note.file) for note in notes] == [
        ("note.cp932", "anonymized"),
        ("note.cp932", "rows"),
        ("note.full_width", "rows"),
    ]
    with pytest.raises(ProblemsFound) as caught:
        read_submission(rows, TEXT.encode("cp932"), original=ORIGINAL, schema=SCHEMA)
    assert [problem.code for problem in caught.value.problems] == ["submission.swapped"]


def test_aligned_tables_and_estimates():
    with noted() as notes:
        table, source = read_aligned(
            TEXT.replace("200", "２００").encode("cp932"),
            original=ORIGINAL,
            schema=SCHEMA,
            original_values_only=True,
        )
    assert source.tolist() == [0, 1, 2]
    assert table.numbers["年収"].tolist() == [100, 200, 300]
    assert [note.code for note in notes] == ["note.cp932", "note.full_width"]
    with noted() as notes:
        counts = read_estimate(
            "性別,count\n女,３\n男,4\n".encode("cp932"), [Attribute("性別", ("女", "男"))]
        )
    assert np.array_equal(counts, [3, 4])
    assert [note.code for note in notes] == ["note.cp932", "note.full_width"]


def test_counts_and_scores():
    with noted() as notes:
        counts = read_counts("性別,count\n女,３\n男,4\n".encode(), file="counts")
        rates = read_matrix("attacker,a,b\na,,１２．５\n".encode(), file="matrix")
        scores = read_part("team,utility\na,５０\n".encode(), "utility", teams=None, file="utility")
    assert counts.table.tolist() == [3, 4]
    assert (rates.rate("a", "b"), scores) == (12.5, {"a": 50})
    assert [(note.code, note.file, note.column, note.params["got"]) for note in notes] == [
        ("note.full_width", "counts", "count", "３"),
        ("note.full_width", "matrix", "b", "１２．５"),
        ("note.full_width", "utility", "utility", "５０"),
    ]
    for cell in ("①", "³", "٣", "－３"):
        with pytest.raises(ProblemsFound) as caught:
            read_counts(f"性別,count\n女,{cell}\n男,4\n".encode(), file="counts")
        assert [problem.code for problem in caught.value.problems] == ["counts.not_a_count"], cell


def test_an_original_in_cp932_is_described():
    schema = suggest_schema("職業,年収\n料理人,１００\n役人,200\n".encode("cp932"))
    assert [(column.name, column.kind) for column in schema.columns] == [
        ("職業", Kind.CATEGORY),
        ("年収", Kind.INTEGER),
    ]


def test_notes_reach_the_nearest_block_only():
    data = TEXT.encode("cp932")
    decode(data, file="anonymized")  # outside of a block they are lost
    with noted() as outer:
        with noted() as inner:
            decode(data, file="anonymized")
            decode(data, file="anonymized")
        decode(data, file="rows")
    assert [note.file for note in inner] == ["anonymized"]
    assert [note.file for note in outer] == ["rows"]


def drawn(n_records: int = 300):
    rng = np.random.default_rng(7)
    return pd.DataFrame(
        {
            "職業": pd.array(rng.choice(["料理人", "能楽師", "表具師"], n_records), dtype="str"),
            "年収": rng.integers(0, 1000, n_records).astype(float),
        }
    )


def order_notes(original, anonymized, source=None):
    source = np.arange(len(anonymized)) if source is None else source
    with noted() as notes:
        note_row_order(
            Records.of(original, SCHEMA), Records.of(anonymized, SCHEMA), np.asarray(source)
        )
    return [(note.code, note.column) for note in notes]


def test_a_table_in_another_order_is_noted():
    original = drawn()
    assert order_notes(original, original) == []
    by_text = original.sort_values("職業", kind="stable")
    by_number = original.sort_values("年収", ascending=False)
    for found in (by_text, by_number, original.sample(frac=1, random_state=1)):
        assert order_notes(original, found) == [("note.other_order", None)]
        assert order_notes(original, found, found.index) == []  # as declared
    noise = np.random.default_rng(8).normal(0, 50, len(original))
    for column, found in (("職業", by_text), ("年収", by_number)):
        changed = found.assign(年収=found["年収"] + (noise if column == "職業" else 1))
        assert order_notes(original, changed) == [("note.sorted", column)]
        assert order_notes(original, changed, found.index) == []
    # Of fewer records, too, as some are deleted
    assert order_notes(original, by_number[:200] + {"職業": "", "年収": 1}) == [
        ("note.sorted", "年収")
    ]


def test_no_order_is_noted_of_other_tables():
    original = drawn()
    sorted_before = original.sort_values("年収")
    assert order_notes(sorted_before, sorted_before.assign(職業="能楽師")) == []
    assert (
        order_notes(original, original.assign(職業="能楽師", 年収=5.0)) == []
    )  # no column is left
    rng = np.random.default_rng(9)
    both = {name: rng.permutation(original[name]) for name in original}
    assert order_notes(original, original.assign(**both)) == []
    assert order_notes(original[:19], original[:19][::-1]) == []


def test_commands_print_notes(tmp_path, capsys):
    original = drawn(60).assign(年収=lambda table: table["年収"].astype(int))
    (tmp_path / "S.toml").write_text(SCHEMA.to_toml(), encoding="utf-8")
    (tmp_path / "X.csv").write_bytes(write_table(original, SCHEMA))
    table = write_table(original.sort_values("年収"), SCHEMA).decode().encode("cp932")
    (tmp_path / "Y.csv").write_bytes(table)
    (tmp_path / "R.csv").write_bytes(write_rows(np.arange(60)))
    files = {"schema": "S.toml", "original": "X.csv", "anonymized": "Y.csv", "rows": "R.csv"}
    given = [text for key, name in files.items() for text in (f"--{key}", str(tmp_path / name))]
    for command in (["validate"], ["score", "--measures", "U1"]):
        assert main([*command, *given]) == 0
        printed = capsys.readouterr().out
        assert "note: anonymized — read as CP932 (Shift_JIS)" in printed
        assert "note: anonymized — the records are those of the original, but in another" in printed
        assert main([*command, *given, "--json"]) == 0
        notes = json.loads(capsys.readouterr().out)["notes"]
        assert [note["code"] for note in notes] == ["note.cp932", "note.other_order"]
