"""Guesses of candidates: which line of a candidate table each line of a release belongs to."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from scoring.errors import Problem, ProblemsFound
from scoring.tables.equivalence import IntArray
from scoring.tables.row_numbers import read_guess


def read_candidate_guess(
    data: bytes, *, n_candidates: int, n_lines: int, file: str = "guess"
) -> IntArray:
    """The guesses of a file without a header.

    Parameters
    ----------
    data : bytes
        One 1-based line of the candidate table a line, 0 or nothing for no guess; repeats are
        allowed, and so is a first line `row`. The final line feed starts no line.
    n_candidates, n_lines : int
        How many lines the candidate table and the attacked table have.
    file : str
        What problems call the file.

    Returns
    -------
    int64 array, shape (n_lines,)
        0-based, -1 for no guess.

    Raises
    ------
    ProblemsFound
        All problems, in file order.

    Examples
    --------
    >>> read_candidate_guess(b"3\\n\\n0\\n1\\n", n_candidates=3, n_lines=4)
    array([ 2, -1, -1,  0])
    """
    try:
        return read_guess(data, n_original=n_candidates, n_records=n_lines, file=file)
    except ProblemsFound as error:
        raise ProblemsFound(map(_of_candidates, error.problems), error.n_total) from None


def write_candidate_guess(guess: IntArray) -> bytes:
    """The file of guesses, without a header; -1, no guess, is written 0.

    Examples
    --------
    >>> write_candidate_guess(np.array([2, -1]))
    b'3\\n0\\n'
    """
    return "".join(f"{line}\n" for line in (np.asarray(guess) + 1).tolist()).encode()


def _of_candidates(problem: Problem) -> Problem:
    """The same in the words of candidates."""
    family, _, rest = problem.code.partition(".")
    return replace(problem, code=f"candidate.{rest}") if family == "row_number" else problem
