# SPDX-License-Identifier: Apache-2.0
"""Statistical analyses of two tables against plain oracles, on small tables of our own and by hand."""

from __future__ import annotations

import math
from collections import Counter
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy import optimize, stats

from scoring.evaluate import score
from scoring.measures.analyses.groups import figures_of_groups, minus_log10_p
from scoring.measures.analyses.names import OF_GROUPS, OF_HAZARDS, OF_REGRESSION
from scoring.measures.analyses.regression import regression_figures, variance_inflation
from scoring.measures.analyses.survival import hazard_figures
from scoring.measures.catalog.analyses import ANALYSES
from scoring.rulesets import load_ruleset
from scoring.scores.comparison import Comparison, Options
from scoring.scores.sheets import sheets_of
from scoring.tables.schema import Column, Kind, Role, Schema
from scoring.tables.synthetic import read_synthetic

SCHEMA = Schema(
    (
        Column("sex", Role.QUASI_IDENTIFIER, Kind.CATEGORY),
        Column("race", Role.QUASI_IDENTIFIER, Kind.CATEGORY),
        Column("age", Role.QUASI_IDENTIFIER, Kind.INTEGER),
        Column("visits", Role.SENSITIVE, Kind.INTEGER),
        Column("weight", Role.SENSITIVE, Kind.NUMBER),
        Column("ill", Role.SENSITIVE, Kind.INTEGER),
    )
)
BINS = (0, 18, 45, 65, 200)
MEASURES = {
    "summary-statistics": {},
    "correlations": {"categories": "one-hot"},
    "regression": {"target": "ill", "columns": ("sex", "race", "age", "weight")},
    "group-differences": {"by": "age", "bins": BINS, "columns": ("visits", "weight")},
    "survival-curves": {"time": "weight", "event": "ill", "by": "sex"},
    "hazards": {"time": "weight", "event": "ill", "columns": ("race", "age")},
    "histograms": {},
    "pair-frequencies": {"columns": ("sex", "race", "visits")},
    "unique-records": {"columns": ("sex", "race", "age"), "step": 10},
    "training": {"target": "ill"},
}
"""An example of every analysis."""


def made(seed: int, n: int = 160) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    sex, race = (
        rng.choice(["F", "M"], n),
        rng.choice(["asian", "black", "white"], n, p=[0.2, 0.3, 0.5]),
    )
    age, visits = rng.integers(2, 90, n), rng.poisson(4 + 3 * (sex == "F"), n)
    weight = np.round(rng.normal(60 + 8 * (sex == "M") + age / 9, 9), 1)
    ill = (rng.random(n) < 1 / (1 + np.exp(-(age - 50) / 25 - (race == "black")))).astype(int)
    frame = pd.DataFrame(
        {"sex": sex, "race": race, "age": age, "visits": visits, "weight": weight, "ill": ill}
    )
    return frame.astype({"sex": "str", "race": "str"})


X, Y = made(1), made(2, 130)
COMPARISON = Comparison.of(X, Y, np.arange(len(Y)), SCHEMA)


def value(analysis: str, comparison: Comparison = COMPARISON, **parameters: object) -> float:
    given = {**MEASURES[analysis], **parameters}
    comparison.values.clear()  # where another measure of this name may be
    return ANALYSES[analysis].measure("own", given).value(comparison, Options())


# Laws of all analyses


def test_every_analysis_is_in_the_laws():
    """Those that read a further file have tests of their own, `test_models`, and so do copies, `test_content`."""
    others = {analysis.id for analysis in ANALYSES.values() if analysis.file} | {"verbatim"}
    assert set(MEASURES) == {*ANALYSES} - others


@pytest.mark.parametrize("analysis", [name for name in MEASURES if name != "unique-records"])
def test_equal_tables_are_not_apart_and_others_are_within_the_range(analysis):
    same = Comparison.of(X, X, np.arange(len(X)), SCHEMA)
    measure = ANALYSES[analysis].measure("own", MEASURES[analysis])
    if analysis != "training":  # whose model of Y has seen the held-out records too
        assert value(analysis, same) == 0
    assert value(analysis, same) <= value(analysis) <= measure.high
    assert value(analysis) > 0 or analysis == "training"


