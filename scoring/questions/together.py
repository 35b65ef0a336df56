# SPDX-License-Identifier: Apache-2.0
"""One answer file for all targets: split into one for each."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from scoring.errors import Collector, shorten
from scoring.questions.asked import NUMBER, QuestionSpec
from scoring.tables.schema import Schema
from scoring.tables.text import decode, numbered_lines, read_header, records

TARGET = "target"
"""The column that names the target of a line."""


def split_by_target(
    data: bytes,
    question: QuestionSpec,
    schema: Schema,
    targets: Sequence[str],
    *,
    file: str = "answers",
) -> dict[str, bytes]:
    """The answer files of a file for several targets, by target; the cells themselves are read later.

    Parameters
    ----------
    data : bytes
        CSV in one of two forms. With the column `target` first, followed by those of an answer file: a line for each
        question of each target. Or, where an answer is a single cell, with the column `question` first and a column for
        each target, named like it: a line for each question, a cell left empty where a target has no such question.
    targets : sequence of str
        The short names of the targets; the file may leave out some.

    Raises
    ------
    ProblemsFound
        Where the header is neither, a column or a line names no target, or a line has another number of cells.

    Examples
    --------
    >>> from scoring.examples import SCHEMA
    >>> question = QuestionSpec("m", "membership", "bits", "hits")
    >>> split_by_target(b"question,red,blue\\n1,0,1\\n2,1,\\n", question, SCHEMA, ["red", "blue"])
    {'red': b'question,member\\n1,0\\n2,1\\n', 'blue': b'question,member\\n1,1\\n'}
    >>> split_by_target(b"target,question,member\\nred,1,0\\n", question, SCHEMA, ["red", "blue"])
    {'red': b'question,member\\n1,0\\n'}
    """
    problems = Collector()
    names = (NUMBER, *question.columns(schema))
    rows = records(decode(data, file=file), file=file)
    header = read_header(rows, file=file)
    is_long = header == [TARGET, *names]
    if not is_long:
        if len(names) > 2 or header[0] != NUMBER:
            expected = ", ".join((TARGET, *names))
            problems.add(
                "answer.header", file=file, expected=expected, got=shorten(", ".join(header))
            )
            problems.raise_if_any()
        for name in header[1:]:
            if name not in targets:
                problems.add(
                    "answer.no_target", file=file, expected=", ".join(targets), got=shorten(name)
                )
    found: dict[str, list[list[str]]] = {}
    for row, cells in numbered_lines(rows, len(header), file, problems):
        if not is_long:
            for target, cell in zip(header[1:], cells[1:], strict=True):
                if cell:
                    found.setdefault(target, []).append([cells[0], cell])
        elif cells[0] in targets:
            found.setdefault(cells[0], []).append(cells[1:])
        else:
            expected, got = ", ".join(targets), shorten(cells[0])
            problems.add("answer.no_target", file=file, row=row, expected=expected, got=got)
    if not found and not problems:
        problems.add("file.header_only", file=file)
    problems.raise_if_any()
    return {target: _written((list(names), *lines)) for target, lines in found.items()}


def _written(lines: Sequence[list[str]]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(lines)
    return text.getvalue().encode()
