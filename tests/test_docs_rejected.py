# SPDX-License-Identifier: Apache-2.0
"""The page about rejected files: it has every code of its groups, and its lines are wrong and right indeed."""

from __future__ import annotations

import pytest

from scoring.errors import MESSAGES, ProblemsFound
from scoring.tables.number_lists import read_rows
from scoring.tables.reading import read_table
from tests.every import every
from tools.rejected_reference import GROUPS, HEADER, RECORD, SCHEMA, pages

# What the lines cannot show: encodings, and sizes.
NOT_LINES = {
    *("file.no_rows", "file.excel", "file.utf16", "file.cp932", "file.not_utf8", "file.bare_cr"),
    *("file.line_too_long", "file.cell_too_long", "file.too_many_records", "file.too_few_records"),
    *("file.too_few_of_value", "file.gave_up", "cell.text", "cell.not_text", "cell.too_long"),
}
TABLES = [
    (f"{prefix}.{name}", example)
    for prefix in ("file", "header", "record", "cell")
    for name, example in GROUPS[prefix].examples.items()
    if f"{prefix}.{name}" not in NOT_LINES
]


def test_the_pages_are_current():
    for path, text in pages().items():
        assert path.read_text(encoding="utf-8") == text, "run: python -m tools.rejected_reference"


def test_every_code_of_the_groups_has_an_example():
    for prefix, group in GROUPS.items():
        codes = [c.partition(".")[2] for c in MESSAGES if c.startswith(f"{prefix}.")]
        assert list(group.examples) == codes


def read(text: str, *, original: bool = False) -> list[str]:
    """The codes of a table's problems."""
    whole = (
        text
        if text == "" or text.lstrip("\n").startswith(("age", "city", "%"))
        else f"{HEADER}\n{text}"
    )
    try:
        read_table(f"{whole}\n".encode() if whole else b"", SCHEMA, file="table", original=original)
    except ProblemsFound as found:
        return [problem.code for problem in found.problems]
    return []


@every(case=TABLES)
def test_lines_of_tables(case):
    code, (wrong, right) = case
    assert code in read(wrong, original=code == "cell.not_an_integer")
    assert read(right) == []


@every(name=list(GROUPS["row_number"].examples))
def test_lines_of_row_numbers(name):
    wrong, right = GROUPS["row_number"].examples[name]
    with pytest.raises(ProblemsFound) as found:
        read_rows(wrong.encode(), n_original=3, n_records=3)
    assert f"row_number.{name}" in [problem.code for problem in found.value.problems]
    assert len(read_rows(right.encode(), n_original=3, n_records=3)) == 3


def test_the_right_record_is_right():
    assert read(RECORD) == []
