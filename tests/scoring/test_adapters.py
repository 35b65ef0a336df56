# SPDX-License-Identifier: Apache-2.0
"""Adapters: hierarchies of ARX, synthesizers of others, and OpenDP and anonymeter next to ours."""

from __future__ import annotations

import json
import math
import sys
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import scoring
from scoring import classroom
from scoring.errors import ProblemsFound
from scoring.extras import MissingPackageError
from scoring.measures import disclosure
from scoring.privacy import by_opendp, randomized_response, zcdp
from scoring.privacy.sampling import discrete_laplace, secure
from scoring.scores.comparison import Comparison, Prepared
from scoring.tables.schema import Column, Kind, Role, Schema

SCHEMA = Schema(
    (
        Column("age", Role.QUASI_IDENTIFIER, Kind.INTEGER, min=0, max=120),
        Column("workclass", Role.QUASI_IDENTIFIER, Kind.CATEGORY),
        Column("income", Role.SENSITIVE, Kind.NUMBER, min=0, decimals=2),
    )
)
# As the examples of ARX: semicolons, no header, the whole as * in the last column.
AGE = b"17;[17, 30[;[17, 50[;*\n29;[17, 30[;[17, 50[;*\n30;[30, 50[;[17, 50[;*\n50;>=50;>=50;*\n"
WORK = b"Private;Non-Government;*\nLocal-gov;Government;*\nState-gov;Government;*\n"
TABLE = pd.DataFrame(
    {
        "age": [17, 29, 30, 50],
        "workclass": ["Private", "Local-gov", "State-gov", "Private"],
        "income": [1.5, 2.0, 3.25, 4.0],
    }
)


# Hierarchies


def test_hierarchies_of_arx_are_those_of_ours():
    found = scoring.hierarchies({"age": AGE, "workclass": WORK}, SCHEMA)
    assert found["age"] == {"type": "numeric", "threshold_1": "30/50", "threshold_2": "50"}
    assert found["workclass"]["definition"]["State-gov"] == {"depth_1": "Government"}


@pytest.mark.parametrize("delimiter", [";", ",", "\t"])
def test_cells_may_be_separated_as_other_libraries_do(delimiter):
    lines = [["a b", "x", "*"], ["c", "y", "*"]]
    data = "".join(delimiter.join(line) + "\r\n" for line in lines).encode("utf-8-sig")
    found = scoring.hierarchies({"workclass": data}, SCHEMA)
    assert found["workclass"]["definition"] == {"a b": {"depth_1": "x"}, "c": {"depth_1": "y"}}
    assert found == scoring.hierarchies({"workclass": pd.DataFrame(lines)}, SCHEMA)


def test_a_folder_holds_a_file_for_each_column(tmp_path):
    (tmp_path / "adult_hierarchy_age.csv").write_bytes(AGE)
    (tmp_path / "workclass.csv").write_bytes(WORK)
    found = scoring.hierarchies(tmp_path, SCHEMA)
    assert found == scoring.hierarchies({"age": AGE, "workclass": WORK}, SCHEMA)
    (tmp_path / "occupation.csv").write_bytes(WORK)
    with pytest.raises(ProblemsFound, match="no such column") as caught:
        scoring.hierarchies(tmp_path, SCHEMA)
    assert [one.code for one in caught.value.problems] == ["hierarchy.unknown_column"]
    for wrong in (tmp_path / "none", {"age": tmp_path / "none.csv"}, {"age": b"\xff"}):
        with pytest.raises(ProblemsFound) as caught:
            scoring.hierarchies(wrong, SCHEMA)
        assert caught.value.problems[0].code == "hierarchy.unreadable"


def test_methods_and_measures_take_them(tmp_path):
    content = scoring.hierarchies({"age": AGE, "workclass": WORK}, SCHEMA)
    expected = ["Non-Government", "Government", "Government", "Non-Government"]
    found = classroom.generalize(TABLE, ["workclass"], 1, content)
    assert found["workclass"].tolist() == expected
    path = tmp_path / "attr_depth.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    options = {"columns": ("workclass",), "hierarchy": str(path), "k": 2, "write": "label"}
    made = scoring.anonymize(TABLE, "datafly", SCHEMA, seed=1, **options)
    assert made.table["workclass"].tolist() == expected


