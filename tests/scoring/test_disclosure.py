# SPDX-License-Identifier: Apache-2.0
"""Singling out, linkability and inference: known leaks, no leak, plain code, refusals."""

from __future__ import annotations

import dataclasses

import numpy as np
import pandas as pd
import pytest

from scoring.measures import disclosure
from scoring.measures.neighbours import nearest
from scoring.measures.predicates import Condition, isolates, isolating, random_predicates
from scoring.scores.coding import Coded
from scoring.scores.comparison import Comparison, Options, Prepared
from scoring.tables.schema import Column, Kind, Role, Schema
from tests.scoring.test_similarity import MIXED, mixed

ATTACKS = [disclosure.singling_out, disclosure.linkability, disclosure.inference]
MEASURES = [
    disclosure.singling_out_risk,
    disclosure.linkability_risk,
    disclosure.inference_risk,
]
MANY = Schema(
    (
        *(Column(f"q{i}", Role.QUASI_IDENTIFIER, Kind.CATEGORY) for i in range(3)),
        Column("age", Role.QUASI_IDENTIFIER, Kind.INTEGER),
        *(Column(f"s{i}", Role.SENSITIVE, Kind.NUMBER) for i in range(4)),
    ),
    e2_column="s0",
)


def people(n: int, seed: int) -> pd.DataFrame:
    """Independent columns, so that nothing about one tells another; amounts of either sign and 0."""
    rng = np.random.default_rng(seed)
    data: dict[str, np.ndarray] = {f"q{i}": rng.integers(0, 4, n).astype(str) for i in range(3)}
    data["age"] = rng.integers(0, 90, n)
    for i in range(4):
        data[f"s{i}"] = np.where(rng.random(n) < 0.1, 0.0, rng.normal(0, 1000, n).round(2))
    return pd.DataFrame(data).astype({f"q{i}": "str" for i in range(3)})


def compared(
    anonymized: pd.DataFrame, source: np.ndarray, *, n: int = 300, n_control: int = 300
) -> Comparison:
    prepared = Prepared.of(people(n, 1), MANY, control=people(n_control, 2))
    return Comparison.of(prepared, anonymized, source, MANY)


def published(n: int = 300, n_control: int = 300) -> Comparison:
    """X itself, shuffled."""
    source = np.random.default_rng(5).permutation(n)
    return compared(people(n, 1).iloc[source], source, n=n, n_control=n_control)


def unrelated() -> Comparison:
    """New records of the same kind, said to come from X."""
    return compared(people(300, 3), np.arange(300))


def run(attack, comparison: Comparison, seed: int = 1, **changes) -> disclosure.Disclosure:
    return attack(comparison, rng=np.random.default_rng(seed), **changes)


# What is and what is not found


def test_publishing_x_itself_singles_out_and_tells_secrets():
    for attack in (disclosure.singling_out, disclosure.inference):
        found = run(attack, published())
        assert found.main.value == 1
        assert found.control.value < 0.5
        assert found.risk.value == 1
        assert found.risk.low > 0.9


def test_publishing_x_itself_links_what_the_columns_identify():
    """Four quasi-identifiers leave few equals, and four amounts none."""
    found = run(disclosure.linkability, published())
    assert found.main.value > 0.9
    assert found.control.value < 0.1
    assert found.risk.low > 0.8


@pytest.mark.parametrize("attack", ATTACKS)
def test_new_records_of_the_same_kind_are_no_risk(attack):
    found = run(attack, unrelated())
    assert found.risk.low == 0
    assert found.risk.value < 0.1
    # The control attack fares as well: their intervals overlap.
    assert found.main.low <= found.control.high
    assert found.control.low <= found.main.high


def test_more_noise_is_less_risk():
    risks = []
    for scale in (0, 30, 3000):
        noise = np.random.default_rng(6).normal(0, 1, (300, 4)) * scale
        table = people(300, 1)
        names = ["s0", "s1", "s2", "s3"]
        table[names] = table[names] + noise
        found = compared(table, np.arange(300))
        risks.append([run(attack, found).risk.value for attack in ATTACKS])
    assert risks[0][0] > risks[1][0]
    assert risks[0][2] > risks[1][2]
    for weak, strong in zip(risks[2], risks[0], strict=True):
        assert weak < 0.1 < strong


