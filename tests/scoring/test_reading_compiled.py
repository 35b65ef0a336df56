# SPDX-License-Identifier: Apache-2.0
"""The compiled readers against the careful ones: the same arrays or the same problems, always."""

from __future__ import annotations

import random
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import scoring.kernels.csv as kernel  # loads numba: from here on, compiled code is always used
from scoring.errors import ProblemsFound
from scoring.tables import number_lists, ordinary_files, reading, validation
from scoring.tables.records import Records
from scoring.tables.schema import Column, Kind, Role, Schema
from tests.every import some

PLACES = ("", "北", "east, far", "metropolitan area", "12345678", "123456789", "12345679")
SCHEMA = Schema(
    (
        Column("id", Role.IDENTIFIER, Kind.CATEGORY),
        Column("place", Role.QUASI_IDENTIFIER, Kind.CATEGORY, values=PLACES),
        Column("food", Role.SENSITIVE, Kind.INTEGER, min=0, max=1000),
        Column("rate", Role.SENSITIVE, Kind.NUMBER),
        Column("note", Role.OTHER, Kind.CATEGORY),
        Column("sex", Role.QUASI_IDENTIFIER, Kind.CATEGORY, values=("m", "f")),
    )
)
ONE_CATEGORY = Schema((Column("a", Role.OTHER, Kind.CATEGORY, values=("", "x")),))
ONE_NUMBER = Schema((Column("n", Role.SENSITIVE, Kind.NUMBER, min=-5.5, max=10**15 - 1),))
SOME_DECIMALS = Schema(
    tuple(
        Column(f"{kind}{decimals}", Role.SENSITIVE, kind, decimals=decimals)
        for kind, decimals in ((Kind.NUMBER, 2), (Kind.NUMBER, 9), (Kind.INTEGER, 0))
    )
)
SCHEMAS = (SCHEMA, SCHEMA, SCHEMA, ONE_CATEGORY, ONE_NUMBER, SOME_DECIMALS)
SPLINTERS = [
    *(b'"', b'""', b"\r", b"\r\n", b"\n", b"\n\n", b",", b"\0", b"\xef\xbb\xbf", b"-", b"--", b"."),
    *(
        b"1e5",
        b"1.23456",
        b"1.2345",
        b"0",
        b"9" * 15,
        b"9" * 16,
        b"9" * 40,
        b"18446744073709551617",
        b".12345",
        b".5",
        b"5.",
        b"+1",
        b"-0",
        b"-0.0",
    ),
    *(b" ", b"\t", b"\x0b", b"\xff", b"\xe5", "１".encode(), "北".encode(), b"x" * 1001, b"nan"),
    *(b'"x"', b"#", b"000000000000000012", b"123456789012345.6789", b"-5.5001", b"1,000", b""),
]


def number(rng: random.Random, most_decimals: int = 4) -> str:
    digits = str(rng.randrange(10 ** rng.randrange(1, 16)))
    n_decimals = rng.choice((0, *range(most_decimals + 1)))
    decimals = f".{rng.randrange(10**n_decimals):0{n_decimals}d}" if n_decimals else ""
    return rng.choice(("-", "", "")) + digits + decimals


def cell(column: Column, rng: random.Random, *, original: bool) -> str:
    if column.name == "food":
        return str(rng.randrange(1000)) + ("" if original or rng.random() < 0.5 else ".25")
    if column.name == "n":
        return rng.choice(("-5.5", "-0", "0.0000", "007", "999999999999998.9999", "123456789.5"))
    if column.is_numeric:
        most = column.most_decimals(original=original)
        return number(rng, most + (rng.random() < 0.02))
    usual = column.values or (
        "a",
        "b b",
        "日本語の長い言葉",
        "z" * rng.randrange(1, 40),
        number(rng),
    )
    rare = column.values is None and rng.random() < 0.02
    text = rng.choice(('say "x"', "two\nlines") if rare else usual)
    if text == "" or set(text) & set('",\n') or rng.random() < 0.05:
        return '"' + text.replace('"', '""') + '"'
    return text


