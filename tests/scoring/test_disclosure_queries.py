# SPDX-License-Identifier: Apache-2.0
"""Questions to a hidden table: what may be asked, their one form, their answers, and what these hide."""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from decimal import Decimal
from itertools import permutations, product

import numpy as np
import pytest

from scoring.errors import ProblemsFound
from scoring.formats.disclosure.attributes import (
    MAX_ANSWER_CELLS,
    Attribute,
    attributes_of,
    check_cells,
    codes_of,
)
from scoring.formats.disclosure.queries import (
    Query,
    answer_csv,
    cells_of,
    noisy_answer,
    parse_query,
    sensitivity_of,
    sizes_of,
    true_counts,
)
from scoring.privacy.sampling import secure, seeded
from scoring.tables.reading import read_records
from scoring.tables.schema import Column, Kind, Role, Schema
from tests.every import some

SCHEMA = Schema(
    (
        Column("sex", Role.QUASI_IDENTIFIER, Kind.CATEGORY, values=("F", "M")),
        Column("age", Role.QUASI_IDENTIFIER, Kind.CATEGORY, values=("18", "35", "65")),
        Column("town", Role.QUASI_IDENTIFIER, Kind.CATEGORY, values=("a", "b", "c")),
        Column("income", Role.SENSITIVE, Kind.INTEGER),
        Column("job", Role.OTHER, Kind.CATEGORY),
        Column("country", Role.OTHER, Kind.CATEGORY, values=("JP",)),
        Column("count", Role.OTHER, Kind.CATEGORY, values=("1", "2")),
    )
)
ATTRIBUTES = attributes_of(SCHEMA, ["sex", "age", "town"])
# F 18 a, F 18 b, F 65 a, M 35 c, M 65 a, M 65 a
CODES = np.array([[0, 0, 0], [0, 0, 1], [0, 2, 0], [1, 1, 2], [1, 2, 0], [1, 2, 0]], dtype=np.uint8)


def codes_found(call, *arguments):
    with pytest.raises(ProblemsFound) as found:
        call(*arguments)
    return [problem.code for problem in found.value.problems]


# --- attributes ---


def test_all_that_is_wrong_with_columns_is_reported_together():
    names = ["sex", "income", "job", "country", "count", "nobody", "sex", "no\ud800"]
    with pytest.raises(ProblemsFound) as found:
        attributes_of(SCHEMA, names)
    assert [(p.code, p.column) for p in found.value.problems] == [
        ("attribute.no_values", "income"),
        ("attribute.no_values", "job"),
        ("counts.one_value", "country"),
        ("attribute.reserved_name", "count"),
        ("attribute.unknown_column", None),
        ("attribute.repeated_column", "sex"),
        ("attribute.unknown_column", None),
    ]
    assert all(problem.message.isprintable() for problem in found.value.problems)


def test_attributes_stand_in_the_order_of_their_names():
    assert [a.name for a in attributes_of(SCHEMA, ["town", "sex"])] == ["town", "sex"]


def test_codes_are_positions_in_the_schema_whatever_the_order_of_the_file():
    data = b"sex,age,town,income,job,country,count\nM,65,c,1,x,JP,2\nF,18,a,2,y,JP,1\n"
    records = read_records(data, SCHEMA, file="table", original=True)
    codes = codes_of(records, attributes_of(SCHEMA, ["town", "sex"]))
    assert codes.tolist() == [[2, 1], [0, 0]]
    assert codes.dtype == np.uint8
    many = Attribute("town", tuple("abc") + tuple(map(str, range(300))))
    assert codes_of(records, [many]).dtype == np.uint16


def test_a_value_that_no_attribute_has_is_not_told():
    data = b"sex,age,town,income,job,country,count\nM,65,c,1,x,JP,2\n"
    records = read_records(data, SCHEMA, file="table", original=True)
    with pytest.raises(ValueError, match="sex: expected") as found:
        codes_of(records, [Attribute("sex", ("F", "X"))])
    assert "M" not in str(found.value)