def test_records_that_are_all_alike_give_nothing_to_attack_with():
    """All records of Y are alike: no condition holds for one only, so there is no attack."""
    table = people(300, 1)
    alike = pd.concat([table.iloc[[0]]] * 300)
    found = run(disclosure.singling_out, compared(alike, np.arange(300)))
    assert found.n_attacks == 0
    assert (found.risk.value, found.risk.high) == (0.0, 1.0)
    assert found.main == found.control == found.baseline
    assert disclosure.singling_out_risk(compared(alike, np.arange(300))) == 0


def test_what_holds_for_everybody_is_no_risk():
    """The secret follows from what is known, in X and among strangers alike."""
    schema = Schema(
        (
            Column("a", Role.QUASI_IDENTIFIER, Kind.CATEGORY),
            Column("b", Role.SENSITIVE, Kind.CATEGORY),
        )
    )
    table = pd.DataFrame({"a": ["1", "2"] * 50, "b": ["x", "y"] * 50}).astype("str")
    prepared = Prepared.of(table, schema, control=table[:60])
    comparison = Comparison.of(prepared, table, np.arange(100), schema)
    found = run(disclosure.inference, comparison)
    assert found.main.value == found.control.value == 1
    assert found.baseline.value < 0.8
    assert found.risk.value == 0


def test_a_guess_of_the_wrong_sign_or_of_zero_is_judged_by_the_truth():
    """Every amount but 0 is guessed with the opposite sign: only the zeros are right."""
    table = people(300, 1)
    found = compared(table.assign(s0=-table["s0"]), np.arange(300))
    right = run(disclosure.inference, found, n_attacks=300)
    assert right.main.hits == (table["s0"] == 0).sum()
    near = compared(table.assign(s0=table["s0"] * 1.04), np.arange(300))
    assert run(disclosure.inference, near).main.value == 1
    far = compared(table.assign(s0=table["s0"] * 1.06), np.arange(300))
    found = run(disclosure.inference, far, n_attacks=300)
    assert found.main.hits == (table["s0"] == 0).sum()
    assert run(disclosure.inference, far, tolerance=0.07).main.value == 1


def test_the_baseline_of_linking_is_one_in_n():
    hits = sum(run(disclosure.linkability, published(20, 20), s).baseline.hits for s in range(25))
    # 25 times 20 attacks at 1/20.
    assert 8 < hits < 45


# Plain code


def test_isolating_predicates_hold_for_one_record():
    table = mixed(1)
    coded = Coded.of(MIXED, table, mixed(2))
    one, two = coded.tables
    found = isolating(coded, one, 50, rng=np.random.default_rng(1))
    assert len(found) == len(set(found)) > 20
    median = sorted(one.columns[0].tolist())[19]
    for predicate in found:
        held = [
            all(c.low <= one.columns[c.column][r] <= c.high for c in predicate) for r in range(40)
        ]
        assert sum(held) == 1
        record = held.index(True)
        for condition in predicate:
            value = one.columns[condition.column][record]
            if coded.n_levels[condition.column]:
                assert condition.low == condition.high == value
            elif condition.column == 0:
                assert (condition.low > median) == (condition.high == np.inf)
    held_by = [
        sum(all(c.low <= two.columns[c.column][r] <= c.high for c in p) for r in range(40))
        for p in found
    ]
    assert isolates(found, two).tolist() == [n == 1 for n in held_by]
    guesses = random_predicates(coded, one, found, rng=np.random.default_rng(1))
    assert [[c.column for c in p] for p in guesses] == [[c.column for c in p] for p in found]


def test_a_predicate_computed_manually():
    schema = Schema((Column("a", Role.SENSITIVE, Kind.NUMBER),))
    coded = Coded.of(schema, pd.DataFrame({"a": [1.0, 2.0, 2.0, 5.0]}))
    (table,) = coded.tables
    at_least = [(Condition(0, low, np.inf),) for low in (5.0, 2.0, 6.0)]
    assert isolates(at_least, table).tolist() == [True, False, False]
    found = isolating(coded, table, 10, rng=np.random.default_rng(1))
    assert set(found) == {(Condition(0, 5.0, np.inf),), (Condition(0, -np.inf, 1.0),)}