@pytest.mark.parametrize(
    ("column", "data", "text"),
    [
        ("age", b"17;a\n17;b\n", "each value in one line only"),
        ("age", b"17;a;*\n18;b\n", "as many labels as the first line"),
        ("age", b"17\n18\n", "as many labels as the first line"),
        ("age", b"", "as many labels as the first line"),
        ("age", b"young;a\n18;b\n", "a number"),
        ("age", b"nan;a\n18;b\n", "a number"),
        ("age", b"17;a\n18;b\n19;a\n", "groups of neighbouring numbers"),
    ],
)
def test_problems_of_such_files_name_their_place(column, data, text):
    with pytest.raises(ProblemsFound, match=text) as caught:
        scoring.hierarchies({column: data}, SCHEMA)
    assert {one.column for one in caught.value.problems} == {column}


# Synthesizers


class Synthesizer:
    """Draws each column by itself, as the simplest ones do, with numbers beyond their columns."""

    def fit(self, data: pd.DataFrame) -> None:
        self.data = data

    def sample(self, num_rows: int) -> pd.DataFrame:
        rng = np.random.default_rng(1)
        drawn = {name: rng.choice(self.data[name], num_rows) for name in self.data.columns[::-1]}
        made = pd.DataFrame(drawn)
        made["age"] = made["age"] + 100.4
        made["income"] = made["income"] + 0.00499
        return made.set_index(pd.Index(range(5, 5 + num_rows)))


def test_a_table_of_a_synthesizer_fits_the_schema_and_is_scored():
    made = scoring.synthesize(TABLE, Synthesizer(), SCHEMA, records=50)
    assert made.columns.tolist() == list(SCHEMA.names)
    assert made.index.tolist() == list(range(50))
    assert made["age"].dtype == np.int64
    assert made["age"].max() == 120
    assert set(made["income"]) <= {1.5, 2.0, 3.25, 4.0, 1.51, 2.01, 3.26, 4.01}
    assert scoring.read(made, SCHEMA).equals(made)
    found = scoring.score(TABLE, made, SCHEMA, measures=["pmse", "marginals"], synthetic=True)
    assert found["pmse"] is not None
    assert found["marginals"] is not None


def test_synthesizers_of_other_forms():
    class Plugin(Synthesizer):
        def generate(self, count: int) -> object:
            made = Synthesizer.sample(self, count)
            return type("Loader", (), {"dataframe": lambda _self: made})()

        sample = None  # type: ignore[assignment]

    class ByPlace(Synthesizer):
        def sample(self, n: int) -> pd.DataFrame:
            return Synthesizer.sample(self, n)

    expected = scoring.synthesize(TABLE, Synthesizer(), SCHEMA)
    for one in (Plugin(), ByPlace()):
        assert scoring.synthesize(TABLE, one, SCHEMA).equals(expected)
    fitted = Synthesizer()
    fitted.fit(TABLE)
    assert scoring.synthesize(TABLE, fitted, SCHEMA, fit=False).equals(expected)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda t: t.drop(columns="age"), "got none of"),
        (lambda t: t.assign(age=None), "age: expected a value in each cell, got 4 empty ones"),
        (lambda t: t.head(2), "expected 4 records, got 2"),
        (lambda t: t.assign(workclass="Never"), "workclass: expected values of the schema"),
    ],
)
def test_what_a_synthesizer_leaves_out_is_named(change, text):
    class Wrong(Synthesizer):
        def sample(self, num_rows: int) -> pd.DataFrame:
            return change(Synthesizer.sample(self, num_rows))

    listed = Column(
        "workclass",
        Role.QUASI_IDENTIFIER,
        Kind.CATEGORY,
        values=("Private", "Local-gov", "State-gov"),
    )
    with pytest.raises(ValueError, match=text):
        scoring.synthesize(TABLE, Wrong(), SCHEMA.replace_column(listed))


def test_a_synthesizer_sees_no_identifiers():
    seen = []

    class Seeing(Synthesizer):
        def fit(self, data: pd.DataFrame) -> None:
            seen.extend(data.columns)
            super().fit(data)

    named = Schema((Column("name", Role.IDENTIFIER, Kind.CATEGORY), *SCHEMA.columns))
    scoring.synthesize(TABLE.assign(name=list("abcd")), Seeing(), named)
    assert seen == list(SCHEMA.names)


# OpenDP, which others wrote

N = 20_000
SURE = 1e-7
"""Tests of distributions fail by chance once in ten million runs."""