@pytest.mark.parametrize(
    ("attributes", "got"),
    [
        ([Attribute("a", ("x", "y"))] * 4, "16"),
        ([Attribute("a", tuple(map(str, range(100))))] * 5000, "about 10^10000"),
    ],
)
def test_a_domain_that_is_too_large_is_never_made(attributes, got):
    with pytest.raises(ProblemsFound, match="expected at most 15") as found:
        check_cells(attributes, 15)
    assert found.value.problems[0].params["got"] == got
    check_cells(attributes[:3], 100**3)


# --- the canonical form ---


def test_every_order_of_a_question_is_the_same_question():
    forms = [
        {"where": dict(filters), "columns": list(columns)}
        for columns in permutations(["sex", "age", "town"])
        for towns in permutations(["c", "a"])
        for ages in permutations(["65", "18"])
        for filters in permutations([("town", list(towns)), ("age", list(ages))])
    ]
    queries = {parse_query(form, ATTRIBUTES) for form in forms}
    assert len(forms) == 48
    assert queries == {Query(("sex", "age", "town"), (("age", ("18", "65")), ("town", ("a", "c"))))}


def test_a_filter_that_lets_everybody_pass_is_none():
    plain = parse_query({"columns": ["age"]}, ATTRIBUTES)
    assert parse_query({"columns": ["age"], "where": {}}, ATTRIBUTES) == plain
    for order in permutations(["a", "b", "c"]):
        data = {"columns": ["age"], "where": {"town": list(order), "sex": ["M", "F"]}}
        assert parse_query(data, ATTRIBUTES) == plain


def test_the_canonical_text_leads_back_to_the_question():
    parts = [(), ("sex",), ("age", "town")]
    filters = [{}, {"sex": ["F"]}, {"town": ["a", "b"], "age": ["65"]}]
    queries = [
        parse_query({"columns": list(columns), "where": where}, ATTRIBUTES)
        for columns, where in product(parts, filters)
    ]
    for query in queries:
        assert parse_query(json.loads(query.text), ATTRIBUTES) == query
        assert query.digest == hashlib.sha256(query.text.encode()).hexdigest()
    assert len({query.digest for query in queries}) == len(queries)


def test_the_text_is_as_it_was():
    """Digests are stored: a change of the text would sell the same answer twice."""
    attributes = [Attribute("性別", ("女", "男")), Attribute("age", ("18", "65"))]
    query = parse_query({"columns": ["age"], "where": {"性別": ["男"]}}, attributes)
    assert query.text == '{"columns":["age"],"where":{"性別":["男"]}}'
    assert query.digest == "08a48a26872446e6be8e47da060bc88274239c97a3c760751013ea7887fd6394"


# --- bad questions ---


@pytest.mark.parametrize(
    ("data", "codes"),
    [
        (None, ["query.not_an_object"]),
        ([], ["query.not_an_object"]),
        ("sex", ["query.not_an_object"]),
        (3.5, ["query.not_an_object"]),
        ({}, ["query.missing_key"]),
        ({"columns": "sex"}, ["query.wrong_type"]),
        ({"columns": None}, ["query.wrong_type"]),
        ({"columns": ["sex", 1]}, ["query.wrong_type"]),
        ({"columns": [["sex"]]}, ["query.wrong_type"]),
        ({"columns": [], "where": []}, ["query.wrong_type"]),
        ({"columns": [], "where": None}, ["query.wrong_type"]),
        ({"columns": [], "where": {"sex": "F"}}, ["query.wrong_type"]),
        ({"columns": [], "where": {"sex": [True]}}, ["query.wrong_type"]),
        ({"columns": [], "where": {"sex": []}}, ["query.no_values"]),
        ({"columns": [], "where": {"sex": [""]}}, ["query.unknown_value"]),
        ({"columns": ["SEX"]}, ["attribute.unknown_column"]),
        ({"columns": ["sex", "sex"]}, ["attribute.repeated_column"]),
        (
            {
                "columns": ["sex", "sex", "income"],
                "where": {"town": ["z", "a", "a"], "income": ["1"], "age": []},
                "epsilon": "1",
            },
            [
                "query.unknown_key",
                "attribute.repeated_column",
                "attribute.unknown_column",
                "query.unknown_value",
                "query.repeated_value",
                "attribute.unknown_column",
                "query.no_values",
            ],
        ),
    ],
)
def test_all_that_is_wrong_with_a_question_is_reported_together(data, codes):
    assert codes_found(parse_query, data, ATTRIBUTES) == codes