def test_nearest_records_are_those_of_plain_code():
    for seed in range(5):
        coded = Coded.of(MIXED, mixed(seed), mixed(seed + 10).iloc[:25])
        targets, table = coded.tables
        for columns in ([0], [1, 2], [0, 1, 2, 3]):
            found = nearest(coded, targets, table, columns, rng=np.random.default_rng(1))
            for target, record in enumerate(found):
                far = []
                for other in range(25):
                    total = 0.0
                    for i in columns:
                        ours, theirs = targets.columns[i][target], table.columns[i]
                        if coded.n_levels[i]:
                            total += ours != theirs[other]
                        else:
                            total += abs(ours - theirs[other]) / (max(theirs) - min(theirs))
                    far.append(total)
                assert far[record] == pytest.approx(min(far))


def test_equally_near_records_are_taken_at_random():
    schema = Schema((Column("a", Role.SENSITIVE, Kind.NUMBER),))
    coded = Coded.of(schema, pd.DataFrame({"a": [0.0] * 400}), pd.DataFrame({"a": [7.0] * 4}))
    targets, table = coded.tables
    found = nearest(coded, targets, table, [0], rng=np.random.default_rng(1))
    assert (np.bincount(found, minlength=4) > 60).all()
    # A constant column counts where it is met and where not.
    met = Coded.of(schema, pd.DataFrame({"a": [7.0]}), pd.DataFrame({"a": [7.0] * 3})).tables
    assert nearest(coded, met[0], met[1], [0], rng=np.random.default_rng(1)) in (0, 1, 2)


# Numbers of attacks, sizes, seeds


@pytest.mark.parametrize("attack", ATTACKS)
def test_there_are_no_more_attacks_than_targets(attack):
    found = run(attack, published(30, 20), n_attacks=400)
    assert found.n_attacks == found.main.n == found.control.n == found.baseline.n
    assert found.n_attacks > 0
    if attack is not disclosure.singling_out:
        assert found.n_attacks == 20
    assert run(attack, published(), n_attacks=7).n_attacks == 7


@pytest.mark.parametrize(("n", "n_control"), [(300, 60), (60, 300)])
def test_tables_of_different_size_are_attacked_in_equal_numbers(n, n_control):
    """Among fewer records more are singled out: unequal tables would be a risk or hide one."""
    assert run(disclosure.singling_out, published(n, n_control)).main.value == 1
    table = people(n, 3)
    found = run(disclosure.singling_out, compared(table, np.arange(n), n=n, n_control=n_control))
    assert found.main.low <= found.control.high
    assert found.control.low <= found.main.high


def test_deleted_records_are_no_targets_of_the_smaller_attack():
    """Y keeps one record of 300 and few of them are drawn: mostly there is nothing to attack with."""
    comparison = compared(people(300, 1).iloc[[7]], np.array([7]), n_control=5)
    found = [run(disclosure.singling_out, comparison, seed) for seed in range(5)]
    assert all(each.main.value in (0, 1) for each in found)
    assert any(each.n_attacks == 0 for each in found)


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_seed_gives_the_same_again_and_another_gives_another(attack):
    comparison = unrelated()
    assert run(attack, comparison) == run(attack, comparison)
    assert len({run(attack, comparison, seed) for seed in range(4)}) > 1


@pytest.mark.parametrize("measure", MEASURES)
def test_measures_start_from_the_seed_and_give_the_value_of_the_attack(measure):
    comparison = published()
    attack = ATTACKS[MEASURES.index(measure)]
    for seed in (1, 2):
        assert measure(comparison, Options(seed=seed)) == run(attack, comparison, seed).risk.value


@pytest.mark.parametrize("measure", MEASURES)
def test_the_order_of_x_y_and_the_control_decides_nothing(measure):
    rng = np.random.default_rng(7)
    x, y, control = people(90, 1), people(90, 1), people(90, 2)
    y[["s0", "s1"]] = y[["s0", "s1"]] + rng.normal(0, 30, (90, 2)).round(2)
    expected = measure(Comparison.of(Prepared.of(x, MANY, control=control), y, np.arange(90), MANY))
    for _run in range(3):
        of_x, of_y = rng.permutation(90), rng.permutation(90)
        prepared = Prepared.of(x.iloc[of_x], MANY, control=control.iloc[rng.permutation(90)])
        source = np.argsort(of_x)[of_y]
        assert measure(Comparison.of(prepared, y.iloc[of_y], source, MANY)) == expected