@pytest.mark.parametrize("analysis", MEASURES)
def test_neither_the_order_of_records_nor_their_declared_rows_decide(analysis):
    rng = np.random.default_rng(3)
    x, y = X.iloc[rng.permutation(len(X))], Y.iloc[rng.permutation(len(Y))]
    other = Comparison.of(x.reset_index(drop=True), y, rng.permutation(len(X))[: len(Y)], SCHEMA)
    assert value(analysis, other) == value(analysis)


@pytest.mark.parametrize("analysis", MEASURES)
def test_a_schema_without_the_columns_has_no_value(analysis):
    parameters = {**MEASURES[analysis], "columns": ("nothing",)}
    if analysis == "survival-curves":
        parameters = {**MEASURES[analysis], "time": "sex"}  # which is no number
    assert value(analysis, **parameters) is None


def test_a_measure_of_a_ruleset_is_scored_like_those_of_the_library():
    measure = ANALYSES["histograms"].measure("hist", {})
    found = score(X, Y, np.arange(len(Y)), SCHEMA, measures=["marginals", measure])
    assert list(found) == ["n_original", "n_anonymized", "marginals", "hist"]
    assert found["hist"] == value("histograms")


# Summary statistics


def summary(frame: pd.DataFrame) -> dict[str, float]:
    numeric = frame[["age", "visits", "weight", "ill"]]
    rows = {
        "mean": numeric.mean(),
        "sd": numeric.std(),
        **{f"q{q}": numeric.quantile(q) for q in (0.25, 0.5, 0.75)},
    }
    found = {
        f"{name} {column}": (v - row.min()) / (row.max() - row.min())
        for name, row in rows.items()
        for column, v in row.items()
    }
    for name in ("sex", "race"):
        found |= {f"{name} {k}": v for k, v in frame[name].value_counts(normalize=True).items()}
    corr = numeric.corr()
    return found | {f"{a} {b}": corr.loc[a, b] for a, b in combinations(numeric, 2)}


def largest(x: dict, y: dict) -> float:
    return max(abs(x.get(k, 0) - y.get(k, 0)) for k in {**x, **y})


def test_summary_statistics_agree_with_pandas():
    x, y = summary(X), summary(Y)
    assert value("summary-statistics") == pytest.approx(largest(x, y), abs=1e-9)
    mean = np.mean([abs(x.get(k, 0) - y.get(k, 0)) for k in {**x, **y}])
    assert value("summary-statistics", of="mean") == pytest.approx(mean, abs=1e-9)


def test_summary_statistics_on_paper():
    """Means 30 and 60 of X, 30 and 90 of Y; of the ranges 20 and 40 of X nothing and 30 / 40."""
    schema = Schema(tuple(Column(c, Role.SENSITIVE, Kind.INTEGER) for c in "ab"))
    x = pd.DataFrame({"a": [20, 40, 30], "b": [40, 80, 60]})
    y = pd.DataFrame({"a": [30, 30, 30], "b": [80, 100, 90]})
    found = Comparison.of(x, y, np.arange(3), schema)
    assert value("summary-statistics", found, parts=["mean"], scale="none") == 30
    assert value("summary-statistics", found, parts=["mean"], scale="range") == 0.75
    assert (
        value("summary-statistics", found, parts=["mean"]) == 0
    )  # 0 and 1 among the columns, both
    # standard deviations 10 and 20 of X, 0 and 10 of Y
    assert value("summary-statistics", found, parts=["deviation"], scale="none") == pytest.approx(
        10
    )
    assert (
        value("correlations", found, categories="left-out") == 1
    )  # 1 in X, a constant column in Y


def test_correlations_of_categories_agree_with_pandas():
    def correlations(frame: pd.DataFrame) -> dict[tuple[str, str], float]:
        coded = pd.get_dummies(frame, dtype=float, prefix_sep="=")
        return {
            (a, b): v
            for a, b in combinations(sorted(coded), 2)
            if a.partition("=")[0] != b.partition("=")[0]
            for v in [coded[a].corr(coded[b])]
        }

    expected = largest(correlations(X), correlations(Y))
    assert value("correlations") == pytest.approx(expected, abs=1e-9)


# Regression