def good_file(columns: tuple[Column, ...], rng: random.Random, *, original: bool) -> bytes:
    lines = [",".join(column.name for column in columns)]
    for _ in range(rng.randrange(1, 12)):
        lines.append(",".join(cell(column, rng, original=original) for column in columns))
    end = rng.choice(("\n", "\n", "\r\n"))
    text = rng.choice(("", "", "\ufeff")) + end.join(lines) + rng.choice(("", end, end))
    return text.encode()


def damaged(data: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(data) + 1)
    kind = rng.randrange(4)
    if kind == 0:
        return data[:at] + rng.choice(SPLINTERS) + data[at:]
    if kind == 1:
        return data[:at] + bytes([rng.randrange(256)]) + data[at + 1 :]
    if kind == 2:
        return data[:at] + data[at + rng.randrange(1, 4) :]
    cells = data.split(b",")
    cells[rng.randrange(len(cells))] = rng.choice(SPLINTERS)
    return b",".join(cells)


def outcome(call: Any, *arguments: Any, **options: Any) -> Any:
    """Arrays with their types and bits, or problems."""
    try:
        return plain(call(*arguments, **options))
    except ProblemsFound as error:
        return error.problems, error.n_total


def plain(found: Any) -> Any:
    if isinstance(found, np.ndarray):
        assert found.flags.c_contiguous
        return str(found.dtype), found.tobytes()
    if isinstance(found, Records):
        columns = [plain(dict(part)) for part in (found.numbers, found.codes, found.levels)]
        return found.names, *columns
    if isinstance(found, dict):
        return {name: plain(value) for name, value in found.items()}
    if isinstance(found, tuple):
        return tuple(plain(value) for value in found)
    return found


def test_tables_and_problems_are_the_careful_readers():
    rng = random.Random(1)
    n_good = n_ordinary = n_bad = 0
    for _ in range(3_000):
        schema, original = rng.choice(SCHEMAS), rng.random() < 0.4
        columns = schema.columns if original and rng.random() < 0.5 else schema.public().columns
        data = good_file(columns, rng, original=original)
        for _ in range(rng.choice((0, 0, 1, 1, 2))):
            data = damaged(data, rng)
        limit = rng.choice((None, None, 3, 12))
        options: dict[str, Any] = {"file": "f", "original": original, "max_records": limit}
        expected = outcome(reading.read_carefully, data, schema, **options)
        assert outcome(reading.read_records, data, schema, **options) == expected, data
        is_good = len(expected) == 4
        n_good += is_good
        n_bad += not is_good
        del options["file"]
        found = reading._read_ordinary(data, schema, **options)
        n_ordinary += found is not None
        assert found is None or is_good
    assert min(n_good, n_bad) > 1_000
    assert n_ordinary > 0.8 * n_good


