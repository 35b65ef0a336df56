# SPDX-License-Identifier: Apache-2.0
"""Individual risk with weights, k-map, δ-presence, distinction and separation: published figures and plain Python."""

from __future__ import annotations

import json
import math
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from scoring.cli.main import main
from scoring.evaluate import score
from scoring.measures.distinction import distinctions
from scoring.measures.individual import individual_risk
from scoring.scores.comparison import Options
from scoring.tables.schema import Column, Kind, Role, Schema
from tests.every import every
from tests.scoring import tables

KEYED = Schema(
    (
        Column("key", Role.QUASI_IDENTIFIER, Kind.CATEGORY),
        Column("weight", Role.OTHER, Kind.NUMBER),
    )
)
# sdcMicro's reference page of `indivRisk`, example of Capobianchi, Polettini & Lucarelli: eight records,
# the sums of their weights by key, and the individual risks.
KEYS = list("abbcdefa")
WEIGHTS = [18, 45.5, 39, 17, 541, 8, 5, 92]
PUBLISHED = [0.01714426, 0.02204233, 0.02204233, 0.17707583, 0.01165448, 0.29706308, 0.40235948]
PUBLISHED.append(PUBLISHED[0])


def of(original: pd.DataFrame, rows: list[int], schema: Schema, ids: list[str], **options):
    anonymized = original.iloc[rows].reset_index(drop=True)
    return score(
        original, anonymized, np.array(rows), schema, measures=ids, options=Options(**options)
    )


def test_the_risks_are_those_of_sdcmicro():
    table = pd.DataFrame({"key": KEYS, "weight": np.array(WEIGHTS, dtype=float)})
    ids = ["individual-max", "individual-mean"]
    values = of(table, list(range(8)), KEYED, ids, weight_column="weight")
    assert values["individual-max"] == pytest.approx(max(PUBLISHED), abs=5e-9)
    assert values["individual-mean"] == pytest.approx(sum(PUBLISHED) / 8, abs=5e-9)


def test_the_weights_of_the_original_count_and_not_those_that_were_submitted():
    table = pd.DataFrame({"key": KEYS, "weight": np.array(WEIGHTS, dtype=float)})
    made_up = table.assign(weight=1e6)
    options = Options(weight_column="weight")
    values = score(
        table, made_up, np.arange(8), KEYED, measures=["individual-max"], options=options
    )
    assert values["individual-max"] == pytest.approx(max(PUBLISHED), abs=5e-9)


def expected_reciprocal(f: int, p: float) -> float:
    """E[1/F] for F negative binomial given f: Σ P(F = j) / j, term by term."""
    total, chance = 0.0, p**f
    for j in range(f, 200_000):
        total += chance / j
        chance *= (1 - p) * j / (j + 1 - f)
    return total


@pytest.mark.parametrize("f", [1, 2])
@pytest.mark.parametrize("p", [0.9999999, 0.999, 0.5, 0.01])
def test_small_classes_have_the_expected_reciprocal(f, p):
    [risk] = individual_risk(np.array([float(f)]), np.array([f / p]))
    assert risk == pytest.approx(expected_reciprocal(f, p), rel=1e-6)


def test_a_complete_class_has_one_over_its_size():
    sizes = np.array([1.0, 2, 3, 50])
    assert individual_risk(sizes, sizes).tolist() == [1, 0.5, 1 / 3, 0.02]
    assert individual_risk(sizes, 0 * sizes).tolist() == [1, 0.5, 1 / 3, 0.02]


def test_a_population_fraction_stands_for_equal_weights():
    table = pd.DataFrame({"key": KEYS, "weight": 4.0})
    ids = ["individual-mean"]
    with_weights = of(table, list(range(8)), KEYED, ids, weight_column="weight")
    assert of(table, list(range(8)), KEYED, ids, population_fraction=0.25) == with_weights


@pytest.mark.parametrize("id_", ["zayatz", "pitman", "individual-mean", "suda-mean"])
def test_a_larger_population_protects(id_):
    table = pd.DataFrame({"key": list("abcdeeffggg"), "weight": 1.0})
    rows = list(range(11))
    values = [
        of(table, rows, KEYED, [id_], population_fraction=fraction)[id_]
        for fraction in (0.5, 0.1, 0.01)
    ]
    assert values == sorted(values, reverse=True)
    assert len(set(values)) == 3


@pytest.mark.parametrize("fraction", [0, 1.5, float("nan")])
def test_a_fraction_out_of_range_is_refused(fraction):
    with pytest.raises(ValueError, match="population_fraction"):
        Options(population_fraction=fraction).check()