def newton(columns: np.ndarray, response: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Coefficients of a logistic regression and their standard errors, by Newton's method."""
    design = np.column_stack([np.ones(len(columns)), columns])
    scale = np.abs(design).max(axis=0)
    design, beta = design / scale, np.zeros(design.shape[1])
    for _ in range(50):
        p = 1 / (1 + np.exp(-design @ beta))
        information = (design * (p * (1 - p))[:, None]).T @ design
        beta = beta + np.linalg.solve(information, design.T @ (response - p))
    return (beta / scale)[1:], (np.sqrt(np.diag(np.linalg.inv(information))) / scale)[1:]


def test_a_regression_agrees_with_newtons_method():
    [sheet] = sheets_of(SCHEMA, X)
    found = regression_figures(
        sheet,
        target="ill",
        positive="1",
        names=["sex", "race", "age", "weight"],
        coefficients="raw",
        train=1,
    )
    coded = pd.get_dummies(X[["sex", "race", "age", "weight"]], drop_first=True, dtype=float)
    terms = {"sex_M": ("sex", 1), "race_black": ("race", 1), "race_white": ("race", 2)}
    beta, error = newton(coded.to_numpy(), X["ill"].to_numpy(dtype=float))
    for name, b, e in zip(coded, beta, error, strict=True):
        term, z = terms.get(name, (name, -1)), stats.norm.ppf(0.975)
        odds, low, high = np.exp([b, b - z * e, b + z * e])
        assert found["coefficients", 0, term] == pytest.approx(b, abs=1e-7)
        assert found["p-values", 0, term] == pytest.approx(2 * stats.norm.sf(abs(b / e)), abs=1e-7)
        assert found["odds-ratios", 0, term] == pytest.approx(odds / (1 + odds), abs=1e-7)
        assert found["intervals", 0, term] == pytest.approx(low / (1 + low), abs=1e-7)
        assert found["intervals", 1, term] == pytest.approx(high / (1 + high), abs=1e-7)
        others = coded.drop(columns=name).assign(one=1.0).to_numpy()
        left = coded[name] - others @ np.linalg.lstsq(others, coded[name], rcond=None)[0]
        r2 = 1 - (left**2).sum() / ((coded[name] - coded[name].mean()) ** 2).sum()
        assert found["collinearity", 0, term] == pytest.approx(r2, abs=1e-7)
    assert {part for part, _n, _term in found} == set(OF_REGRESSION)


def figures_by_newton(frame: pd.DataFrame) -> dict[tuple[str, str], float]:
    """The table of the official scorer of 2025, by Newton's method: four fifths of the lines, in the file's order."""
    from sklearn.model_selection import train_test_split

    coded = pd.get_dummies(frame[["sex", "race", "age", "weight"]], drop_first=True, dtype=float)
    learned, _tested, ill, _others = train_test_split(
        coded, frame["ill"], test_size=0.2, random_state=42, stratify=frame["ill"]
    )
    beta, error = newton(learned.to_numpy(), ill.to_numpy(dtype=float))
    found = {}
    for name, b, e in zip(learned, beta, error, strict=True):
        z, others = stats.norm.ppf(0.975), learned.drop(columns=name).assign(one=1.0).to_numpy()
        left = learned[name] - others @ np.linalg.lstsq(others, learned[name], rcond=None)[0]
        r2 = 1 - (left**2).sum() / ((learned[name] - learned[name].mean()) ** 2).sum()
        found |= {
            ("coefficients", name): b,
            ("p-values", name): 2 * stats.norm.sf(abs(b / e)),
            ("odds-ratios", name): 1 / (1 + math.exp(-b)),
            ("low", name): 1 / (1 + math.exp(-(b - z * e))),
            ("high", name): 1 / (1 + math.exp(-(b + z * e))),
            ("collinearity", name): r2,
        }
    return found


COEFFICIENTS = {
    "raw": lambda a, b: abs(b - a),
    "squashed": lambda a, b: abs(1 / (1 + math.exp(-b)) - 1 / (1 + math.exp(-a))),
    "squashed-difference": lambda a, b: abs(2 * (1 / (1 + math.exp(a - b)) - 0.5)),
}
"""Distances of two coefficients: that of the cup's first scorer, the default, that of its last."""


@pytest.mark.parametrize("form", COEFFICIENTS)
@pytest.mark.parametrize("of", ["largest", "mean"])
def test_the_official_regression_reads_the_files_in_their_order(form, of):
    x, y = figures_by_newton(X), figures_by_newton(Y)
    apart = {
        key: COEFFICIENTS[form](x[key], y[key])
        if key[0] == "coefficients"
        else abs(y[key] - x[key])
        for key in x
    }
    expected = max(apart.values()) if of == "largest" else sum(apart.values()) / len(apart)
    given = {"order": "as-submitted", "coefficients": form, "of": of}
    assert value("regression", **given) == pytest.approx(expected, abs=1e-7)


def test_the_three_forms_of_coefficients_differ_and_only_one_counts_nothing_twice():
    own = {
        form: value("regression", coefficients=form, parts=["coefficients"])
        for form in COEFFICIENTS
    }
    assert len(set(own.values())) == 3
    odds = value("regression", parts=["odds-ratios"])
    assert [form for form in own if own[form] == pytest.approx(odds)] == ["squashed"]
    measures = {form: ANALYSES["regression"].measure("own", {"coefficients": form}) for form in own}
    assert {form: m.high for form, m in measures.items()} == {
        "raw": None, "squashed": 1, "squashed-difference": 1,
    }  # fmt: skip


@pytest.mark.parametrize("order", ["canonical", "as-submitted"])
def test_the_order_of_the_file_is_the_same_read_and_as_a_frame_and_decides_if_the_rules_say_so(
    order,
):
    lines = np.random.default_rng(8).permutation(len(Y))
    measure = ANALYSES["regression"].measure("own", {**MEASURES["regression"], "order": order})
    values = []
    for table in (Y, Y.iloc[lines].reset_index(drop=True)):
        read = read_synthetic(table.to_csv(index=False).encode(), SCHEMA)
        at_home, uploaded = (
            score(X, each, None, SCHEMA, measures=[measure])["own"] for each in (table, read)
        )
        assert at_home == uploaded
        values.append(uploaded)
    assert (values[0] == values[1]) == (order == "canonical")


def test_the_published_points_of_the_readme_of_2025():
    """Its pair of files gives .5518, .8862336 and .0337611, together 39.528107 of 80 points."""
    ruleset = load_ruleset("membership-2025")
    parts = {"statistics": 0.5518, "regression": 0.8862336002, "groups": 0.0337610532}
    parts["learning"] = 1.0
    terms = ruleset.measure("utility").terms
    points = sum(term.weight * term.share(parts[term.measure.id]) for term in terms)
    assert points == pytest.approx(39.528107, abs=5e-7)
    assert ruleset.measure("regression").parameters["coefficients"] == "squashed-difference"


def test_odds_on_paper():
    """Of 8 records with a = 1 six are ill, of 8 with a = 0 two: odds 3 and 1/3, so their ratio is 9."""
    schema = Schema(tuple(Column(c, Role.SENSITIVE, Kind.INTEGER) for c in ("a", "ill")))
    x = pd.DataFrame({"a": [1] * 8 + [0] * 8, "ill": [1] * 6 + [0] * 2 + [1] * 2 + [0] * 6})
    y = x.assign(ill=[1, 0] * 8)  # odds 1 and 1, and a ratio of 1
    found = Comparison.of(x, y, np.arange(16), schema)
    parameters = {"target": "ill", "columns": (), "train": 1, "parts": ["odds-ratios"]}
    assert value("regression", found, **parameters) == pytest.approx(9 / 10 - 1 / 2, abs=1e-8)
    raw = value(
        "regression", found, **parameters | {"parts": ["coefficients"], "coefficients": "raw"}
    )
    assert raw == pytest.approx(math.log(9), abs=1e-7)


def test_a_table_without_a_model_has_the_worst_value():
    y = Y.assign(ill=0)
    assert value("regression", Comparison.of(X, y, np.arange(len(y)), SCHEMA)) == 1
    assert value("regression", Comparison.of(X.assign(ill=0), Y, np.arange(len(Y)), SCHEMA)) is None
    assert value("hazards", Comparison.of(X, y, np.arange(len(y)), SCHEMA)) == 1


def test_columns_that_follow_from_each_other_have_no_finite_inflation():
    a, b = np.random.default_rng(1).random((2, 50))
    found = variance_inflation(np.column_stack([a, b, a + b]))
    assert (1 - 1 / found > 1 - 1e-9).all()
    assert variance_inflation(np.column_stack([a, np.ones(50)]))[1] == 1


# Groups


def test_figures_of_groups_agree_with_scipy_and_with_counting_pairs():
    rng = np.random.default_rng(7)
    for ties in (3, 1000):
        values, groups = rng.integers(0, ties, 70).astype(float), rng.integers(-1, 4, 70)
        used = [values[groups == g] for g in range(4)]
        n, k = sum(map(len, used)), len(used)
        h = stats.kruskal(*used).statistic
        above = either = weights = 0.0
        for one, other in combinations(used, 2):
            wins = sum((a > b) + (a == b) / 2 for a in one for b in other)
            above, weights = above + wins, weights + len(one) * len(other)
            either += abs(2 * wins - len(one) * len(other))
        found = figures_of_groups(values, groups)
        largest_h = stats.kruskal(
            *np.split(np.arange(n), np.cumsum([len(g) for g in used])[:-1])
        ).statistic
        assert found["statistic"] == pytest.approx(h / largest_h)
        log_p = -stats.chi2.logsf(h, k - 1) / math.log(10)
        assert found["p-value"] == pytest.approx(2 / math.pi * math.atan(log_p / 10))
        assert found["epsilon-squared"] == pytest.approx(max(0, (h - k + 1) / (n - k + 1)))
        assert found["eta-squared"] == pytest.approx(max(0, (h - k + 1) / (n - 1)))
        assert found["rank-eta-squared"] == pytest.approx(h / (n - 1))
        assert found["pairs"] == pytest.approx(above / weights)
        assert found["pairs-either-way"] == pytest.approx(either / weights)
        assert list(found) == list(OF_GROUPS)


def test_groups_that_are_too_few_or_all_equal_have_no_figures():
    values = np.arange(4.0)
    assert set(figures_of_groups(values, np.array([0, 0, 0, 1])).values()) == {0}
    assert set(figures_of_groups(np.ones(4), np.array([0, 0, 1, 1])).values()) == {0}


def test_tails_that_no_float_holds():
    for degrees in (1, 2, 3, 7):
        above, below = (minus_log10_p(h, degrees) for h in (1334, 1336))  # about 1e-290
        exact = -stats.chi2.logsf(1300, degrees) / math.log(10)
        assert minus_log10_p(1300, degrees) == pytest.approx(exact, rel=1e-9)
        assert 0.43 < below - above < 0.44
    assert minus_log10_p(0, 3) == 0


def test_bins_of_a_number():
    schema = Schema(tuple(Column(c, Role.SENSITIVE, Kind.INTEGER) for c in ("age", "n")))
    x = pd.DataFrame({"age": [0, 17, 18, 44, 45, 300, -1], "n": [1, 2, 3, 4, 5, 6, 99]})
    found = Comparison.of(x, x.assign(n=x["n"].max() - x["n"]), np.arange(7), schema)
    # Groups (1, 2), (3, 4), (5, 6) in order in X and in the reverse order in Y: no pair is above, then all.
    parameters = {"bins": (0, 18, 45, 65), "columns": ("n",)}
    assert value("group-differences", found, **parameters) == 1
    assert value("group-differences", found, **parameters, parts=["rank-eta-squared"]) == 0


# Survival


def kaplan_meier(times: np.ndarray, events: np.ndarray, at: float) -> float:
    left = 1.0
    for t in sorted(set(times[(events == 1) & (times <= at)])):
        left *= 1 - ((times == t) & (events == 1)).sum() / (times >= t).sum()
    return left


def test_survival_curves_agree_with_the_product_of_shares():
    expected = 0.0
    for sex in ("F", "M"):
        x, y = X[X["sex"] == sex], Y[Y["sex"] == sex]
        for at in sorted({*X["weight"], *Y["weight"]}):
            curves = [kaplan_meier(t["weight"].to_numpy(), t["ill"].to_numpy(), at) for t in (x, y)]
            expected = max(expected, abs(curves[0] - curves[1]))
    assert value("survival-curves") == pytest.approx(expected, abs=1e-8)


def test_a_group_that_is_missing_is_as_far_as_can_be():
    y = Y[Y["sex"] == "F"].reset_index(drop=True)
    assert value("survival-curves", Comparison.of(X, y, np.arange(len(y)), SCHEMA)) == 1


def test_hazards_agree_with_the_partial_likelihood():
    [sheet] = sheets_of(SCHEMA, X)
    names = {"time": "weight", "event": "ill", "positive": "1", "names": ["race", "age"]}
    found = hazard_figures(sheet, **names)
    coded = pd.get_dummies(X[["race", "age"]], drop_first=True, dtype=float)[
        ["race_black", "race_white", "age"]
    ]
    rows, times, events = coded.to_numpy(), X["weight"].to_numpy(), X["ill"].to_numpy()

    def loss(beta: np.ndarray) -> float:
        risk = rows @ beta
        at_risk = times[None, :] >= times[:, None]
        return -sum(
            (risk[i] - np.log(np.exp(risk[at_risk[i]]).sum())) for i in np.flatnonzero(events)
        )

    beta = optimize.minimize(loss, np.zeros(3), method="BFGS", options={"gtol": 1e-8}).x
    for b, term in zip(beta, (("race", 1), ("race", 2), ("age", -1)), strict=True):
        assert found["hazard-ratios", 0, term] == pytest.approx(
            np.exp(b) / (1 + np.exp(b)), abs=1e-5
        )
    assert {part for part, _n, _term in found} == set(OF_HAZARDS)


# Frequencies


@pytest.mark.parametrize("step", [0, 10, 1000])
def test_unique_records_agree_with_counting(step):
    rounded = Y.assign(age=(Y["age"] / step).round() if step else Y["age"])
    counts = Counter(zip(rounded["sex"], rounded["race"], rounded["age"], strict=True))
    expected = sum(n == 1 for n in counts.values()) / len(X)
    assert value("unique-records", step=step) == pytest.approx(expected, abs=1e-9)


def test_pair_frequencies_agree_with_counting():
    found = []
    for a, b in combinations(("sex", "race", "visits"), 2):
        x, y = (Counter(zip(t[a], t[b], strict=True)) for t in (X, Y))
        found.append(sum(abs(x[p] / len(X) - y[p] / len(Y)) for p in x | y) / 2)
    assert value("pair-frequencies") == pytest.approx(max(found), abs=1e-9)
    assert value("pair-frequencies", of="mean") == pytest.approx(np.mean(found), abs=1e-9)
    persons = {"skipped": ("sex", "race"), "of": "mean"}
    assert value("pair-frequencies", **persons) == pytest.approx(np.mean(found[1:]), abs=1e-9)
    against = {"against": "sex", "of": "mean"}
    assert value("pair-frequencies", **against) == pytest.approx(np.mean(found[:2]), abs=1e-9)
    x, y = (Counter(zip(t["sex"], t["race"], strict=True)) for t in (X, Y))
    bar = max(abs(x[p] / len(X) - y[p] / len(Y)) for p in x | y)
    one = {"columns": ("race",), "against": "sex", "distance": "bar"}
    assert value("pair-frequencies", **one) == pytest.approx(bar, abs=1e-9)


def test_histograms_agree_with_numpy():
    found = {}
    for name in SCHEMA.names:
        if name in ("sex", "race"):
            x, y = (t[name].value_counts(normalize=True) for t in (X, Y))
            found[name] = (x - y).abs().to_numpy()
            continue
        edges = np.linspace(X[name].min(), X[name].max(), 11)
        edges = np.concatenate([[-np.inf], edges[:-1], [np.nextafter(edges[-1], np.inf), np.inf]])
        x, y = (np.histogram(t[name], edges)[0] / len(t) for t in (X, Y))
        found[name] = np.abs(x - y)
    assert value("histograms") == pytest.approx(max(map(max, found.values())), abs=1e-9)
    totals = [differences.sum() / 2 for differences in found.values()]
    assert value("histograms", distance="total", of="mean") == pytest.approx(
        np.mean(totals), abs=1e-9
    )


# Training


def test_a_table_that_says_the_opposite_teaches_nothing():
    x = X.assign(ill=(X["age"] > 50).astype(int))
    y = x.assign(ill=1 - x["ill"])
    found = Comparison.of(x, y, np.arange(len(x)), SCHEMA)
    for model in ("decision-tree", "random-forest"):
        assert value("training", found, model=model) > 0.9
    assert value("training", found, model="decision-tree", score="f1") > 0.9
    same = Comparison.of(x, x, np.arange(len(x)), SCHEMA)
    for model in ("logistic-regression", "gradient-boosting", "xgboost"):
        assert value("training", same, model=model) <= 0.05