@pytest.mark.parametrize(("sensitivity", "epsilon"), [(1, 0.5), (2, 1.0), (2, 0.1)])
def test_both_draw_discrete_laplace_noise(sensitivity, epsilon):
    scale = Fraction(sensitivity) / Fraction(epsilon)
    theirs = by_opendp.noisy_counts(np.zeros((2, N // 2), dtype=int), sensitivity, epsilon)
    assert theirs.shape == (2, N // 2)
    q = math.exp(-1 / scale)
    for drawn in (theirs.ravel(), discrete_laplace(scale, N, secure())):
        edge = int(3 * scale) + 1
        values = np.arange(-edge, edge + 1)
        expected = (1 - q) / (1 + q) * q ** np.abs(values) * N
        counts = np.array([(drawn == value).sum() for value in values])
        rest, rest_expected = N - counts.sum(), N - expected.sum()
        found = stats.chisquare([*counts, rest], [*expected, rest_expected])
        assert found.pvalue > SURE


@pytest.mark.parametrize("epsilon", [0.01, 0.25, 1.0, 5.0])
@pytest.mark.parametrize("sensitivity", [1, 2, 3])
def test_both_charge_the_same_for_counts(sensitivity, epsilon):
    measurement = by_opendp.laplace_measurement(sensitivity, epsilon)
    assert measurement.map(sensitivity) == pytest.approx(epsilon, rel=1e-12)
    assert measurement.map(2 * sensitivity) == pytest.approx(2 * epsilon, rel=1e-12)


@pytest.mark.parametrize("sigma", [0.5, 1.0, 3.0, 20.0])
def test_both_charge_the_same_for_gaussian_noise(sigma):
    measurement = by_opendp.gaussian_measurement(sigma)
    rho = zcdp.rho_of_gaussian(sigma)
    assert measurement.map(1.0) == pytest.approx(rho, rel=1e-12)
    import opendp.prelude as dp

    curve = dp.c.make_zCDP_to_approxDP(measurement).map(1.0)
    for delta in (1e-9, 1e-6, 1e-3):
        assert zcdp.epsilon_of_rho(rho, delta) == pytest.approx(curve.epsilon(delta), rel=1e-3)


@pytest.mark.parametrize("size", [2, 3, 10])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_both_charge_the_same_for_randomized_response(size, epsilon):
    values = [f"v{i}" for i in range(size)]
    measurement = by_opendp.response_measurement(values, epsilon)
    assert measurement.map(1) == pytest.approx(epsilon, rel=1e-9)
    answers = pd.Series([measurement("v0") for _ in range(3_000)])
    true = randomized_response.probabilities(size, epsilon).true
    found = stats.binomtest(int((answers == "v0").sum()), len(answers), true)
    assert found.pvalue > SURE


def test_without_opendp_it_says_what_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "opendp.prelude", None)
    with pytest.raises(MissingPackageError, match=r"pip install \"pwscup\[adapters\]\""):
        by_opendp.noisy_counts([1], 1, 1.0)
    for wrong in (0, -1, math.inf):
        with pytest.raises(ValueError, match="epsilon"):
            by_opendp.response_measurement(["a", "b"], wrong)


# Anonymeter, which others wrote: it needs older libraries, so its figures are written down here

LINKED = {1: (18, 2), 3: (91, 11)}
"""Successes of `LinkabilityEvaluator` of anonymeter 1.1.0 against X and the control table, by neighbours."""
INFERRED = (254, 92)
"""Those of its `InferenceEvaluator` about the category t, from all other columns."""


@pytest.fixture(scope="module")
def compared() -> Comparison:
    """X, strangers, and Y with noisy records of X: 300 each, all of which are attacked."""
    rng, n = np.random.default_rng(20), 300
    numbers, kinds = list("pqrs"), np.array(list("abc"))

    def people() -> pd.DataFrame:
        drawn = rng.random((n, 4)).round(9)
        labels = kinds[rng.integers(0, 3, (n, 2))]
        return pd.DataFrame(drawn, columns=numbers).assign(t=labels[:, 0], u=labels[:, 1])

    x, control = people(), people()
    y = x.copy()
    y[numbers] = (y[numbers] + rng.normal(0, 0.08, (n, 4))).round(9)
    order = rng.permutation(n)
    columns = [Column(name, Role.QUASI_IDENTIFIER, Kind.NUMBER) for name in numbers]
    columns += [Column(name, Role.QUASI_IDENTIFIER, Kind.CATEGORY) for name in "tu"]
    schema = Schema(tuple(columns))
    prepared = Prepared.of(x, schema, control=control)
    return Comparison.of(prepared, y.iloc[order].reset_index(drop=True), order, schema)


@pytest.mark.parametrize("n_neighbours", LINKED)
def test_both_link_the_same_records(compared, n_neighbours):
    found = disclosure.linkability(
        compared,
        rng=np.random.default_rng(1),
        columns=(["p", "q", "t"], ["r", "s", "u"]),
        n_neighbours=n_neighbours,
    )
    assert (found.main.hits, found.control.hits) == LINKED[n_neighbours]


def test_both_infer_the_same_category(compared):
    found = disclosure.inference(compared, rng=np.random.default_rng(1), secret="t")
    assert (found.main.hits, found.control.hits) == INFERRED
