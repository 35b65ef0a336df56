# SPDX-License-Identifier: Apache-2.0
"""Files with every problem that a browser can find, made by a fixed recipe, and the server's readers for them."""

from __future__ import annotations

import io
import random
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import pandas as pd

from scoring.errors import Problem, ProblemsFound
from scoring.formats.disclosure.attributes import attributes_of
from scoring.formats.disclosure.estimates import estimate_rules, read_estimate, template
from scoring.formats.sequential.guess_files import read_value_guess, value_rules
from scoring.questions.asked import QuestionSpec
from scoring.questions.files import answer_rules, read_answers
from scoring.tables.aligned import read_aligned
from scoring.tables.number_lists import read_candidate_guess, read_guess
from scoring.tables.published_rules import (
    Rules,
    aligned_rules,
    number_rules,
    submission_rules,
    table_rules,
)
from scoring.tables.schema import Column, Kind, Role, Schema
from scoring.tables.synthetic import read_synthetic
from scoring.tables.validation import read_submitted_records

QI, SA = Role.QUASI_IDENTIFIER, Role.SENSITIVE
SCHEMA = Schema(
    (
        Column("id", Role.IDENTIFIER, Kind.CATEGORY),
        Column("地域", QI, Kind.CATEGORY),
        Column("sex", QI, Kind.CATEGORY, values=("F", "M", "other, or none")),
        Column("age", QI, Kind.INTEGER, min=0, max=120),
        Column("weight", SA, Kind.NUMBER, min=-9.5, max=200.25, decimals=2),
        Column("income", SA, Kind.NUMBER, min=1e-5, max=1e16),
    )
)
HEADER = ",".join(SCHEMA.public().names)
N = 12
TARGET = attributes_of(
    Schema(
        (
            Column("sex", QI, Kind.CATEGORY, values=("F", "M")),
            Column("area", QI, Kind.CATEGORY, values=("北, 道", "south", "it's")),
        )
    ),
    ["sex", "area"],
)
QUESTIONS = (
    QuestionSpec("bits", "membership", "bits", "hits", ones=2),
    QuestionSpec("confidences", "membership", "confidences", "auc"),
    QuestionSpec("values", "attributes", "values", "share", column="sex"),
    QuestionSpec("numbers", "rows", "values", "cells", known=("地域", "sex")),
    QuestionSpec("intervals", "attributes", "intervals", "share", column="weight", tolerance=5.0),
    QuestionSpec("lines", "links", "lines", "any", candidates=3),
)
N_QUESTIONS = 6
PEOPLE = {f"p{n}" for n in range(1, 7)}

Files = Mapping[str, bytes]


@dataclass(frozen=True)
class Reading:
    """A reader of the server, and the rules by which browsers check the same files."""

    read: Callable[[Files], object]
    rules: Mapping[str, Rules]

    def problems(self, files: Files) -> tuple[Problem, ...]:
        """The problems that the server finds in files."""
        try:
            self.read(files)
        except ProblemsFound as found:
            return found.problems
        return ()


@dataclass(frozen=True)
class Case:
    """Files of a submission, by key."""

    name: str
    kind: str
    files: Files


ORIGINAL = pd.DataFrame({"地域": ["北"] * N})
_ALIGNED = {"original": ORIGINAL, "schema": SCHEMA, "original_values_only": False}
READINGS = {
    "submission": Reading(
        lambda files: read_submitted_records(
            files["anonymized"], files.get("rows"), n_original=N, schema=SCHEMA
        ),
        submission_rules(SCHEMA, N),
    ),
    "aligned": Reading(
        lambda files: read_aligned(files["anonymized"], **_ALIGNED),
        {"anonymized": aligned_rules(SCHEMA, N, blank_records=True)},
    ),
    "whole": Reading(
        lambda files: read_aligned(files["anonymized"], **_ALIGNED, blank_records=False),
        {"anonymized": aligned_rules(SCHEMA, N, blank_records=False)},
    ),
    "synthetic": Reading(
        lambda files: read_synthetic(files["synthetic"], SCHEMA, least=3, most=N),
        {"synthetic": table_rules(SCHEMA, least=3, most=N)},
    ),
    "guess": Reading(
        lambda files: read_guess(files["guess"], n_original=N, n_records=8),
        {"guess": number_rules(low=0, high=N, n_lines=8)},
    ),
    "candidates": Reading(
        lambda files: read_candidate_guess(files["guess"], n_candidates=N, n_lines=8),
        {"guess": number_rules(low=0, high=N, n_lines=8, of_candidates=True)},
    ),
    "value_guess": Reading(
        lambda files: read_value_guess(files["guess"], PEOPLE, ("flu", "gastritis")),
        {"guess": value_rules(("flu", "gastritis"))},
    ),
    "estimate": Reading(
        lambda files: read_estimate(files["estimate"], TARGET),
        {"estimate": estimate_rules(TARGET)},
    ),
    **{
        question.key: Reading(
            lambda files, question=question: read_answers(
                files["answers"], question, N_QUESTIONS, SCHEMA, n_lines=9
            ),
            {"answers": answer_rules(question, N_QUESTIONS, SCHEMA, n_lines=9)},
        )
        for question in QUESTIONS
    },
}


