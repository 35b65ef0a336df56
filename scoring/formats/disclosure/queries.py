# SPDX-License-Identifier: Apache-2.0
"""Questions to a hidden table: contingency tables over some columns of the records that pass a filter.

Each question has one canonical form, by whose text and digest it is known again: columns in the order of the
attributes, filter values in the order of the schema, and no filter that lets every value pass.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import product
from typing import Any

import numpy as np

from scoring.errors import Collector, shorten
from scoring.formats.disclosure.attributes import (
    COUNT,
    MAX_ANSWER_CELLS,
    Attribute,
    Codes,
    check_sizes,
    printable,
    repeated_column,
    unknown_column,
)
from scoring.privacy import sensitivity
from scoring.privacy.accounting import checked_decimal
from scoring.privacy.domains import Integers
from scoring.privacy.sampling import Randomness, noisy_counts

_KEYS = ("columns", "where")


@dataclass(frozen=True, slots=True)
class Query:
    """A question in canonical form, as `parse_query` makes it.

    Attributes
    ----------
    columns : tuple of str
        The columns to count by; none asks for a single count.
    where : tuple of (str, tuple of str)
        Columns with the values that a record must have one of.
    """

    columns: tuple[str, ...]
    where: tuple[tuple[str, tuple[str, ...]], ...]

    @property
    def text(self) -> str:
        """The canonical JSON: equal for two questions exactly where they ask the same in the same form.

        Examples
        --------
        >>> Query(("sex",), (("age", ("18",)),)).text
        '{"columns":["sex"],"where":{"age":["18"]}}'
        """
        data = {"columns": self.columns, "where": dict(self.where)}
        return json.dumps(data, ensure_ascii=False, separators=(",", ":"))

    @property
    def digest(self) -> str:
        """The SHA-256 of the canonical JSON in UTF-8, in hexadecimal digits."""
        return hashlib.sha256(self.text.encode()).hexdigest()


def parse_query(data: Any, attributes: Sequence[Attribute]) -> Query:
    """A question from parsed JSON, in canonical form.

    Parameters
    ----------
    data
        An object with `columns`, a list of names that may be empty, and if need be `where`, an
        object of columns with lists of the values that pass.
    attributes
        The columns that may be asked for, in the canonical order.

    Raises
    ------
    ProblemsFound
        All problems: no object, a key that is unknown, missing or of a wrong type, a column that is
        unknown or named twice, a filter with no values or with one that is unknown or named twice,
        an answer of more than `MAX_ANSWER_CELLS` cells.

    Examples
    --------
    >>> attributes = (Attribute("sex", ("F", "M")), Attribute("age", ("18", "35", "65")))
    >>> data = {"columns": ["age", "sex"], "where": {"sex": ["M", "F"], "age": ["65", "18"]}}
    >>> parse_query(data, attributes)
    Query(columns=('sex', 'age'), where=(('age', ('18', '65')),))
    """
    problems = Collector()
    if not isinstance(data, Mapping):
        problems.add("query.not_an_object", expected=", ".join(_KEYS), got=_noun(data))
        problems.raise_if_any()
    for key in data:
        if key not in _KEYS:
            problems.add("query.unknown_key", key=printable(key), expected=", ".join(_KEYS))
    columns = _columns(data, attributes, problems)
    where = _filters(data.get("where", {}), attributes, problems)
    query = Query(columns, where)
    check_sizes(sizes_of(query, attributes), MAX_ANSWER_CELLS, problems)
    problems.raise_if_any()
    return query


def _columns(
    data: Mapping[str, Any], attributes: Sequence[Attribute], problems: Collector
) -> tuple[str, ...]:
    expected = "a list of names of columns"
    if "columns" not in data:
        problems.add("query.missing_key", key="columns", expected=expected)
    known = [attribute.name for attribute in attributes]
    named = set()
    for name in _texts(data.get("columns", []), "columns", expected, problems):
        if name not in known:
            unknown_column(name, known, problems)
        elif name in named:
            repeated_column(name, problems)
        named.add(name)
    return tuple(name for name in known if name in named)


def _filters(
    data: Any, attributes: Sequence[Attribute], problems: Collector
) -> tuple[tuple[str, tuple[str, ...]], ...]:
    expected = "an object of columns with lists of values"
    if not isinstance(data, Mapping):
        problems.add("query.wrong_type", key="where", expected=expected, got=_noun(data))
        return ()
    known = {attribute.name: attribute for attribute in attributes}
    passing: dict[str, set[str]] = {}
    for name, listed in data.items():
        if name in known:
            passing[name] = _passing(known[name], listed, problems)
        else:
            unknown_column(name, list(known), problems)
    kept = ((a, passing[a.name]) for a in attributes if a.name in passing)
    return tuple(
        (a.name, tuple(value for value in a.values if value in own))
        for a, own in kept
        if len(own) < len(a.values)
    )


def _passing(attribute: Attribute, listed: Any, problems: Collector) -> set[str]:
    """The values of one filter that the column has."""
    key, known = f"where.{attribute.name}", set(attribute.values)
    values = _texts(listed, key, "a list of values", problems)
    if listed == []:
        problems.add("query.no_values", column=attribute.name)
    expected = shorten(", ".join(attribute.values))
    passing: set[str] = set()
    for value in values:
        if value not in known:
            got = printable(value)
            problems.add("query.unknown_value", column=attribute.name, expected=expected, got=got)
        elif value in passing:
            problems.add("query.repeated_value", column=attribute.name, got=printable(value))
        else:
            passing.add(value)
    return passing


def _texts(data: Any, key: str, expected: str, problems: Collector) -> list[str]:
    """The list of texts of a key; empty where it is none."""
    if not isinstance(data, list):
        problems.add("query.wrong_type", key=key, expected=expected, got=_noun(data))
        return []
    if wrong := [value for value in data if not isinstance(value, str)]:
        got = f"a list with {_noun(wrong[0])}"
        problems.add("query.wrong_type", key=key, expected=expected, got=got)
        return []
    return data


def _noun(data: Any) -> str:
    nouns = {dict: "an object", list: "a list", str: "a text", bool: "true or false"}
    return "null" if data is None else nouns.get(type(data), "a number")


def listed_values(query: Query, attributes: Sequence[Attribute]) -> tuple[tuple[str, ...], ...]:
    """The values of each column of the answer: of a filtered column only those that pass."""
    passing = dict(query.where)
    own = {attribute.name: attribute.values for attribute in attributes}
    return tuple(passing.get(name, own[name]) for name in query.columns)


def sizes_of(query: Query, attributes: Sequence[Attribute]) -> tuple[int, ...]:
    """The number of values of each column of the answer; () of a single count."""
    return tuple(map(len, listed_values(query, attributes)))


def cells_of(query: Query, attributes: Sequence[Attribute]) -> Iterator[tuple[str, ...]]:
    """The combinations of values in the order of the answer's cells; only () for a single count."""
    return product(*listed_values(query, attributes))


