# SPDX-License-Identifier: Apache-2.0
"""Writes docs/how-to/my-file-was-rejected.md and its Japanese version: `python -m tools.rejected_reference`.

Every problem code of a team's file, with a wrong and a right line. A test reads the lines as the platform does.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po

from scoring.errors import MESSAGES
from scoring.tables.schema import Column, Kind, Role, Schema

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "how-to" / "my-file-was-rejected.md"
JAPANESE = PAGE.with_suffix(".ja.md")
HEADER = "age,city,spend"
RECORD = "34,Kyoto,120.5"
SCHEMA = Schema(
    (
        Column("age", Role.QUASI_IDENTIFIER, Kind.INTEGER, min=0, max=120),
        Column("city", Role.QUASI_IDENTIFIER, Kind.CATEGORY, values=("Kyoto", "Nara", "Osaka")),
        Column("spend", Role.SENSITIVE, Kind.NUMBER, decimals=4),
    )
)


@dataclass(frozen=True)
class Group:
    """Codes with a common beginning: a title in both languages, and a wrong and a right example of each code."""

    title: str
    japanese: str
    examples: dict[str, tuple[str, str]]


GROUPS = {
    "file": Group(
        "The file as a whole",
        "ファイル全体",
        {
            "empty": ("", f"{HEADER}\n{RECORD}"),
            "no_rows": ("", "row\n1"),
            "header_only": (HEADER, f"{HEADER}\n{RECORD}"),
            "binary": (f"{HEADER}\n34,Kyo\0to,120.5", f"{HEADER}\n{RECORD}"),
            "known_format": ("%PDF-1.7", f"{HEADER}\n{RECORD}"),
            "excel": ("table.xlsx", "table.csv"),
            "tabs": ("age\tcity\tspend\n34\tKyoto\t120.5", f"{HEADER}\n{RECORD}"),
            "semicolons": ("age;city;spend\n34;Kyoto;120.5", f"{HEADER}\n{RECORD}"),
            "utf16": ("UTF-16", "UTF-8"),
            "cp932": ("CP932", "UTF-8"),
            "not_utf8": ("ISO 8859-1", "UTF-8"),
            "bare_cr": ("34,Kyoto,120.5 CR", "34,Kyoto,120.5 LF"),
            "line_too_long": ("34,Kyoto,120.5,,,,,,…", RECORD),
            "cell_too_long": ('34,"Kyoto,120.5 …', '34,"Kyoto",120.5'),
            "quote": (f'{HEADER}\n34,"Kyoto"x,120.5', f'{HEADER}\n34,"Kyoto",120.5'),
            "too_many_records": ("8,334 records", "8,333 records"),
            "too_few_records": ("1 record", "8,333 records"),
            "too_few_of_value": ("12 × Nara", "100 × Nara"),
            "gave_up": ("1,000 × 34,Kyoto", f"1,000 × {RECORD}"),
        },
    ),
    "header": Group(
        "The header",
        "ヘッダー",
        {
            "no_line": (f"\n{HEADER}\n{RECORD}", f"{HEADER}\n{RECORD}"),
            "missing": ("age,city\n34,Kyoto", f"{HEADER}\n{RECORD}"),
            "unexpected": (f"{HEADER},memo\n{RECORD},x", f"{HEADER}\n{RECORD}"),
            "repeated": (f"age,age,city,spend\n34,{RECORD}", f"{HEADER}\n{RECORD}"),
            "order": ("city,age,spend\nKyoto,34,120.5", f"{HEADER}\n{RECORD}"),
            "empty_name": (f"{HEADER},\n{RECORD},", f"{HEADER}\n{RECORD}"),
        },
    ),
    "record": Group(
        "A record",
        "レコード",
        {
            "cell_count": ("34,Kyoto", RECORD),
            "empty_line": (f"{RECORD}\n\n{RECORD}", f"{RECORD}\n{RECORD}"),
        },
    ),
    "cell": Group(
        "A cell",
        "セル",
        {
            "empty": ("34,,120.5", RECORD),
            "not_a_number": ("34,Kyoto,1.2.3", "34,Kyoto,1.23"),
            "text": ('"34",Kyoto', "34,Kyoto"),
            "not_text": ("5", '"5"'),
            "not_finite": ("34,Kyoto,inf", RECORD),
            "exponent": ("34,Kyoto,1.2e2", "34,Kyoto,120"),
            "separator": ('34,Kyoto,"1,200"', "34,Kyoto,1200"),
            "not_ascii_digits": ("34,Kyoto,12²", "34,Kyoto,120"),
            "spaces": ("34,Kyoto, 120.5", RECORD),
            "too_many_digits": ("34,Kyoto,12345678901234567890", "34,Kyoto,1234567890"),
            "too_many_decimals": ("34,Kyoto,120.123456", "34,Kyoto,120.1235"),
            "not_an_integer": ("34.5,Kyoto,120.5", RECORD),
            "below_minimum": ("-1,Kyoto,120.5", "0,Kyoto,120.5"),
            "above_maximum": ("134,Kyoto,120.5", RECORD),
            "not_in_values": ("34,Paris,120.5", RECORD),
            "too_long": ("34,KyotoKyotoKyoto…,120.5", RECORD),
        },
    ),
    "gate": Group(
        "Limits of the rules",
        "ルールの制限",
        {
            "above": ("U1 = 12.3", "U1 = 9.8"),
            "below": ("S1 = 1", "S1 = 2"),
            "unknown": ("S1 = –", "S1 = 2"),
        },
    ),
    "row_number": Group(
        "Row numbers and guesses",
        "行番号と推定",
        {
            "empty_line": ("1\n\n3", "1\n2\n3"),
            "not_an_integer": ("1\n2.5\n3", "1\n2\n3"),
            "zero": ("0\n1\n2", "1\n2\n3"),
            "negative": ("-1\n2\n3", "1\n2\n3"),
            "too_large": ("1\n2\n4", "1\n2\n3"),
            "repeated": ("1\n2\n2", "1\n2\n3"),
            "count": ("1\n2", "1\n2\n3"),
            "header": ("number\n1\n2\n3", "row\n1\n2\n3"),
        },
    ),
    "aligned": Group(
        "Tables with as many lines as the original (lecture contests)",
        "元データと同じ行数の表（講義コンテスト）",
        {
            "count": ("99 lines", "100 lines"),
            "parts_differ": ("A: 34,Kyoto — B: ,", "A: , — B: ,"),
            "partly_empty": ("34,,120.5", ",,"),
            "all_deleted": (",,\n,,", f"{RECORD}\n,,"),
            "not_in_original": ("35,Kyoto,120.5", RECORD),
        },
    ),
    "candidate": Group(
        "Guesses among candidates (lecture contests)",
        "候補からの推定（講義コンテスト）",
        {
            "not_an_integer": ("2.5", "2"),
            "negative": ("-1", "0"),
            "too_large": ("201", "200"),
            "count": ("99 lines", "100 lines"),
            "header": ("guess\n1", "1"),
        },
    ),
    "submission": Group(
        "The submission",
        "提出全体",
        {
            "swapped": ("table: row\\n1 — rows: age,…", "table: age,… — rows: row\\n1"),
            "no_rows": ("anonymized.csv", "anonymized.csv, rows.csv"),
            "too_slow": ("> 300 s", "< 300 s"),
        },
    ),
    "value_guess": Group(
        "Guesses of values (sequential release)",
        "値の推定（逐次公開）",
        {
            "unknown_id": ("p999,flu", "p001,flu"),
            "repeated_id": ("p001,flu\np001,cold", "p001,flu\np002,cold"),
        },
    ),
    "answer": Group(
        "Answers to questions",
        "質問への回答",
        {
            "not_asked": ("101,1", "100,1"),
            "repeated": ("1,0\n1,1", "1,0\n2,1"),
            "missing": ("1,0\n3,1", "1,0\n2,0\n3,1"),
            "bit": ("1,yes", "1,1"),
            "ones": ("51 × 1", "50 × 1"),
            "confidence": ("1,1.5", "1,0.95"),
            "interval": ("1,40,30", "1,30,40"),
            "half_interval": ("1,30,", "1,30,40"),
            "wide_interval": ("1,0,100", "1,30,40"),
            "line": ("1,two", "1,2"),
            "line_zero": ("1,0", "1,-1"),
            "after_none": ("1,-1,5", "1,5,-1"),
            "candidate_twice": ("1,5,5", "1,5,6"),
            "header": ("number,answer", "question,answer"),
            "no_target": ("question,nobody", "question,team-red"),
        },
    ),
    "estimate": Group(
        "Estimates of a hidden table",
        "非公開の表の推定",
        {"missing_cells": ("Kyoto,12", "Kyoto,12\nNara,0\nOsaka,3")},
    ),
    "release": Group(
        "Releases (sequential release)",
        "公開データ（逐次公開）",
        {
            "box": ("age: 40–30", "age: 30–40"),
            "other_box": ("1: 30–40\n1: 30–45", "1: 30–40\n1: 30–40"),
            "other_last": ("1: last 2\n1: last 3", "1: last 2\n1: last 2"),
            "unknown_last": ("last 9", "last 0"),
            "repeated_value": ("1: flu, flu", "1: flu, cold"),
            "small_group": ("1: flu", "1: flu, cold"),
            "no_row": ("p001: 35, flu → 40–50, flu", "p001: 35, flu → 30–40, flu"),
            "signature": ("R1: {flu, cold}\nR2: {flu, gout}", "R1: {flu, cold}\nR2: {flu, cold}"),
            "unknown_group": ("group 9", "group 1"),
            "repeated_group": ("1,0\n1,2", "1,2"),
            "too_few_rows": ("99 rows", "100 rows"),
            "too_many_rows": ("201 rows", "120 rows"),
            "too_many_pairs": ("age: 0–120", "age: 30–40"),
            "too_many_places": ("age: 0–120", "age: 30–40"),
            "counterfeits": ("3", "2"),
            "too_many_counterfeits": ("1: 2 rows, 3", "1: 2 rows, 1"),
        },
    ),
    "series": Group(
        "Files of a series (sequential release)",
        "提出一式（逐次公開）",
        {
            "unknown_id": ("p999", "p001"),
            "not_alive": ("D1: p301", "D2: p301"),
            "deleted_twice": ("p001\np001", "p001\np002"),
            "some_counterfeits": ("C1.csv", "C1.csv, C2.csv, C3.csv"),
            "too_many_deleted": ("10 %", "5 %"),
            "too_many_displaced": ("10 %", "5 %"),
            "too_many_counterfeits": ("60 %", "20 %"),
        },
    ),
    "note": Group(
        "Notes: the file is accepted",
        "注意（ファイルは受理されます）",
        {
            "cp932": ("CP932", "UTF-8"),
            "other_order": ("1, 3, 2", "1, 2, 3"),
            "sorted": ("20, 34, 51", "34, 51, 20"),
            "full_width": ("３４,Kyoto,120.5", RECORD),
        },
    ),
}

ENGLISH_HEAD = f"""# My file was rejected

