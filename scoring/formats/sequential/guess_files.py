# SPDX-License-Identifier: Apache-2.0
"""Files of guessed sensitive values: `id,value`, one line for each person who is guessed."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from scoring.errors import Collector, ProblemsFound, shorten
from scoring.tables.published_rules import Rules
from scoring.tables.reading import read_records
from scoring.tables.records import Records
from scoring.tables.schema import Column, Kind, Role, Schema
from scoring.tables.text import decode, records
from scoring.tables.writing import write_table

ID, VALUE = "id", "value"
_ID = Column(ID, Role.OTHER, Kind.CATEGORY)


def read_value_guess(
    data: bytes, ids: Collection[str], values: Sequence[str], *, file: str = "guess"
) -> dict[str, str]:
    """The guessed value of each person who is guessed.

    Parameters
    ----------
    data : bytes
        CSV with the columns `id` and `value`. A person without a line, or with an empty value, is not guessed.
    ids : collection of str
        All people of the tables.
    values : sequence of str
        The sensitive values.
    file : str
        What problems call the file.

    Returns
    -------
    dict
        Id to value, in the order of the file.

    Raises
    ------
    ProblemsFound
        Where the file cannot be read, nobody has an id, one occurs twice, or a value is unknown.

    Examples
    --------
    >>> data = b"id,value\\nBob,flu\\nAlice,\\n"
    >>> read_value_guess(data, {"Alice", "Bob", "David"}, ("flu", "gastritis"))
    {'Bob': 'flu'}
    """
    schema = Schema(
        (_ID, Column(VALUE, Role.OTHER, Kind.CATEGORY, values=(*dict.fromkeys(values), "")))
    )
    known = frozenset(ids)
    try:
        table = read_records(data, schema, file=file, original=True)
    except ProblemsFound as error:
        of_ids = _wrong_ids(_readable_ids(data, file), known, file)
        raise _merged(_naming(error, values), of_ids) from None
    names, said = table.values(ID).tolist(), table.values(VALUE).tolist()
    _wrong_ids(enumerate(names, start=1), known, file).raise_if_any()
    return {id_: value for id_, value in zip(names, said, strict=True) if value}


def value_rules(values: Sequence[str] | None) -> Rules:
    """The rules of a guess as JSON, but for who has an id; see `read_value_guess` and `scoring.tables.published_rules`.

    Examples
    --------
    >>> value_rules(["flu"])["columns"]
    [{'name': 'id'}, {'name': 'value', 'values': ['flu'], 'empty': True}]
    """
    known: Rules = {} if values is None else {"values": [*values]}
    columns = [{"name": ID}, {"name": VALUE, **known, "empty": True}]
    distinct = {"column": ID, "code": "value_guess.repeated_id"}
    return {"kind": "table", "columns": columns, "least": 1, "most": None, "distinct": distinct}


def _wrong_ids(lines: Iterable[tuple[int, str]], known: Collection[str], file: str) -> Collector:
    """The ids that nobody has, and those that occur before."""
    problems, first = Collector(), dict[str, int]()
    for row, id_ in lines:
        where: dict[str, Any] = {"file": file, "row": row, "column": ID, "got": shorten(id_)}
        if id_ not in known:
            problems.add("value_guess.unknown_id", **where)
        elif id_ in first:
            problems.add("value_guess.repeated_id", **where, first=first[id_])
        first.setdefault(id_, row)
    return problems


def _readable_ids(data: bytes, file: str) -> Iterator[tuple[int, str]]:
    """The lines of a file with other problems, as far as it can be read: their numbers and ids."""
    try:
        lines = records(decode(data, file=file), file=file)
        if next(lines, None) == [ID, VALUE]:
            yield from ((row, line[0]) for row, line in enumerate(lines, 1) if line and line[0])
    except ProblemsFound:
        return


def _merged(error: ProblemsFound, more: Collector) -> ProblemsFound:
    """All problems, in file order."""
    found = sorted([*error.problems, *more.problems], key=lambda problem: problem.row or math.inf)
    return ProblemsFound(found, error.n_total + more.n_total)


def _naming(error: ProblemsFound, values: Sequence[str]) -> ProblemsFound:
    """The same, without the empty value among those that are expected."""
    expected = shorten(", ".join(values))
    problems = [
        replace(problem, params={**problem.params, "expected": expected})
        if problem.code == "cell.not_in_values"
        else problem
        for problem in error.problems
    ]
    return ProblemsFound(problems, error.n_total)


def write_value_guess(guess: Mapping[str, str]) -> bytes:
    """The file of a guess, in its order.

    Examples
    --------
    >>> write_value_guess({"Bob": "flu"})
    b'id,value\\nBob,flu\\n'
    """
    columns = {ID: list(guess), VALUE: list(guess.values())}
    schema = Schema((_ID, Column(VALUE, Role.OTHER, Kind.CATEGORY)))
    return write_table(Records.of_texts(columns), schema)