def records(n: int = 8) -> list[list[str]]:
    """Records without a problem."""
    areas = ("北海道", "関東", "九州", "東, 北")
    return [
        [areas[i % 4], ("F", "M")[i % 2], str(20 + 7 * i), f"{50 + 1.25 * i:.2f}", str(1000 + i)]
        for i in range(n)
    ]


def csv_text(lines: list[list[str]], header: str = HEADER, end: str = "\n") -> str:
    """Lines as CSV, cells quoted where they have to be."""
    quoted = [
        ",".join(f'"{cell}"' if set(cell) & set(',"\n') else cell for cell in line)
        for line in lines
    ]
    return "".join(line + end for line in [header, *quoted])


GOOD = csv_text(records())
ROWS = "row\n" + "".join(f"{row}\n" for row in (3, 1, 2, 12, 5, 7, 6, 4))
GUESS = "3\n1\n0\n\n5\n5\n6\n12\n"
VALUE_GUESS = "id,value\np1,flu\np2,\np3,gastritis\n"
ESTIMATE = template(TARGET).decode()


def broken_bytes(text: str) -> Iterator[tuple[str, bytes]]:
    """The text in other encodings, formats and line ends."""
    data = text.encode()
    half = len(data) // 2
    yield "as it is", data
    yield "empty", b""
    yield "mark only", b"\xef\xbb\xbf"
    yield "mark", b"\xef\xbb\xbf" + data
    yield "two marks", b"\xef\xbb\xbf" * 2 + data
    for encoding in ("utf-16", "utf-16-le", "utf-16-be", "cp932", "euc-jp", "iso2022_jp"):
        yield encoding, text.encode(encoding, "ignore")
    yield "cp932 with what is no character", text.encode("cp932", "ignore") + b"\xfd"
    yield "cp932 that is cut", "北海道,".encode("cp932") + text.encode("cp932") + b"\x8b"
    yield "cp932, a pair that is none", text.encode("cp932", "ignore") + b"\x85\x40\n"
    yield "windows-1252", data.replace("北海道".encode(), b"caf\xe9 na\xefve")
    yield "latin-1 in the header", b"caf\xe9," + data
    for wrong in (b"\xff", b"\xc0\xaf", b"\xed\xa0\x80", b"\xe5\x8c", b"\xf4\x90\x80\x80", b"\x80"):
        yield f"no UTF-8: {wrong.hex()}", data[:-1] + wrong + b"\n"
    yield "NUL", data[:half] + b"\x00" + data[half:]
    yield "NUL at the end", data + b"\x00"
    yield "only NULs", bytes(64)
    for start in (b"PK\x03\x04", b"PK\x05\x06", b"\x89PNG", b"%PDF", b"\x1f\x8b", b"PAR1"):
        yield f"format {start.hex()}", start + data
    yield "old workbook", b"\xd0\xcf\x11\xe0\xa1\xb1" + data
    for entry in ("[Content_Types].xml", "table.csv"):
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            archive.writestr(entry, text)
        yield f"archive of {entry}", packed.getvalue()
    yield "CRLF", data.replace(b"\n", b"\r\n")
    yield "workbook with a late entry", b"PK\x03\x04" + bytes(70_000) + b"xl/workbook.xml"
    yield "CR", data.replace(b"\n", b"\r")
    yield "one CR", data.replace(b"\n", b"\r", 3).replace(b"\r", b"\n", 2)
    yield "mixed ends", data.replace(b"\n", b"\r\n", 2)
    yield "CR at the end", data + b"\r"
    yield "no final line feed", data.rstrip(b"\n")
    yield "line feed first", b"\n" + data
    yield "empty line at the end", data + b"\n"
    yield "only line feeds", b"\n\n\n"
    yield "quotation mark never closed", data + b'"a\n' * 3
    yield "text after a quotation mark", data + b'"a"b,1\n'
    yield "quotation mark in the header", b'"a"b,' + data