def test_what_cannot_be_stored_is_reported_in_other_signs():
    bad = "\ud800\x00" * 100
    data = {"columns": [bad], "where": {bad: ["1"], "sex": [bad]}, bad: 1}
    with pytest.raises(ProblemsFound) as found:
        parse_query(data, ATTRIBUTES)
    assert len(found.value.problems) == 4
    for problem in found.value.problems:
        assert problem.message.isprintable()
        assert len(problem.message) < 250


def test_an_answer_has_so_many_cells_and_no_more():
    wide = [Attribute(name, tuple(map(str, range(100)))) for name in "abc"]
    assert math.prod(sizes_of(parse_query({"columns": ["a", "b"]}, wide), wide)) == MAX_ANSWER_CELLS
    data = {"columns": ["a", "b", "c"], "where": {"c": ["1", "2"]}}
    assert codes_found(parse_query, data, wide) == ["counts.too_many_cells"]
    data["where"]["c"].pop()
    assert sizes_of(parse_query(data, wide), wide) == (100, 100, 1)


# --- answers ---


@pytest.mark.parametrize(
    ("columns", "where", "counts", "delta"),
    [
        ([], {}, [6], 1),
        ([], {"sex": ["M"], "town": ["a", "b"]}, [2], 1),
        (["sex"], {}, [3, 3], 2),
        (["sex", "age"], {}, [[2, 0, 1], [0, 1, 2]], 2),
        (["age", "sex"], {"town": ["a"]}, [[1, 0, 1], [0, 0, 2]], 2),
        (["age"], {"age": ["65", "18"]}, [2, 3], 2),
        (["sex", "age"], {"age": ["65"], "sex": ["M"]}, [[2]], 2),
        (["town"], {"age": ["35"], "sex": ["F"]}, [0, 0, 0], 2),
    ],
)
def test_counts_computed_manually(columns, where, counts, delta):
    query = parse_query({"columns": columns, "where": where}, ATTRIBUTES)
    found = true_counts(query, CODES, ATTRIBUTES)
    assert found.tolist() == counts
    assert found.dtype == np.int64
    assert found.shape == (sizes_of(query, ATTRIBUTES) or (1,))
    assert found.size == len(list(cells_of(query, ATTRIBUTES)))
    assert sensitivity_of(query) == delta


def every_question():
    """Every choice of columns with some filters on each column."""
    names = [a.name for a in ATTRIBUTES]
    filters = [[a.values, a.values[:1], a.values[1:]] for a in ATTRIBUTES]
    for asked, passing in product(product([False, True], repeat=3), product(*filters)):
        columns = [name for name, yes in zip(names, asked, strict=True) if yes]
        where = {name: list(values) for name, values in zip(names, passing, strict=True)}
        yield parse_query({"columns": columns, "where": where}, ATTRIBUTES), where


def test_counts_are_those_of_a_slow_count():
    rng = np.random.default_rng(1)
    codes = np.column_stack([rng.integers(len(a.values), size=50) for a in ATTRIBUTES])
    names = [a.name for a in ATTRIBUTES]
    people = [
        {name: a.values[code] for name, a, code in zip(names, ATTRIBUTES, row, strict=True)}
        for row in codes
    ]
    for query, where in every_question():
        passing = [p for p in people if all(p[name] in values for name, values in where.items())]
        slow = Counter(tuple(person[name] for name in query.columns) for person in passing)
        expected = [slow[cell] for cell in cells_of(query, ATTRIBUTES)]
        found = true_counts(query, codes.astype(np.uint8), ATTRIBUTES)
        assert found.ravel().tolist() == expected