@pytest.mark.parametrize("n_files", some(1, [50, 150]))
def test_files_whose_cells_are_found_in_several_goes(n_files):
    rng = random.Random(8)
    n_ordinary = 0
    for _ in range(n_files):
        header, _, records = good_file(SCHEMA.public().columns, rng, original=False).partition(
            b"\n"
        )
        records = records.rstrip(b"\r\n") + (b"\r\n" if b"\r" in header else b"\n")
        data = header + b"\n" + records * (2 * kernel._N_ENDS // records.count(b","))
        if rng.random() < 0.5:
            data = damaged(data, rng)
        expected = outcome(reading.read_carefully, data, SCHEMA, file="f")
        assert outcome(reading.read_records, data, SCHEMA, file="f") == expected
        found = reading._read_ordinary(data, SCHEMA, original=False, max_records=None)
        n_ordinary += found is not None
    assert n_files / 3 < n_ordinary < n_files


@pytest.mark.parametrize("position", range(5))
def test_every_splinter_in_every_column(position):
    for splinter in SPLINTERS:
        cells = [b"12345678", b"1", b"1", b"a", b"m"]
        cells[position] = splinter
        for end in (b"\n", b"\r\n", b""):
            data = b"place,food,rate,note,sex\n" + b",".join(cells) + end
            expected = outcome(reading.read_carefully, data, SCHEMA, file="f")
            assert outcome(reading.read_records, data, SCHEMA, file="f") == expected, data


def test_every_splinter_among_row_numbers():
    for splinter in SPLINTERS:
        options: dict[str, Any] = {"n_original": 3, "n_records": 3}
        for data in (b"2\n" + splinter + b"\n3\n", b"row\n2\n3\n" + splinter):
            expected = outcome(number_lists.read_carefully, data, low=1, file="rows", **options)
            assert outcome(number_lists.read_rows, data, **options) == expected, data
            expected = outcome(number_lists.read_carefully, data, low=0, file="guess", **options)
            assert outcome(number_lists.read_guess, data, **options) == expected, data


def test_row_and_guess_files_are_the_careful_readers():
    rng = random.Random(2)
    n_ordinary = 0
    for _ in range(3_000):
        n_original, n = rng.randrange(1, 9), rng.randrange(1, 9)
        numbers = [str(rng.randrange(rng.choice((0, 1)), n_original + 1)) for _ in range(n)]
        if rng.random() < 0.5:
            numbers = [str(row) for row in rng.sample(range(1, n_original + 1), min(n, n_original))]
        numbers = ["" if rng.random() < 0.03 else number for number in numbers]
        end = rng.choice(("\n", "\r\n"))
        text = rng.choice(("", "row" + end)) + end.join(numbers) + rng.choice(("", end))
        data = (rng.choice(("", "", "\ufeff")) + text).encode()
        if rng.random() < 0.5:
            data = damaged(data, rng)
        n_records = rng.choice((len(numbers), len(numbers), n))
        for n_rows in (n_records, None):
            options: dict[str, Any] = {"n_original": n_original, "n_records": n_rows}
            expected = outcome(number_lists.read_carefully, data, low=1, file="rows", **options)
            assert outcome(number_lists.read_rows, data, **options) == expected, data
            n_ordinary += expected[0] == "int64"
        options["n_records"] = n_records
        expected = outcome(number_lists.read_carefully, data, low=0, file="guess", **options)
        assert outcome(number_lists.read_guess, data, **options) == expected, data
    assert n_ordinary > 1_000


def test_originals_of_unknown_size_may_have_any_row():
    options: dict[str, Any] = {"n_original": sys.maxsize, "n_records": None}
    for data in (b"999999999999999\n1\n", b"5\n5\n", b"0\n"):
        expected = outcome(number_lists.read_carefully, data, low=1, file="rows", **options)
        assert outcome(number_lists.read_rows, data, **options) == expected


def test_submissions_in_one_file_are_read_as_if_parted(monkeypatch):
    rng = random.Random(3)
    cases = []
    for _ in range(800):
        row = Column("source_row", Role.OTHER, Kind.INTEGER, min=1, max=3)
        columns = list(SCHEMA.public().columns)
        columns.insert(rng.randrange(len(columns) + 1), row)
        n_original = rng.randrange(1, 14)
        lines = [",".join(column.name for column in columns)]
        for position in rng.sample(range(14), rng.randrange(1, min(n_original, 6) + 1)):
            cells = [cell(column, rng, original=False) for column in columns]
            cells[columns.index(row)] = str(min(position + 1, n_original + rng.randrange(2)))
            lines.append(",".join(cells))
        data = "\n".join(lines).encode()
        cases.append((damaged(data, rng) if rng.random() < 0.3 else data, n_original))

    def outcomes() -> list[Any]:
        read = validation.read_submitted_records
        return [outcome(read, data, None, n_original=n, schema=SCHEMA) for data, n in cases]

    found = outcomes()
    read = reading.read_ordinary_file
    n_ordinary = sum(read(data, SCHEMA, n_original=n) is not None for data, n in cases)
    n_good = sum(isinstance(first, tuple) and len(first) == 4 for first, _ in found)
    assert 0.8 * n_good < n_ordinary <= n_good
    assert min(n_ordinary, len(cases) - n_good) > 100
    monkeypatch.setattr(ordinary_files, "pays", lambda n_bytes: False)
    assert outcomes() == found


GOOD = 'place,food,rate,note,sex\n北,10,0.5,a,m\n"east, far",20.25,-3,日本語,f\n,0,-0,=1+1,f\n'


@pytest.fixture
def _no_careful_reader(monkeypatch):
    def fail(*arguments: Any, **options: Any) -> None:
        raise AssertionError("read carefully")

    monkeypatch.setattr(reading, "read_carefully", fail)
    monkeypatch.setattr(reading, "split_source_row", fail)
    monkeypatch.setattr(validation, "split_source_row", fail)
    monkeypatch.setattr(number_lists, "read_carefully", fail)


@pytest.mark.usefixtures("_no_careful_reader")
def test_ordinary_files_need_no_careful_reader():
    for text in (
        GOOD,
        GOOD.replace("\n", "\r\n"),
        GOOD.removesuffix("\n"),
        "\ufeff" + GOOD,
        GOOD.replace("10", '"10"').replace("a,m", '"a","m"').replace("place", '"place"', 1),
        GOOD.replace("a,m", "x" * 1000 + ",m"),
        GOOD + "".join(f"北,1,{i}.5,note {i},m\n" for i in range(20_000)),
    ):
        table = reading.read_records(text.encode(), SCHEMA, file="anonymized")
        assert table.levels["place"] == PLACES
        assert len(table) == len(text.splitlines()) - 1
    original = "id," + GOOD.replace("\n", "\np,").replace("20.25", "20").removesuffix("p,")
    table = reading.read_records(original.encode(), SCHEMA, file="original", original=True)
    assert table.numbers["food"].dtype == np.int64
    rows, guess = b"row\r\n3\r\n1\r\n2", b"3\n\n0\n"
    assert number_lists.read_rows(rows, n_original=3, n_records=3).tolist() == [2, 0, 1]
    assert number_lists.read_guess(guess, n_original=3, n_records=3).tolist() == [2, -1, -1]
    for files in (
        (GOOD.encode(), rows),
        (GOOD.replace(",sex", ",sex,source_row").replace("m\n", "m,3\n").replace("f\n", "f,1\n", 1)
         .replace("f\n", "f,2\n").encode(), None),
    ):  # fmt: skip
        table, source = validation.read_submitted_records(*files, n_original=3, schema=SCHEMA)
        assert source.tolist() == [2, 0, 1]
        assert table.names == SCHEMA.public().names


def test_numbers_are_those_of_float_to_the_last_bit():
    rng = random.Random(4)
    cells = [number(rng) for _ in range(30_000)]
    # Above 2^49 sixteenths are where two doubles are equally near.
    for _ in range(30_000):
        whole, decimals = rng.randrange(9 * 10**11, 10**15), rng.randrange(16) * 625
        cells.append(f"{whole}.{(decimals + rng.choice((0, 0, 1, -1))) % 10_000:04d}")
    cells += [
        f"{2**power + step}.{d}" for power in range(49) for step in (0, -1) for d in (0, 5, 9999)
    ]
    finer = [number(rng, 9) for _ in range(30_000)]
    # Ties between two doubles lie at 53 - 9 bits and more before the point.
    finer += [
        f"{rng.randrange(2**23, 2**30)}.{rng.randrange(2**9) * 5**9:09d}" for _ in range(9_999)
    ]
    for texts, decimals in ((cells, None), (finer, 9)):
        column = Schema((Column("n", Role.SENSITIVE, Kind.NUMBER, decimals=decimals),))
        data = "\n".join(["n", *texts]).encode()
        found = reading._read_ordinary(data, column, original=False, max_records=None)
        assert found is not None
        expected = np.array([float(text) for text in texts]) + 0
        assert found.numbers["n"].tobytes() == expected.tobytes()


def test_the_table_of_values_grows_and_distinguishes_columns():
    rng = np.random.default_rng(5)
    schema = Schema(tuple(Column(name, Role.OTHER, Kind.CATEGORY) for name in ("a", "b", "c")))
    values = [f"{prefix}{i}" for prefix in ("", "longer than one word ") for i in range(8_000)]
    table = rng.choice(values, size=(20_000, 3))
    data = ("a,b,c\n" + "\n".join(map(",".join, table.tolist()))).encode()
    found = reading._read_ordinary(data, schema, original=False, max_records=None)
    assert found is not None
    for column, cells in zip("abc", table.T.tolist(), strict=True):
        assert found.levels[column] == tuple(dict.fromkeys(cells))
        assert [found.levels[column][code] for code in found.codes[column].tolist()] == cells


def test_long_values_of_one_key_are_distinguished():
    rng = np.random.default_rng(6)
    first = rng.integers(97, 123, (200_000, 8), dtype=np.uint8)
    words = first.view(np.uint64)[:, 0]
    mixed = (words ^ (words >> kernel._FOLD)) * kernel._MULTIPLIER
    # A second word that makes the keys those of the first value; a few of them are plain ASCII.
    second = (mixed ^ mixed[0] ^ words[0])[:, None].view(np.uint8)
    plain_ones = np.flatnonzero(((second > 44) & (second < 127)).all(axis=1))[:5]
    assert len(plain_ones) > 1
    values = [bytes(first[i]) + bytes(second[i]) + b"the end." for i in plain_ones]
    assert len({kernel._keys(np.frombuffer(v, np.uint8), 0, len(v)) for v in values}) == 1
    schema = Schema((Column("a", Role.OTHER, Kind.CATEGORY),))
    data = b"a\n" + b"\n".join(values * 2)
    found = reading._read_ordinary(data, schema, original=False, max_records=None)
    assert found is not None
    assert found.levels["a"] == tuple(value.decode() for value in values)


def test_the_keys_of_a_cell_do_not_depend_on_its_place():
    rng = np.random.default_rng(7)
    data = rng.integers(32, 127, 64, dtype=np.uint8)
    for length in range(1, 30):
        cell = data[20 : 20 + length]
        keys = kernel._keys(cell.copy(), 0, length)
        assert kernel._keys(data, 20, length) == keys
        if length <= kernel.SHORT:
            assert kernel._short_keys(data, 20, length) == keys


@pytest.mark.long
def test_values_chosen_to_collide_are_left_to_the_careful_reader():
    n_slots = 2 * ordinary_files._FIRST_N_LEVELS
    colliding: list[str] = []
    for i in range(10**6, 10**8):
        text = str(i)
        key = np.uint64(int.from_bytes(text.encode(), "little"))
        if kernel._slot(key, 0, n_slots) == 0:
            colliding.append(text)
        if len(colliding) > kernel.MAX_STEPS:
            break
    schema = Schema((Column("a", Role.OTHER, Kind.CATEGORY),))
    options: dict[str, Any] = {"original": False, "max_records": None}
    few = ("a\n" + "\n".join(colliding[:-1])).encode()
    assert reading._read_ordinary(few, schema, **options) is not None
    data = ("a\n" + "\n".join(colliding)).encode()
    assert reading._read_ordinary(data, schema, **options) is None
    assert reading.read_records(data, schema, file="f").levels["a"] == tuple(colliding)


def test_small_files_do_not_load_compiled_code():
    program = """
import sys
from scoring.tables.schema import Column, Kind, Role, Schema
from tests.every import some
from scoring.tables.reading import read_rows, read_table, write_rows, write_table
from tests.every import some
schema = Schema((Column("a", Role.OTHER, Kind.CATEGORY),))
table = read_table(b"a\\nx\\n", schema, file="f")
assert write_table(table, schema) == b"a\\nx\\n"
assert write_rows(read_rows(b"1\\n", n_original=1, n_records=1)) == b"row\\n1\\n"
assert "numba" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", program], check=True)