def broken_csv(lines: list[list[str]], header: str) -> Iterator[tuple[str, str]]:
    """A table in other separators, with other headers, and records of other lengths."""
    names = header.split(",")
    text = csv_text(lines, header)
    yield "semicolons", text.replace(",", ";")
    yield "tabs", text.replace(",", "\t")
    for separator in ";\t":
        quoted = [[f'"{cell}"' for cell in line] for line in [names, *lines]]
        yield (
            f"quoted, {separator!r}",
            "".join(separator.join(line) + "\n" for line in quoted),
        )
    yield "spaces between", text.replace(",", ", ")
    yield "no header", csv_text(lines[1:], ",".join(lines[0]).replace('"', ""))
    yield "header only", header + "\n"
    yield "header without an end", header
    yield "header in capitals", csv_text(lines, header.upper() + "X")
    yield "missing column", csv_text([line[1:] for line in lines], ",".join(names[1:]))
    yield "further column", csv_text([[*line, "1"] for line in lines], f"{header},more")
    yield "repeated column", csv_text([[*line, "1"] for line in lines], f"{header},{names[0]}")
    yield "unnamed column", csv_text([[*line, "1"] for line in lines], f"{header},")
    yield "long name", csv_text(lines, header + "x" * 300)
    yield "long name twice", csv_text(lines, f"{header},{'𠮷' * 300},{'𠮷' * 300}")
    yield "reversed", csv_text([line[::-1] for line in lines], ",".join(names[::-1]))
    yield "short record", csv_text([*lines[:2], lines[2][:-1], *lines[3:]], header)
    yield "long record", csv_text([*lines[:2], [*lines[2], "1"], *lines[3:]], header)
    yield "empty line", csv_text([*lines[:3], [], *lines[3:]], header)
    yield "line of separators", csv_text([*lines[:3], [""] * len(names), *lines[3:]], header)
    yield "all lines of separators", csv_text([[""] * len(names)] * 8, header)
    yield "too many records", csv_text(lines * 4, header)
    yield "one record", csv_text(lines[:1], header)
    yield "quotation mark after wrong cells", csv_text([["x"] * len(names)], header) + '"a'


CELLS = (
    "",
    " ",
    "x",
    "NA",
    "nan",
    "-Infinity",
    "İnf",
    "1e5",
    "1.5E-3",
    "1,234",
    "1 234",
    "1'234.5",
    "12.",
    ".5",
    "+5",
    "--5",
    "-0",
    "-3",
    "007",
    "1.23456",
    "20.123",
    "12345678901234567",
    "0.00001",
    "999999999999999",
    "121",
    "120.0001",
    "200.26",
    "-9.51",
    " 20",
    "20 ",
    "20\u3000",
    "\u200b20",
    "２０",
    "２０．５",
    "－９９",
    "１２３４５．６７８９１",
    "①",
    "10²",
    "٣",
    "二十",
    "2\n0",
    'a"b',
    "x" * 61,
    "x" * 1_001,
    "𠮷" * 61,
    "𠮷" * 1_001,
    "F",
    "other, or none",
    "f",
)


def cases() -> list[Case]:
    """All cases, the same each time."""
    return [
        *_tables(),
        *_row_numbers(),
        *_numbers("guess"),
        *_numbers("candidates"),
        *_values(),
        *_estimates(),
        *_answers(),
        *_chance(),
    ]


