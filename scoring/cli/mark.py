# SPDX-License-Identifier: Apache-2.0
"""The command `mark`: the hit rate of a guess file."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from scoring.cli.arguments import Parser
from scoring.cli.output import Output, UsageError, read_file
from scoring.errors import Problem, ProblemsFound

if TYPE_CHECKING:
    from scoring.scores.results import Mark

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


def run(arguments: Namespace, output: Output) -> None:
    """Compare the guess file with the truth, and print the rate."""
    marked = _mark_candidates(arguments) if arguments.key else _mark_rows(arguments, output)
    values = {"n_records": marked.n_records, "hits": marked.hits, "rate": marked.rate}
    rate = f"re-identification rate {marked.rate:,.6f}"
    output.result(values, f"{marked.hits} of {marked.n_records} records hit, {rate}")


def _mark_rows(arguments: Namespace, output: Output) -> Mark:
    """The result of guessed rows of the original."""
    from scoring.scores.results import mark
    from scoring.tables.number_lists import read_guess, read_rows

    if arguments.candidates is not None:
        raise UsageError("--candidates: row numbers name records of the --original")
    n_original = ANY_ROW
    if arguments.original is not None:
        output.step("counting the original's records")
        n_original = _count_records(read_file(arguments.original), "original")
    source = read_rows(read_file(arguments.rows), n_original=n_original, n_records=None)
    guess = read_guess(read_file(arguments.guess), n_original=n_original, n_records=len(source))
    return mark(source, guess)


def _mark_candidates(arguments: Namespace) -> Mark:
    """The result of guessed lines of a candidate table."""
    from scoring.formats.lecture.marking import mark_kept
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
    return mark_kept(key, guess)


def _count_records(data: bytes, file: str) -> int:
    from scoring.tables.text import decode, read_header, records

    rows = records(decode(data, file=file), file=file)
    read_header(rows, file=file)
    return sum(1 for _ in rows)
