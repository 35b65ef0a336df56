# SPDX-License-Identifier: Apache-2.0
"""Raw tables in every encoding, with every separator, and as workbooks, broken and hostile ones among them."""

from __future__ import annotations

import io
import zipfile
from datetime import date

import pytest

from scoring.errors import ProblemsFound
from scoring.tables import raw_files
from scoring.tables.coded import csv_bytes, pack, unpack
from scoring.tables.raw_files import Reading, read_raw
from tests.workbooks import Formula, sheet_xml, workbook

JAPANESE = (
    "年齢,職業,診断名\n31,看護師,高血圧症\n47,料理人,機能性ディスペプシア\n52,教員,気管支炎\n"
)


def code(data, reading=None):
    with pytest.raises(ProblemsFound) as found:
        read_raw(data, reading)
    return found.value.problems[0]


@pytest.mark.parametrize(
    ("encoding", "found"),
    [
        ("utf-8", "utf-8"),
        ("utf-8-sig", "utf-8"),
        ("cp932", "cp932"),
        ("euc-jp", "euc-jp"),
        ("iso-2022-jp", "iso-2022-jp"),
        ("utf-16", "utf-16"),
    ],
)
def test_the_encoding_is_found_and_the_text_is_the_same(encoding, found):
    raw = read_raw(JAPANESE.encode(encoding))
    assert raw.reading.encoding == found
    assert csv_bytes(raw.table).decode() == JAPANESE


def test_western_letters_are_found():
    raw = read_raw("name,café\nMüller,à côté\nGrüße,déjà vu\n".encode("cp1252"))
    assert raw.reading.encoding == "windows-1252"
    assert list(raw.table.columns) == ["name", "café"]


def test_a_chosen_encoding_that_does_not_fit_names_the_line():
    problem = code(JAPANESE.encode("cp932"), Reading(encoding="utf-8"))
    assert (problem.code, problem.params["line"]) == ("raw.encoding", 1)
    assert code(b"a,b\n1,\x00\n").code == "raw.binary"


@pytest.mark.parametrize(("name", "sign"), raw_files.SEPARATORS.items())
def test_the_separator_is_found(name, sign):
    data = f"a{sign}b{sign}c\n1{sign}x, y{sign}2\n".replace("x, y", "'x y'").encode()
    raw = read_raw(data)
    assert (raw.reading.separator, list(raw.table.columns)) == (name, ["a", "b", "c"])


def test_commas_in_quotation_marks_do_not_separate():
    raw = read_raw(b'a;b\n"1,5";"2,5"\n"3,5";"4,5"\n')
    assert (raw.reading.separator, raw.table["b"].tolist()) == ("semicolon", ["2,5", "4,5"])
    assert read_raw(b"only\n1\n2\n").table["only"].tolist() == ["1", "2"]


def test_titles_above_the_header_and_empty_lines_are_left_out():
    raw = read_raw(b"Patients,,\n\nid,age,cost\n1,30,5\n\n2,31,6\n\n")
    assert (raw.reading.header, list(raw.table.columns)) == (3, ["id", "age", "cost"])
    assert raw.table["age"].tolist() == ["30", "31"]
    assert [note.code for note in raw.notes] == ["raw.empty_lines"]
    assert code(b"a,b\n1,2\n", Reading(header=9)).code == "raw.no_header"


def test_columns_get_distinct_names_and_empty_ones_are_left_out():
    raw = read_raw(b"a,a,,\n1,2,3,\n4,5,6,\n")
    assert list(raw.table.columns) == ["a", "a 2", "column 3"]
    assert [note.code for note in raw.notes] == ["raw.named", "raw.named"]


def test_records_of_another_length_are_named_by_their_line():
    with pytest.raises(ProblemsFound) as found:
        read_raw(b"a,b\n1,2\n3\n4,5,6\n7,8,\n")
    lines = [(p.params["line"], p.params["got"]) for p in found.value.problems]
    assert lines == [(3, 1), (4, 3)]


def test_nothing_is_no_table():
    assert code(b"").code == "raw.empty"
    assert code(b"a,b\n").code == "file.header_only"
    assert code(b'a,b\n"1,2\n').code == "file.quote"