Nothing is lost: a rejected file uses no attempt, and all its problems are listed together: file, record, column,
what was expected. Fix them and submit again. The same check runs on your computer: `python -m scoring validate`
([Command line](../reference/command-line.md#validate)).
日本語: [{JAPANESE.name}]({JAPANESE.name}).

The lines below are of a table with the columns `{HEADER}`. `age` is a whole number from 0 to 120,
`city` is Kyoto, Nara or Osaka, and `spend` has at most four decimals.
In the messages, … stands for a detail of your file.
What a file looks like in full is in [Files](../reference/files.md).

## The five most frequent

1. **Saved as an Excel workbook.** In Excel choose *Save as*, *CSV UTF-8 (comma delimited)*.
2. **Thousands separators.** Set the format of the cells to *General* before you save: `1200`, not `1,200`.
3. **Semicolons or tabs.** Cells are separated by commas.
4. **A value that the column does not have.** A generalized cell needs one of the values in the schema.
5. **Another number of lines.** Row numbers and guesses have one line for each record of the table.
"""
JAPANESE_HEAD = f"""# ファイルが受理されないとき

受理されなかったファイルは提出回数に数えません。問題はすべてまとめて、ファイル、レコード、列、期待される値とともに
表示されます。直して、もう一度提出してください。同じ検査を手元でも実行できます：
`python -m scoring validate`（[コマンドライン](../reference/command-line.md#validate)）
English: [{PAGE.name}]({PAGE.name})

例の表の列は `{HEADER}` です。`age` は0～120の整数、`city` はKyoto、Nara、Osakaのいずれか、
`spend` は小数点以下4桁までです。メッセージの「…」には、実際にはファイルごとの値が入ります。
ファイルの形式の詳しい説明は[Files](../reference/files.md)にあります。

## よくある五つの原因

1. **Excelブックのまま提出した。** Excelの「名前を付けて保存」で「CSV UTF-8（コンマ区切り）」を選びます。
2. **数値に桁区切りがある。** 保存する前にセルの書式を「標準」にします。`1,200` ではなく `1200` です。
3. **区切りがセミコロンやタブになっている。** コンマで区切ってください。
4. **列にない値が入っている。** 一般化したセルにも、その列にある値が必要です。値の一覧は列の定義にあります。
5. **行数が違う。** 行番号や推定のファイルは、表の1レコードにつき1行です。
"""


def pages() -> dict[Path, str]:
    """Both pages, by their files."""
    with (ROOT / "locale" / "ja" / "LC_MESSAGES" / "django.po").open("rb") as source:
        catalog = read_po(source)
    return {
        PAGE: _page(ENGLISH_HEAD, ("code", "wrong", "right"), None),
        JAPANESE: _page(JAPANESE_HEAD, ("コード", "誤り", "正しい例"), catalog),
    }


def _page(head: str, columns: tuple[str, ...], catalog: Catalog | None) -> str:
    parts = ["<!-- Written by `python -m tools.rejected_reference`; edit that. -->", head]
    for prefix, group in GROUPS.items():
        rows = [
            f"| `{prefix}.{name}`<br>{_text(MESSAGES[f'{prefix}.{name}'], catalog)} | {_code(wrong)} | {_code(right)} |"
            for name, (wrong, right) in group.examples.items()
        ]
        title = group.title if catalog is None else group.japanese
        parts.append(
            "\n".join(
                [
                    f"## {title}",
                    "",
                    '<div class="examples" markdown>',
                    "",
                    f"| {' | '.join(columns)} |",
                    "|---|---|---|",
                    *rows,
                    "",
                    "</div>",
                    "",
                ]
            )
        )
    return "\n".join(parts)


def _text(message: str, catalog: Catalog | None) -> str:
    if catalog is not None:
        found = catalog.get(message)
        assert found is not None, message
        message = str(found.string)
    message = re.sub(r"\{\w+\}", "…", message)
    return message.replace("|", "\\|").replace("<", "&lt;").replace("[[", "\\[\\[")


def _code(example: str) -> str:
    lines = example.replace("\t", "⇥").replace("\0", "␀").split("\n")
    return "<br>".join(f"`{line}`" if line else "␤" for line in lines)


if __name__ == "__main__":
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")