def _tables() -> Iterator[Case]:
    rows = ROWS.encode()
    numbers = [*ROWS.split()[1:]]
    both = [[*line[:2], number, *line[2:]] for line, number in zip(records(), numbers, strict=True)]
    names = HEADER.split(",")
    in_table = ",".join([*names[:2], "source_row", *names[2:]])
    for name, data in broken_bytes(GOOD):
        yield Case(name, "submission", {"anonymized": data, "rows": rows})
        yield Case(f"one file: {name}", "submission", {"anonymized": data})
        yield Case(name, "aligned", {"anonymized": data})
    for name, text in broken_csv(records(), HEADER):
        yield Case(name, "submission", {"anonymized": text.encode(), "rows": rows})
        yield Case(name, "aligned", {"anonymized": text.encode()})
        yield Case(name, "whole", {"anonymized": text.encode()})
        yield Case(name, "synthetic", {"synthetic": text.encode()})
    for name, text in broken_csv(both, in_table):
        yield Case(f"one file: {name}", "submission", {"anonymized": text.encode()})
    for at, column in enumerate(names):
        for cell in CELLS:
            lines = records()
            lines[5][at] = cell
            text = csv_text(lines).encode()
            yield Case(f"{column} {cell[:20]!r}", "submission", {"anonymized": text, "rows": rows})
            full = csv_text([*lines, *records(4)]).encode()
            yield Case(f"{column} {cell[:20]!r}", "aligned", {"anonymized": full})
    good = GOOD.encode()
    for name, end in {
        "long line": b"x" * 1_000_001,
        "long line of characters beyond UTF-16": "𠮷".encode() * 1_000_000,
        "long cell": b'"' + b"x" * 131_073 + b'"',
        "long cell of characters beyond UTF-16": b'"' + "𠮷".encode() * 131_072 + b'"',
    }.items():
        yield Case(name, "submission", {"anonymized": good + end + b"\n", "rows": rows})
    yield Case("swapped", "submission", {"anonymized": rows, "rows": good})
    yield Case("swapped in CP932", "submission", {"anonymized": rows, "rows": GOOD.encode("cp932")})
    yield Case("the table twice", "submission", {"anonymized": good, "rows": good})
    yield Case("only source_row", "submission", {"anonymized": b"source_row\n1\n2\n"})
    yield Case("aligned and whole", "aligned", {"anonymized": csv_text(records(N)).encode()})


def _row_numbers() -> Iterator[Case]:
    good = GOOD.encode()
    for name, text in _changed_numbers(ROWS, first=1):
        yield Case(name, "submission", {"anonymized": good, "rows": text})
        unreadable = good.replace(b"M", b"m")
        yield Case(f"with a wrong table: {name}", "submission", {"anonymized": good, "rows": text})
        yield Case(f"after others: {name}", "submission", {"anonymized": unreadable, "rows": text})
    for number in ("", "0", "-1", "3", "13", "x", "1.0", "９", "9" * 30, "1\n2", " 9"):
        lines = [[*line, str(9 + i)] for i, line in enumerate(records(4))]
        lines[2][-1] = number
        text = csv_text(lines, f"{HEADER},source_row").encode()
        yield Case(f"source_row {number!r}", "submission", {"anonymized": text})


def _numbers(kind: str) -> Iterator[Case]:
    for name, data in _changed_numbers(GUESS, first=0):
        yield Case(name, kind, {"guess": data})
    for name, data in broken_bytes("３\n" + GUESS[2:]):
        yield Case(name, kind, {"guess": data})


def _changed_numbers(text: str, *, first: int) -> Iterator[tuple[str, bytes]]:
    lines = text.splitlines()
    for line in (
        "",
        "0",
        "00",
        "-0",
        "-1",
        "-",
        "13",
        "1.0",
        "x",
        "NA",
        " 7",
        "7 ",
        "7,",
        '"7"',
        "９",
        "①",
        "9" * 18,
        "9" * 19,
        "9" * 70,
        "007",
        "+7",
        "3",
        "row",
    ):
        yield f"line {line[:20]!r}", ("\n".join([*lines[:4], line, *lines[5:]]) + "\n").encode()
        head = "\n".join([line, *lines[first:]])
        yield f"first line {line[:20]!r}", head.encode()
    for header in ("Row", "行", "_", "²", "Ⅷ", "٣", "row ", "row\r", '"row"'):
        yield f"header {header!r}", (header + "\n" + "\n".join(lines[first:]) + "\n").encode()
    yield "one line less", ("\n".join(lines[:-1]) + "\n").encode()
    yield "one line more", (text + "9\n").encode()
    yield "many lines more", (text + "9\n" * 40).encode()
    yield "header only", b"row\n"
    yield "other header only", b"rows"
    yield "line feeds", b"\n" * 8
    yield "CR in the end", text.encode() + b"\r"


def _values() -> Iterator[Case]:
    lines = [line.split(",") for line in VALUE_GUESS.splitlines()[1:]]
    for name, text in broken_csv(lines, "id,value"):
        yield Case(name, "value_guess", {"guess": text.encode()})
    for cell in ("p1", "", "flu", "Flu", "x" * 70):
        text = csv_text([["p1", "flu"], ["p2", cell], [cell, "flu"]], "id,value").encode()
        if cell in {"p1", ""}:  # who has an id is not in the schema
            yield Case(f"cell {cell[:9]!r}", "value_guess", {"guess": text})
    for value in ("Flu", " flu", "x" * 70, "flu,"):
        text = csv_text([["p1", "flu"], ["p2", value], ["p1", "flu"]], "id,value").encode()
        yield Case(f"value {value[:9]!r}", "value_guess", {"guess": text})


