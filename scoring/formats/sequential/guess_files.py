"""Files of guessed sensitive values: `id,value`, one line for each person who is guessed."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from scoring.errors import Collector, ProblemsFound, shorten
from scoring.tables.reading import read_records
from scoring.tables.records import Records
from scoring.tables.schema import Column, Kind, Role, Schema
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
    try:
        table = read_records(data, schema, file=file, original=True)
    except ProblemsFound as error:
        raise _naming(error, values) from None
    known, first = frozenset(ids), dict[str, int]()
    problems = Collector()
    guess = {}
    names, said = table.levels[ID], table.levels[VALUE]
    for row, (id_code, code) in enumerate(
        zip(table.codes[ID].tolist(), table.codes[VALUE].tolist(), strict=True), start=1
    ):
        id_ = names[id_code]
        where: dict[str, Any] = {"file": file, "row": row, "column": ID, "got": shorten(id_)}
        if id_ not in known:
            problems.add("value_guess.unknown_id", **where)
        elif id_ in first:
            problems.add("value_guess.repeated_id", **where, first=first[id_])
        elif said[code]:
            guess[id_] = said[code]
        first.setdefault(id_, row)
    problems.raise_if_any()
    return guess


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
