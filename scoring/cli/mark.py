# SPDX-License-Identifier: Apache-2.0
"""The command `mark`: the hit rate of a guess file."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from scoring.cli.arguments import Parser, add_schema
from scoring.cli.output import Output, UsageError, read_file
from scoring.errors import Problem, ProblemsFound
from scoring.scores.options import DECIMALS, DECLARED, TRUTHS

if TYPE_CHECKING:
    from scoring.scores.content import Contents
    from scoring.tables.equivalence import IntArray

ANY_ROW = 10**18 - 1
"""The number of original records where the original is not at hand: any row number will do."""


def add_arguments(command: Parser) -> None:
    truth = command.add_mutually_exclusive_group(required=True)
    truth.add_argument("--rows", metavar="R.csv", help="the declared row numbers")
    truth.add_argument(
        "--key", metavar="K.csv", help="or the key of a lecture contest's release: candidate lines"
    )
    command.add_argument("--guess", required=True, metavar="G.csv", help="the guesses")
    command.add_argument(
        "--original", metavar="X.csv", help="the original table, to check row numbers against"
    )
    command.add_argument(
        "--candidates", metavar="C.csv", help="the candidate table, to check a key's lines against"
    )
    command.add_argument(
        "--truth",
        choices=TRUTHS,
        default=DECLARED,
        help="a right guess names the declared record (the default), one that the line shows by its content, or either",
    )
    command.add_argument(
        "--released",
        metavar="Y.csv",
        help="the published table, whose lines are compared with the original or the candidates",
    )
    add_schema(command)


def run(arguments: Namespace, output: Output) -> None:
    """Compare the guess file with the truth, and print the rate."""
    from scoring.scores.results import linked

    source, guess = _candidates(arguments) if arguments.key else _rows(arguments, output)
    contents = _contents(arguments, len(source), output) if arguments.truth != DECLARED else None
    found, n_records = linked(source, guess, contents, arguments.truth), int((source >= 0).sum())
    hits = int(found.right.sum())
    values = {"n_records": n_records, "hits": hits, "rate": round(hits / n_records, DECIMALS)}
    text = f"{hits} of {n_records} records hit, re-identification rate {values['rate']:,.6f}"
    if contents is not None:
        rates = found.rates(n_records)
        values |= rates
        text += f" (declared {rates['declared']:,.6f}, by content {rates['content']:,.6f})"
    output.result(values, text)


def _contents(arguments: Namespace, n_lines: int, output: Output) -> Contents:
    """The records that the lines of the published table show."""
    import numpy as np

    from scoring.cli.input import read_schema
    from scoring.scores.content import contents
    from scoring.tables.aligned import read_release
    from scoring.tables.reading import read_table

    known = arguments.candidates if arguments.key else arguments.original
    needed = {
        "--released": arguments.released,
        "--candidates" if arguments.key else "--original": known,
    }
    if missing := [name for name, given in needed.items() if given is None]:
        raise UsageError(f"--truth {arguments.truth}: expected {' and '.join(missing)}")
    schema = read_schema(arguments).public()
    output.step("comparing the published lines")
    records, lines, n_released = read_release(read_file(arguments.released), schema=schema)
    if n_released != n_lines:
        raise UsageError(f"--released: expected {n_lines} lines, got {n_released}")
    choices = read_table(read_file(known), schema, file="original", original=True)
    positions = np.full(n_lines, -1, dtype=np.int64)
    positions[lines] = np.arange(len(lines))
    return contents(records, choices, schema).at(positions)


def _rows(arguments: Namespace, output: Output) -> tuple[IntArray, IntArray]:
    """The declared and the guessed rows of the original."""
    from scoring.tables.number_lists import read_guess, read_rows

    if arguments.candidates is not None:
        raise UsageError("--candidates: row numbers name records of the --original")
    n_original = ANY_ROW
    if arguments.original is not None:
        output.step("counting the original's records")
        n_original = _count_records(read_file(arguments.original), "original")
    source = read_rows(read_file(arguments.rows), n_original=n_original, n_records=None)
    guess = read_guess(read_file(arguments.guess), n_original=n_original, n_records=len(source))
    return source, guess


def _candidates(arguments: Namespace) -> tuple[IntArray, IntArray]:
    """A key, and guessed lines of the candidate table."""
    from scoring.tables.number_lists import read_candidate_guess

    if arguments.original is not None:
        raise UsageError("--original: a key names lines of the --candidates")
    n_candidates = ANY_ROW
    if arguments.candidates is not None:
        n_candidates = _count_records(read_file(arguments.candidates), "candidates")
    data = read_file(arguments.key)
    n_lines = max(1, len(data.splitlines()))
    key = read_candidate_guess(data, n_candidates=n_candidates, n_lines=n_lines, file="key")
    if (key < 0).all():
        raise ProblemsFound([Problem("aligned.all_deleted", {}, "key")])
    guess = read_candidate_guess(
        read_file(arguments.guess), n_candidates=n_candidates, n_lines=n_lines
    )
    return key, guess


def _count_records(data: bytes, file: str) -> int:
    from scoring.tables.text import decode, read_header, records

    rows = records(decode(data, file=file), file=file)
    read_header(rows, file=file)
    return sum(1 for _ in rows)