def test_no_record_changes_an_answer_by_more_than_the_sensitivity():
    records = list(product(*(range(len(a.values)) for a in ATTRIBUTES)))
    base = CODES[:2]
    for query, _where in every_question():
        answers = [
            true_counts(query, np.vstack([base, [record]]).astype(np.uint8), ATTRIBUTES)
            for record in records
        ]
        changes = [int(abs(one - other).sum()) for one, other in product(answers, repeat=2)]
        assert max(changes) <= sensitivity_of(query)


def test_the_file_of_an_answer():
    query = parse_query({"columns": ["sex", "age"], "where": {"age": ["18", "65"]}}, ATTRIBUTES)
    counts = true_counts(query, CODES, ATTRIBUTES)
    assert answer_csv(query, ATTRIBUTES, counts) == (
        b"sex,age,count\nF,18,2\nF,65,1\nM,18,0\nM,65,2\n"
    )
    single = parse_query({"columns": []}, ATTRIBUTES)
    assert answer_csv(single, ATTRIBUTES, np.array([-3])) == b"count\n-3\n"
    quoted = [Attribute('a,"b', ("x,y", "z"))]
    query = parse_query({"columns": ['a,"b']}, quoted)
    assert answer_csv(query, quoted, np.array([1, 2])) == b'"a,""b",count\n"x,y",1\nz,2\n'


@pytest.mark.parametrize("epsilon", ["0", "-1", "NaN", "Infinity", "0.0000001", "1000001"])
def test_no_answer_without_an_epsilon(epsilon):
    query = parse_query({"columns": ["sex"]}, ATTRIBUTES)
    with pytest.raises(ValueError, match="epsilon: expected"):
        noisy_answer(query, CODES, ATTRIBUTES, Decimal(epsilon), secure())


def answers(query, codes, epsilon, n, seed):
    randomness = seeded(np.random.default_rng(seed))
    return [
        tuple(noisy_answer(query, codes, ATTRIBUTES, epsilon, randomness).ravel().tolist())
        for _ in range(n)
    ]


@pytest.mark.parametrize(
    ("data", "epsilon"),
    [
        ({"columns": ["sex"]}, "1.5"),
        ({"columns": ["sex"], "where": {"town": ["a", "b"]}}, "1"),
        ({"columns": [], "where": {"sex": ["M"]}}, "1"),
    ],
)
@pytest.mark.parametrize("n", some(1, [5_000, 12_000]))
def test_answers_of_neighbouring_tables_are_alike_within_epsilon(data, epsilon, n):
    """And no more alike than they have to be: less noise would break the promise."""
    query = parse_query(data, ATTRIBUTES)
    neighbour = CODES.copy()
    neighbour[0] = [1, 1, 1]
    one = Counter(answers(query, CODES, Decimal(epsilon), n, 1))
    other = Counter(answers(query, neighbour, Decimal(epsilon), n, 2))
    seen = [cell for cell in one | other if one[cell] >= 100 or other[cell] >= 100]
    largest = 0.0
    for cell in seen:
        a, b = one[cell] + 1, other[cell] + 1
        error = math.sqrt(1 / a + 1 / b)
        assert abs(math.log(a / b)) <= float(epsilon) + 5 * error
        largest = max(largest, abs(math.log(a / b)) + 2 * error)
    assert len(seen) > 5
    assert largest > 0.9 * float(epsilon)


def test_noise_is_that_of_the_scale():
    query = parse_query({"columns": ["sex", "age", "town"]}, ATTRIBUTES)
    drawn = np.array(answers(query, CODES, Decimal("0.5"), 400, 3))
    noise = drawn - true_counts(query, CODES, ATTRIBUTES).ravel()
    q = math.exp(-0.25)
    assert noise.mean() == pytest.approx(0, abs=0.35)
    assert noise.var() == pytest.approx(2 * q / (1 - q) ** 2, rel=0.12)