def test_more_cells_than_the_limit_are_refused(monkeypatch):
    monkeypatch.setattr(raw_files, "MAX_CELLS", 6)
    assert len(read_raw(b"a,b\n1,2\n3,4\n5,6\n").table) == 3
    assert code(b"a,b\n1,2\n3,4\n5,6\n7,8\n").code == "raw.too_many_cells"


def test_reading_in_the_way_that_was_found_gives_the_same_table():
    data = JAPANESE.encode("cp932")
    first = read_raw(data)
    assert read_raw(data, first.reading).table.equals(first.table)
    assert unpack(pack(first.table)).equals(first.table)


# --- workbooks ---


def test_the_first_sheet_of_a_workbook_is_taken_and_another_one_by_its_name():
    book = workbook(
        {
            "患者": [
                ["名前", "日付", "費用"],
                ["林", date(2025, 4, 1), 1234.5],
                ["森", None, 0.1 + 0.2],
            ],
            "b": [["x"], [True]],
        }
    )
    raw = read_raw(book)
    assert csv_bytes(raw.table).decode() == "名前,日付,費用\n林,2025-04-01,1234.5\n森,,0.3\n"
    assert (raw.reading.sheet, raw.sheets, raw.notes) == ("患者", ("患者", "b"), ())
    assert read_raw(book, Reading(sheet="b")).table["x"].tolist() == ["TRUE"]
    assert code(book, Reading(sheet="c")).params["expected"] == "患者, b"


def test_merged_cells_and_formulas_are_read_and_noted():
    rows = [["a", "b"], ["x", Formula("SUM(A1:A2)")], [None, 2]]
    raw = read_raw(workbook({"s": rows}, merged=["A2:A3"]))
    assert csv_bytes(raw.table) == b"a,b\nx,7\n,2\n"
    assert [(n.code, n.params["got"]) for n in raw.notes] == [
        ("raw.merged", 1),
        ("raw.formulas", 1),
    ]


def replaced(book, name, text):
    """The workbook with another part."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(book)) as old, zipfile.ZipFile(out, "w") as new:
        for part in old.namelist():
            new.writestr(part, text if part == name else old.read(part))
    return out.getvalue()


BOOK = workbook({"s": [["a", "b"], [1, 2]]})
SHEET = "xl/worksheets/sheet1.xml"


@pytest.mark.parametrize(
    "book",
    [
        BOOK[:300],
        BOOK[:-40],
        replaced(BOOK, SHEET, "<worksheet><sheetData><row"),
        replaced(BOOK, "xl/workbook.xml", "no xml"),
        b"PK\x03\x04" + b"\0" * 100,
    ],
)
def test_a_broken_workbook_is_refused(book):
    assert code(book).code in ("raw.workbook_broken", "raw.empty")


def test_a_workbook_with_a_password_or_of_an_old_version_is_refused():
    assert code(b"\xd0\xcf\x11\xe0" + b"\0" * 600).code == "raw.old_workbook"


def test_a_bomb_is_refused():
    bomb = workbook({"s": [["a"], [1]]}, more={"xl/media/x.bin": b"\0" * 300_000_000})
    assert len(bomb) < 400_000
    assert code(bomb).code == "raw.too_large"


def test_a_cell_far_away_exhausts_no_memory():
    far = (
        sheet_xml([["a"], [1]]).replace('r="A2"', 'r="XFD1048576"').replace('r="2"', 'r="1048576"')
    )
    assert code(replaced(BOOK, SHEET, far)).code in ("raw.too_large", "raw.too_many_cells")


def test_a_long_text_that_many_cells_share_exhausts_no_memory():
    cells = "".join(f'<row r="{r}"><c r="A{r}" t="s"><v>0</v></c></row>' for r in range(1, 40_001))
    book = workbook(
        {"s": [["a"]]},
        more={
            "xl/sharedStrings.xml": (
                '<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><si><t>'
                + "x" * 1_000_000
                + "</t></si></sst>"
            ).encode()
        },
    )
    head, _rows, tail = sheet_xml([["a"]]).partition('<row r="1">')
    rows = tail.partition("</sheetData>")[2]
    links = (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        '<Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" '
        'Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="http://schemas.openxmlformats.org/officeDocument'
        '/2006/relationships/sharedStrings" Target="sharedStrings.xml"/></Relationships>'
    )
    book = replaced(book, SHEET, f"{head}{cells}</sheetData>{rows}")
    book = replaced(book, "xl/_rels/workbook.xml.rels", links)
    assert code(book).code == "raw.too_large"