def sensitivity_of(query: Query) -> int:
    """The sensitivity: how much the answer can change, all cells together, if one record gets other values.

    Examples
    --------
    >>> sensitivity_of(Query(("sex",), ())), sensitivity_of(Query((), (("sex", ("F",)),)))
    (2, 1)
    """
    return sensitivity.histogram() if query.columns else sensitivity.count()


def true_counts(query: Query, codes: Codes, attributes: Sequence[Attribute]) -> Integers:
    """The answer without noise: a secret.

    Returns
    -------
    int64 array of shape `sizes_of(query, attributes)`
        Of a single count, of shape (1,): always one number for each of `cells_of`.

    Examples
    --------
    >>> attributes = (Attribute("sex", ("F", "M")), Attribute("age", ("18", "35", "65")))
    >>> codes = np.array([[0, 0], [0, 2], [1, 2]], dtype=np.uint8)
    >>> old = (("age", ("35", "65")),)
    >>> true_counts(Query(("sex", "age"), old), codes, attributes).tolist()
    [[0, 1], [0, 1]]
    >>> true_counts(Query((), old), codes, attributes).tolist()
    [2]
    """
    place = {attribute.name: w for w, attribute in enumerate(attributes)}
    passes = np.ones(len(codes), dtype=np.bool_)
    for name, values in query.where:
        w = place[name]
        of_code = np.array([value in values for value in attributes[w].values])
        passes &= of_code[codes[:, w]]
    listed = listed_values(query, attributes)
    sizes = tuple(map(len, listed)) or (1,)
    cells = np.zeros(len(codes), dtype=np.int64)
    for name, values in zip(query.columns, listed, strict=True):
        w = place[name]
        position = {value: i for i, value in enumerate(values)}
        of_code = np.array([position.get(value, 0) for value in attributes[w].values])
        cells = cells * len(values) + of_code[codes[:, w]]
    # Records that do not pass are counted in an extra cell, so that the running time discloses little.
    n_cells = math.prod(sizes)
    found = np.bincount(np.where(passes, cells, n_cells), minlength=n_cells + 1)
    counts = found[:n_cells].astype(np.int64, copy=False)
    return counts.reshape(sizes)


def noisy_answer(
    query: Query,
    codes: Codes,
    attributes: Sequence[Attribute],
    epsilon: Decimal,
    randomness: Randomness,
) -> Integers:
    """The answer with discrete Laplace noise of scale sensitivity / ε: it may be published for ε.

    Parameters
    ----------
    query, codes, attributes
        As for `true_counts`.
    epsilon
        The price of the whole answer: above 0, at most six decimal places.
    randomness
        `sampling.secure()`, unless it is an experiment.

    Returns
    -------
    int64 array of the shape of `true_counts`
        Unbiased; a count may be negative.

    Raises
    ------
    ValueError
        ε is none of a contest.

    Notes
    -----
    Yamaguchi, Terada & Yoshiura on batch and interactive disclosure under differential privacy,
    §3.3.1.

    Examples
    --------
    >>> from scoring.privacy.sampling import secure
    >>> attributes, codes = (Attribute("sex", ("F", "M")),), np.array([[0], [1], [1]], dtype=np.uint8)
    >>> noisy_answer(Query(("sex",), ()), codes, attributes, Decimal(1000), secure()).tolist()
    [1, 2]
    """
    counts = true_counts(query, codes, attributes)
    return noisy_counts(counts, sensitivity_of(query), checked_decimal(epsilon), randomness)


def answer_csv(query: Query, attributes: Sequence[Attribute], counts: Integers) -> bytes:
    """An answer as a file: the columns and then `count`, one line for each cell.

    Examples
    --------
    >>> attributes = (Attribute("sex", ("F", "M")),)
    >>> answer_csv(Query(("sex",), ()), attributes, np.array([78, -2]))
    b'sex,count\\nF,78\\nM,-2\\n'
    """
    return counts_csv(query.columns, listed_values(query, attributes), counts)


def counts_csv(names: Sequence[str], values: Sequence[Sequence[str]], counts: Integers) -> bytes:
    """A table of counts as a file."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*names, COUNT])
    cells = zip(product(*values), counts.ravel().tolist(), strict=True)
    writer.writerows((*cell, count) for cell, count in cells)
    return text.getvalue().encode()