def test_a_higher_confidence_widens_every_interval():
    narrow, wide = (
        run(disclosure.inference, unrelated(), confidence=confidence) for confidence in (0.8, 0.99)
    )
    for one, two in zip(
        (narrow.main, narrow.control, narrow.baseline), (wide.main, wide.control, wide.baseline),
        strict=True,
    ):  # fmt: skip
        assert two.low < one.low < one.high < two.high
    assert narrow.risk.high < wide.risk.high


# Columns


def test_linked_columns_may_be_chosen():
    comparison = published()
    weak = run(disclosure.linkability, comparison, columns=(["q0"], ["s0", "s1"]))
    strong = run(disclosure.linkability, comparison, columns=(["s2", "s3"], ["s0", "s1"]))
    assert weak.main.value < 0.1
    assert strong.main.value > 0.9


def test_without_sensitive_columns_every_other_one_is_linked():
    columns = tuple(dataclasses.replace(c, role=Role.SENSITIVE) for c in MANY.columns[3:])
    schema = Schema(columns)
    prepared = Prepared.of(people(100, 1), schema, control=people(100, 2))
    comparison = Comparison.of(prepared, people(100, 1), np.arange(100), schema)
    default = run(disclosure.linkability, comparison)
    chosen = run(disclosure.linkability, comparison, columns=(["age", "s1", "s3"], ["s0", "s2"]))
    assert default == chosen


def test_secret_and_known_columns_may_be_chosen():
    comparison = published()
    assert run(disclosure.inference, comparison, secret="q1").main.value == 1
    few = run(disclosure.inference, comparison, secret="q1", known=["q0"])
    assert few.main.value < 0.5


# Refusals


def test_measures_are_none_without_a_control_table_or_columns():
    table = people(30, 1)
    lonely = Comparison.of(table, table, np.arange(30), MANY)
    assert [measure(lonely) for measure in MEASURES] == [None] * 3
    control = people(30, 2)
    one = Schema(MANY.columns[3:4])
    comparison = Comparison.of(Prepared.of(table, one, control=control), table, np.arange(30), one)
    assert [measure(comparison) is None for measure in MEASURES] == [False, True, True]
    none = Schema((dataclasses.replace(MANY.columns[3], role=Role.OTHER),))
    comparison = Comparison.of(
        Prepared.of(table, none, control=control), table, np.arange(30), none
    )
    assert [measure(comparison) for measure in MEASURES] == [None] * 3


@pytest.mark.parametrize("attack", ATTACKS)
def test_impossible_attacks_are_refused(attack):
    table = people(30, 1)
    with pytest.raises(ValueError, match=r"^control: "):
        run(attack, Comparison.of(table, table, np.arange(30), MANY))
    with pytest.raises(ValueError, match=r"^n_attacks: "):
        run(attack, published(), n_attacks=0)
    with pytest.raises(ValueError, match=r"^confidence: "):
        run(attack, published(), confidence=1.0)


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_control_table_of_the_originals_records_is_refused(attack):
    x = people(300, 1)
    own = pd.concat([x[:100], people(200, 2)])
    comparison = Comparison.of(Prepared.of(x, MANY, control=own), x, np.arange(300), MANY)
    with pytest.raises(ValueError, match="got 100 of 300"):
        run(attack, comparison)


def test_strangers_who_happen_to_be_equal_are_no_offence():
    schema = Schema((MANY.columns[0], MANY.columns[1]))
    prepared = Prepared.of(people(300, 1), schema, control=people(300, 2))
    comparison = Comparison.of(prepared, people(300, 3), np.arange(300), schema)
    assert run(disclosure.inference, comparison).risk.low == 0


@pytest.mark.parametrize(
    ("attack", "wrong"),
    [
        (disclosure.linkability, {"columns": (["q0"], ["zip"])}),
        (disclosure.linkability, {"columns": (["q0"], ["q0", "q1"])}),
        (disclosure.linkability, {"columns": ([], ["q0"])}),
        (disclosure.inference, {"secret": "zip"}),
        (disclosure.inference, {"secret": "q0", "known": ["q0"]}),
        (disclosure.inference, {"known": []}),
        (disclosure.inference, {"tolerance": -0.1}),
    ],
)
def test_wrong_columns_and_bounds_are_refused(attack, wrong):
    with pytest.raises(ValueError, match="expected"):
        run(attack, published(), **wrong)