def _estimates() -> Iterator[Case]:
    lines = [["F", "北, 道", "3"], ["F", "south", "1"], ["F", "it's", "0"], ["M", "south", "9"]]
    lines += [["M", "北, 道", "3"], ["M", "it's", "0"]]
    header = "sex,area,count"
    for name, text in broken_csv(lines, header):
        yield Case(name, "estimate", {"estimate": text.encode()})
    for count in (*CELLS, "1000000000000", "1000000000001", "000000000000"):
        text = csv_text([*lines[:2], ["F", "it's", count], *lines[3:]], header)
        yield Case(f"count {count[:20]!r}", "estimate", {"estimate": text.encode()})
    for value in ("", "x", "\t", "a\u200b", "it's\u00a0", 'b"\u3000', "𠮷\n", "é\x7f\\", "x" * 99):
        text = csv_text([*lines[:2], ["F", value, "1"], *lines[3:]], header)
        yield Case(f"value {value[:20]!r}", "estimate", {"estimate": text.encode()})
    yield Case("repeated", "estimate", {"estimate": csv_text([*lines, lines[2]], header).encode()})
    yield Case("one missing", "estimate", {"estimate": csv_text(lines[1:], header).encode()})
    yield Case("five missing", "estimate", {"estimate": csv_text(lines[:1], header).encode()})


ANSWERS = {
    "bits": "101000",
    "confidences": ("0", "1", ".5", "0.25", "1e-3", "1."),
    "values": ("F", "M", "", "F", "M", "other, or none"),
    "numbers": [["20", "1.5", ""]] * 6,
    "intervals": (["1", "5"], ["", ""], ["-3", "2"], ["0", "5.0"], ["7", "7"], ["1e1", "12"]),
    "lines": (
        *(["1", "2", "3"], ["-1", "", ""], ["4", "-1", ""]),
        *(["9", "8", ""], ["5", "", ""], ["1", "", "-1"]),
    ),
}
ANSWER_CELLS = (
    *("", "x", "2", "-1", "0", "1.5", "1e400", "nan", "１", "0.5", "10", " 1", "1.0000001", "-2"),
    *("1e20", "1e-7", "99999999999"),
)


def _answers() -> Iterator[Case]:
    for question in QUESTIONS:
        names = ["question", *question.columns(SCHEMA)]
        header = ",".join(names)
        given = [[*answer] for answer in ANSWERS[question.key]]
        if question.key in {"confidences", "values"}:
            given = [[answer] for answer in ANSWERS[question.key]]
        lines = [[str(number), *answer] for number, answer in enumerate(given, start=1)]

        def case(name: str, lines: list[list[str]], kind=question.key, header=header) -> Case:
            return Case(name, kind, {"answers": csv_text(lines, header).encode()})

        yield case("as it is", lines)
        yield case("reversed", lines[::-1])
        for number in ("", "0", "7", "x", "３", "-1", "2", "1234567890", "2.0"):
            yield case(f"question {number!r}", [*lines[:2], [number, *lines[2][1:]], *lines[3:]])
        yield case("one missing", lines[1:])
        yield case("six missing", [["7", *lines[0][1:]]])
        for at in range(1, len(names)):
            for cell in ANSWER_CELLS:
                changed = [[*line] for line in lines]
                changed[3][at] = cell
                yield case(f"{names[at]} {cell!r}", changed)
        yield case("another value twice", [*lines[:2], [*lines[2][:1], *lines[0][1:]], *lines[3:]])
        for name, text in broken_csv(lines, header):
            yield Case(name, question.key, {"answers": text.encode()})


def _chance() -> Iterator[Case]:
    """Tables in which several things at random places are changed."""
    rng = random.Random(17)
    letters = ["\n", "\r\n", ",", '"', ";", "\t", " ", "\0", "９", "-", ".", "x", "", "é", "\r"]
    for number in range(150):
        text = GOOD if number % 2 else csv_text(records(), end="\r\n")
        for _ in range(rng.randint(1, 3)):
            at = rng.randrange(len(text))
            text = text[:at] + rng.choice(letters) + text[at + rng.randint(0, 2) :]
        encoding = rng.choice(("utf-8", "utf-8", "cp932", "latin-1"))
        files = {"anonymized": text.encode(encoding, "ignore"), "rows": ROWS.encode()}
        yield Case(f"chance {number}", "submission", files)
        yield Case(f"chance {number}", "aligned", {"anonymized": files["anonymized"]})
