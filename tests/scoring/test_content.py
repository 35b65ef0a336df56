# SPDX-License-Identifier: Apache-2.0
"""Records that published lines show by their content, and copies: by hand, in plain Python, and as a cheater would."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest

from scoring.anonymizers import anonymize
from scoring.datasets.catalog import generated
from scoring.evaluate import score, score_parts
from scoring.measures.catalog.analyses import ANALYSES
from scoring.questions.asked import QuestionSpec
from scoring.questions.results import result_of
from scoring.questions.sheets import Key
from scoring.rulesets.loader import load_schema
from scoring.scores.content import Contents, contents, copies
from scoring.scores.prepared import Prepared
from scoring.scores.results import linked, mark
from scoring.tables.records import Records
from scoring.tables.schema import Column, Kind, Role, Schema
from tests.every import every
from tests.scoring import tables

TOWN = Schema(
    (
        Column("age", Role.QUASI_IDENTIFIER, Kind.INTEGER),
        Column("town", Role.QUASI_IDENTIFIER, Kind.CATEGORY),
        Column("pay", Role.SENSITIVE, Kind.NUMBER),
    )
)
PEOPLE = [(20, "A", 100), (30, "B", 200), (31, "B", 210), (40, "C", 300), (40, "C", 300)]


def frame(records: list[tuple[int, str, float]]) -> pd.DataFrame:
    found = pd.DataFrame(records, columns=list(TOWN.names))
    return found.astype({"age": float, "town": "str", "pay": float})


def shown(records: list[tuple[int, str, float]]) -> list[int]:
    return contents(frame(records), frame(PEOPLE), TOWN).shown.tolist()


# Content, by hand


def test_copies_show_their_record_in_any_order_and_of_equal_ones_the_lowest():
    assert shown([PEOPLE[i] for i in (4, 2, 0, 1, 3, 0)]) == [3, 2, 0, 1, 3, 0]


def test_a_record_between_two_shows_nobody_and_one_near_a_record_shows_it():
    assert shown([(30.5, "B", 205)]) == [-1]
    assert shown([(20, "A", 100), (30.2, "B", 201)]) == [0, 1]
    assert shown([(30.2, "B", 203)] * 2) == [-1, -1]  # two lines as near: grouped
    assert shown([(30.01, "B", 200)] * 2) == [1, 1]  # but for copies that were hardly touched


def test_equal_records_are_not_distinguished():
    found = contents(frame([PEOPLE[3], PEOPLE[0]]), frame(PEOPLE), TOWN)
    assert found.right(np.array([4, 0])).tolist() == [True, True]
    assert found.right(np.array([3, 1])).tolist() == [True, False]
    assert found.right(np.array([-1, 7])).tolist() == [False, False]
    assert found.lines(np.array([4, 3, 1])) == [[0], [0], []]
    back = Contents.from_dict(found.to_dict())
    assert (back.shown.tolist(), back.equal.tolist()) == ([3, 0], [0, 1, 2, 3, 3])


def test_a_guess_names_the_declared_record_the_content_or_either():
    source, guess = np.array([1, 0, -1, 3]), np.array([0, 0, 2, -1])
    found = Contents(np.array([0, 1, 2, 3]), np.arange(5))
    by = {truth: linked(source, guess, found, truth) for truth in ("declared", "content", "either")}
    assert by["declared"].right.tolist() == [False, True, False, False]
    assert by["content"].right.tolist() == [True, False, False, False]
    assert by["either"].right.tolist() == [True, True, False, False]  # a deleted line is ignored
    assert by["either"].units.tolist()[:2] == [0, 0]
    assert by["either"].rates(4) == {"declared": 0.25, "content": 0.25}
    assert linked(source, guess).right.sum() == mark(source, guess).hits


def test_a_line_is_right_where_it_shows_the_record_that_is_asked():
    question = QuestionSpec("l", "links", "lines", "first", candidates=2)
    key = Key(np.array([True, True, False]), {}, np.array([1, 0, -1]), np.array([0, 1, 2]))
    answers = {"line_1": np.array([0, 2, 2]), "line_2": np.array([1, 0, -1])}
    found = Contents(np.array([0, 1, 2]), np.arange(3))
    told = {t: key.with_contents(found, t) for t in ("declared", "content", "either")}
    assert result_of(question, told["declared"], answers).value == 0
    either = result_of(question, told["either"], answers)
    assert (either.value, either.n_units) == (0.666666667, 3)  # the third was said to be deleted
    rates = {name: either.parts[name] for name in ("declared", "content")}
    assert rates == {"declared": 0.0, "content": 0.666666667}
    deleted = {"line_1": np.array([-1, -1, -1]), "line_2": np.array([-1, -1, -1])}
    assert result_of(question, told["either"], deleted).value == 0


# Content, as a cheater and as an honest team would


def neighbours_exchanged(table: pd.DataFrame, schema: Schema) -> np.ndarray:
    """Rows that are declared in place of the true ones: those of near records, and none is its own."""
    numbers = [c.name for c in schema.columns if c.is_numeric]
    order = np.lexsort([table[name] for name in numbers])
    declared = np.empty(len(table), dtype=np.int64)
    declared[order] = np.roll(order, 1)
    return declared


def changed(table: pd.DataFrame, schema: Schema, play: str) -> pd.DataFrame:
    """All records, each shown in another way."""
    rng, found = np.random.default_rng(4), table.copy()
    for column in schema.columns:
        if play == "moved" and column.is_numeric:
            values = np.unique(table[column.name])
            at = np.searchsorted(values, table[column.name]) + rng.choice([-1, 1], len(table))
            found[column.name] = values[np.clip(at, 0, len(values) - 1)]
    if play == "one cell":
        names = rng.choice(list(schema.names), len(table))
        for at, name in enumerate(names):
            found.loc[at, name] = table[name].iloc[int(rng.integers(len(table)))]
    if play == "twice":
        half = changed(table, schema, "moved").iloc[: len(table) // 2]
        found = half.loc[np.repeat(half.index, 2)].reset_index(drop=True)
    return found


@pytest.mark.parametrize("play", ["sorted", "moved", "one cell", "twice"])
@pytest.mark.parametrize("name", ["households", "survival"])
def test_records_under_other_rows_are_found_by_their_content(name, play):
    schema = load_schema(name).public()
    known = generated(name, 300, seed=3)[list(schema.names)]
    own = known.iloc[:200].reset_index(drop=True)
    table, declared = changed(own, schema, play), neighbours_exchanged(own, schema)
    true = np.repeat(np.arange(100), 2) if play == "twice" else np.arange(200)
    found = linked(declared[: len(table)], true, contents(table, known, schema), "either")
    assert found.declared.sum() <= 2
    least = 0.3 if (name, play) == ("survival", "twice") else 0.9
    assert found.content.mean() >= least


@pytest.mark.parametrize(
    ("name", "methods"),
    [
        ("households", (("record-deletion", {}), ("qi-unification", {}))),
        ("households", (("mondrian", {}), ("class-average", {}))),
        ("survival", (("qi-unification", {}), ("class-average", {}))),
        ("survival", (("generalized-randomized-response", {}),)),
        ("diabetes", (("qi-unification", {}),)),
    ],
)
def test_an_honest_table_shows_few_records_of_others(name, methods):
    schema = load_schema(name).public()
    known = generated(name, 500, seed=3)[list(schema.names)]
    made = anonymize(known, schema, methods, rng=np.random.default_rng(1))
    found = contents(made.table, known, schema)
    others = (found.shown >= 0) & ~found.right(made.source)
    assert others.mean() <= 0.02


def test_groups_of_equal_lines_show_nobody():
    schema = load_schema("diabetes").public()
    known = generated("diabetes", 400, seed=8)[list(schema.names)]
    group, made = np.argsort(np.argsort(known["age"], kind="stable")) // 10, known.copy()
    for column in schema.columns:
        values = known[column.name].groupby(group)
        of_group = values.mean().round() if column.is_numeric else values.agg(lambda v: v.mode()[0])
        made[column.name] = of_group.reindex(group).to_numpy()
    assert (contents(made, known, schema).shown >= 0).mean() <= 0.05


# Copies


def slow(
    published: pd.DataFrame, references: list[pd.DataFrame], names: list[str], k: int
) -> list[bool]:
    rows = [tuple(r) for table in references for r in table[names].itertuples(index=False)]
    mine = [tuple(r) for r in published[names].itertuples(index=False)]
    return [any(sum(a != b for a, b in zip(y, x, strict=True)) <= k for x in rows) for y in mine]


@every(seed=range(30))
def test_copies_agree_with_plain_python(seed):
    case = tables.case(seed)
    names = [c.name for c in case.schema.public().columns]
    other = case.anonymized.sample(frac=0.3, random_state=seed)
    for k, references in itertools.product((0, 1, 2), ([case.original], [case.original, other])):
        expected = slow(case.anonymized, references, names, k)
        assert copies(case.anonymized, references, case.schema, k).tolist() == expected


@pytest.mark.parametrize("k", [0, 1, 2])
def test_looking_up_and_comparing_all_pairs_agree(k, monkeypatch):
    schema = load_schema("households").public()
    table = generated("households", 400, seed=1)[list(schema.names)]
    for at in range(0, 400, 2):
        table.iloc[at, at % 5] = table.iloc[(at + 2) % 400, at % 5]
    original = generated("households", 400, seed=1)
    found = {}
    for cost in (0, 1e9):
        monkeypatch.setattr("scoring.scores.content._PAIRS_PER_SEARCH", cost)
        found[cost] = copies(table, [original], schema, k).tolist()
    assert found[0] == found[1e9]
    assert found[0].count(True) == 400 if k else found[0].count(True) < 400


def test_numbers_are_compared_as_they_are_read_and_missing_columns_play_no_part():
    schema = Schema(
        (Column("n", Role.SENSITIVE, Kind.INTEGER), Column("t", Role.OTHER, Kind.CATEGORY))
    )
    original = Records(
        ("n", "t"), {"n": np.array([1, 2])}, {"t": np.array([0, 1], np.int32)}, {"t": ("a", "b")}
    )
    published = Records(
        ("n", "t"),
        {"n": np.array([1.0, -0.0])},
        {"t": np.array([1, 0], np.int32)},
        {"t": ("b", "a")},
    )
    assert copies(published, [original], schema).tolist() == [True, False]
    assert copies(published.without("n"), [original], schema).tolist() == [True, True]
    general = Records(
        ("n", "t"),
        {"n": np.array([1.0, 2.0])},
        {"t": np.array([0, 0], np.int32)},
        {"t": ("a or b",)},
    )
    assert copies(general, [original], schema).tolist() == [False, False]


VERBATIM = ANALYSES["verbatim"]


@pytest.mark.parametrize("has_rows", [True, False])
def test_the_measure_counts_copies_of_every_table_it_is_given(has_rows):
    other = frame([(50, "D", 1), (51, "E", 2)])
    made = frame([PEOPLE[1], (50, "D", 1), (51, "E", 3), (60, "F", 9)])
    rows = np.array([1, 0, 2, 3]) if has_rows else None
    measures = [VERBATIM.measure("verbatim", {}), VERBATIM.measure("nearly", {"k": 1})]
    alone = score(frame(PEOPLE), made, rows, TOWN, measures=measures)
    assert (alone["verbatim"], alone["nearly"]) == (0.25, 0.25)
    found = score(frame(PEOPLE), made, rows, TOWN, measures=measures, references=[other])
    assert (found["verbatim"], found["nearly"]) == (0.5, 0.75)


def test_tables_that_belong_together_are_joined_for_it():
    whole, names = frame(PEOPLE), (("age", "town"), ("town", "pay"))
    made = frame([*PEOPLE[:3], (40, "C", 301), (41, "C", 300)])
    parts = {key: TOWN.only(own) for key, own in zip("ab", names, strict=True)}
    originals = {key: Prepared.of(Records.of(whole, only), only) for key, only in parts.items()}
    tables_ = {key: Records.of(made, only) for key, only in parts.items()}
    measures = [VERBATIM.measure("verbatim", {}), ANALYSES["histograms"].measure("shares", {})]
    found = score_parts(originals, tables_, np.arange(5), measures=measures)
    assert found["verbatim"] == 0.6
    assert "shares.a" in found
    assert "verbatim.a" not in found
