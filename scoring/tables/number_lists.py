# SPDX-License-Identifier: Apache-2.0
"""Files of one number per line, row numbers and guesses: read strictly with every problem named, and written."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from scoring.errors import Collector, Problem, ProblemsFound, shorten
from scoring.tables import ordinary_files
from scoring.tables.equivalence import IntArray
from scoring.tables.notes import add_note
from scoring.tables.text import decode, plain_digits
from scoring.tables.writing import format_lines, number_cells

ROW_HEADER = "row"
_N_ROW_BYTES = 7  # of a usual line
_HEADER = ROW_HEADER.encode()

_ROW_NUMBER = re.compile(r"[0-9]{1,18}")
_WORD = re.compile(r"[^\W\d]")
_SIGNED = re.compile(r"-?[0-9]+")


def read_rows(
    data: bytes, *, n_original: int, n_records: int | None, file: str = "rows"
) -> IntArray:
    """The declared rows of a row-number file.

    Parameters
    ----------
    data : bytes
        One 1-based row number a line; a first line `row` is a header, and the final line feed
        starts no line.
    n_original : int
        How many records the original table has.
    n_records : int or None
        How many row numbers there must be; None leaves it open.
    file : str
        What problems call the file.

    Returns
    -------
    int64 array
        0-based, distinct.

    Raises
    ------
    ProblemsFound
        All problems, in file order.

    Examples
    --------
    >>> read_rows(b"row\\n3\\n1\\n", n_original=3, n_records=2)
    array([2, 0])
    """
    return _read(data, low=1, n_original=n_original, n_records=n_records, file=file)


def read_guess(data: bytes, *, n_original: int, n_records: int, file: str = "guess") -> IntArray:
    """The guesses of a guess file.

    Parameters
    ----------
    data : bytes
        One 1-based row number a line, 0 or nothing for no guess; repeats are allowed. A first
        line `row` is a header, and the final line feed starts no line.
    n_original, n_records : int
        How many records the original and the attacked table have.
    file : str
        What problems call the file.

    Returns
    -------
    int64 array, shape (n_records,)
        0-based, -1 for no guess.

    Raises
    ------
    ProblemsFound
        All problems, in file order.

    Examples
    --------
    >>> read_guess(b"3\\n\\n0\\n3\\n", n_original=3, n_records=4)
    array([ 2, -1, -1,  2])
    """
    return _read(data, low=0, n_original=n_original, n_records=n_records, file=file)


def read_candidate_guess(
    data: bytes, *, n_candidates: int, n_lines: int, file: str = "guess"
) -> IntArray:
    """As `read_guess`, of lines of a candidate table, whose words problems use.

    Examples
    --------
    >>> read_candidate_guess(b"3\\n\\n0\\n1\\n", n_candidates=3, n_lines=4)
    array([ 2, -1, -1,  0])
    """
    try:
        return read_guess(data, n_original=n_candidates, n_records=n_lines, file=file)
    except ProblemsFound as error:
        raise ProblemsFound(map(_of_candidates, error.problems), error.n_total) from None


def _of_candidates(problem: Problem) -> Problem:
    """The same in the words of candidates."""
    family, _, rest = problem.code.partition(".")
    return replace(problem, code=f"candidate.{rest}") if family == "row_number" else problem


def _read(data: bytes, *, low: int, n_original: int, n_records: int | None, file: str) -> IntArray:
    if ordinary_files.pays(len(data)):
        rows = ordinary_files.read_rows(data, _HEADER, low=low, high=n_original, n_rows=n_records)
        if rows is not None and (low == 0 or ordinary_files.are_distinct(rows, n_original)):
            return rows
    return read_carefully(data, low=low, n_original=n_original, n_records=n_records, file=file)


def read_carefully(
    data: bytes, *, low: int, n_original: int, n_records: int | None, file: str
) -> IntArray:
    """As `read_rows` where `low` is 1 and `read_guess` where it is 0, line by line.

    It is slow, but able to say everything that is wrong.
    """
    lines, problems = _split_lines(data, file, n_records, n_original)
    if low == 0:
        lines = [line or "0" for line in lines]
    numbers = _quick_numbers(lines, low, n_original)
    if numbers is not None and (low == 0 or len(np.unique(numbers)) == len(numbers)):
        problems.raise_if_any()
        return numbers - 1
    first_seen: dict[int, int] = {}
    for row, line in enumerate(lines, start=1):
        number = _row_number(line, row, low, n_original, file, problems)
        if low and number and (first := first_seen.setdefault(number, row)) != row:
            problems.add("row_number.repeated", file=file, row=row, got=number, first=first)
    raise ProblemsFound(problems.problems, problems.n_total)


def _split_lines(
    data: bytes, file: str, n_records: int | None, n_original: int
) -> tuple[list[str], Collector]:
    """The lines after the header, no more than could be wanted, and what is wrong with their number."""
    text = _plain(decode(data, file=file), file)
    problems = Collector()
    header, _, rest = text.partition("\n")
    if header == ROW_HEADER:
        text = rest
    elif _WORD.match(header):
        problems.add("row_number.header", file=file, got=shorten(header))
        text = rest
    if not text:
        problems.add("file.no_rows", file=file)
        problems.raise_if_any()
    text = text.removesuffix("\n")
    n_lines = text.count("\n") + 1
    if n_records is not None and n_lines != n_records:
        problems.add("row_number.count", file=file, expected=n_records, got=n_lines)
    elif n_records is None and n_lines > n_original:
        problems.add("file.too_many_records", file=file, expected=n_original)
    n_wanted = n_original if n_records is None else n_records
    return text.split("\n", n_wanted)[:n_wanted], problems


def _plain(text: str, file: str) -> str:
    """The text with ASCII digits for full-width ones, and a note if there were any."""
    plain = plain_digits(text)
    if plain != text:
        at = next(at for at, (c, digit) in enumerate(zip(text, plain, strict=True)) if c != digit)
        add_note("note.full_width", file=file, got=shorten(text[at:].partition("\n")[0]))
    return plain


def _quick_numbers(lines: Sequence[str], low: int, high: int) -> IntArray | None:
    """All lines as numbers; None where one is none or lies outside."""
    if not all(map(_ROW_NUMBER.fullmatch, lines)):
        return None
    numbers = np.array(list(map(int, lines)), dtype=np.int64)
    return numbers if numbers.min() >= low and numbers.max() <= high else None


def _row_number(
    line: str, row: int, low: int, high: int, file: str, problems: Collector
) -> int | None:
    if not line:
        problems.add("row_number.empty_line", file=file, row=row)
        return None
    if not _SIGNED.fullmatch(line):
        problems.add("row_number.not_an_integer", file=file, row=row, got=shorten(line))
        return None
    is_negative = line.startswith("-")
    if len(line) <= 18 and low <= (number := int(line)) <= high and not is_negative:
        return number
    if not line.strip("-0"):
        if low:
            problems.add("row_number.zero", file=file, row=row, expected=high)
        else:  # no plain 0
            problems.add("row_number.not_an_integer", file=file, row=row, got=shorten(line))
        return None
    code = "row_number.negative" if is_negative else "row_number.too_large"
    problems.add(code, file=file, row=row, low=low, expected=high, got=shorten(line))
    return None


def write_rows(source: IntArray) -> bytes:
    """The row-number file of declared rows.

    Examples
    --------
    >>> write_rows(np.array([2, 0]))
    b'row\\n3\\n1\\n'
    """
    rows = np.asarray(source) + 1
    text = io.BytesIO(_HEADER + b"\n")
    text.seek(0, io.SEEK_END)
    if ordinary_files.pays(_N_ROW_BYTES * len(rows)) and format_lines([number_cells(rows)], text):
        return text.getvalue()
    return text.getvalue() + "".join(f"{row}\n" for row in rows.tolist()).encode()


def write_guess(guess: IntArray) -> bytes:
    """The guess file of guesses; -1, no guess, is written 0.

    Examples
    --------
    >>> write_guess(np.array([2, -1]))
    b'row\\n3\\n0\\n'
    """
    return write_rows(guess)


def write_candidate_guess(guess: IntArray) -> bytes:
    """The file of guesses, without a header; -1, no guess, is written 0.

    Examples
    --------
    >>> write_candidate_guess(np.array([2, -1]))
    b'3\\n0\\n'
    """
    return "".join(f"{line}\n" for line in (np.asarray(guess) + 1).tolist()).encode()