# k-map and δ-presence


def test_presence_computed_manually():
    # X: a a a a b b c. Y keeps one a and both b: f/F is 1/4 and 1, and nobody with c is in Y.
    original = pd.DataFrame({"key": list("aaaabbc"), "weight": 1.0})
    ids = ["k-map", "presence", "absence"]
    values = of(original, [0, 4, 5], KEYED, ids)
    assert [values[id_] for id_ in ids] == [2, 1, 1]
    values = of(original, [0, 1, 4, 6], KEYED, ids)  # 2/4, 1/2, 1/1
    assert [values[id_] for id_ in ids] == [1, 1, 0.5]


@every(seed=range(20))
def test_presence_is_that_of_plain_python(seed):
    case = tables.case(seed)
    names = list(case.schema.quasi_identifiers)
    keys = [
        list(map(tuple, t[names].to_numpy().tolist())) if names else [()] * len(t)
        for t in (case.original, case.anonymized)
    ]
    people, records = keys
    found = [people.count(key) for key in set(records) if key in people]
    shares = [records.count(key) / people.count(key) for key in set(people)]
    values = score(
        case.original,
        case.anonymized,
        case.source,
        case.schema,
        measures=["k-map", "presence", "absence", "journalist-risk"],
    )
    assert values["k-map"] == (min(found) if found else len(people))
    assert values["presence"] == pytest.approx(min(1, max(shares)), abs=1e-9)
    assert values["absence"] == pytest.approx(1 - min(1, min(shares)), abs=1e-9)
    assert values["journalist-risk"] == pytest.approx(1 / values["k-map"] if found else 0, abs=1e-9)


# Distinction and separation


def test_the_figures_of_arx():
    """ARX, test of the risk of quasi-identifiers, whose five records are worked out manually."""
    table = pd.DataFrame(
        {
            "age": ["20", "30", "40", "20", "40"],
            "sex": list("FFFMM"),
            "state": ["CA", "CA", "TX", "NY", "CA"],
        }
    )
    found = {f.columns: (f.distinction, f.separation) for f in distinctions(table, list(table))}
    expected = {
        ("sex",): (0.4, 0.6),
        ("state",): (0.6, 0.7),
        ("age",): (0.6, 0.8),
        ("sex", "state"): (0.8, 0.9),
        ("age", "sex"): (1, 1),
        ("age", "state"): (1, 1),
        ("age", "sex", "state"): (1, 1),
    }
    assert found == {columns: pytest.approx(values) for columns, values in expected.items()}
    schema = Schema(
        tuple(Column(n, Role.QUASI_IDENTIFIER, Kind.CATEGORY) for n in ("sex", "state"))
    )
    values = of(table, list(range(5)), schema, ["distinction", "separation", "prosecutor-mean"])
    assert (values["distinction"], values["separation"]) == (0.8, 0.9)
    assert values["prosecutor-mean"] == values["distinction"]


@every(seed=range(10))
def test_separated_pairs_are_counted_pair_by_pair(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 20))
    table = pd.DataFrame({name: rng.integers(0, 3, n).astype(str) for name in "abc"})
    for found in distinctions(table, list("abc"), max_size=2):
        rows = table[list(found.columns)].to_numpy().tolist()
        apart = sum(one != other for one, other in combinations(rows, 2))
        assert found.separation == pytest.approx(apart / math.comb(n, 2))


def test_the_command_takes_a_fraction_weights_and_measures(tmp_path, capsys):
    table = pd.DataFrame({"key": KEYS, "weight": WEIGHTS})
    table.to_csv(tmp_path / "X.csv", index=False)
    (tmp_path / "R.csv").write_text("row\n" + "\n".join(map(str, range(1, 9))) + "\n")
    (tmp_path / "S.toml").write_text(KEYED.to_toml())
    command = ["score", "--json", "--schema", str(tmp_path / "S.toml")]
    for name, file in (("original", "X"), ("anonymized", "X"), ("rows", "R")):
        command += [f"--{name}", str(tmp_path / f"{file}.csv")]
    command += ["--measures", "individual-mean"]
    assert main([*command, "--weight-column", "weight"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["individual-mean"] == pytest.approx(sum(PUBLISHED) / 8, abs=5e-9)
    assert main([*command, "--population-fraction", "0.1"]) == 0
    assert json.loads(capsys.readouterr().out)["individual-mean"] < 0.2
    assert main([*command, "--population-fraction", "2"]) == 2
    assert "--population-fraction" in capsys.readouterr().err
    assert main([*command, "--weight-column", "key"]) == 1
    assert "weight_column" in capsys.readouterr().out
