# SPDX-License-Identifier: Apache-2.0
"""Model files of teams: what is wrong with one is a problem, whatever XGBoost would do with it."""

from __future__ import annotations

import json
import sys
from math import exp
from time import process_time

import numpy as np
import pandas as pd
import pytest

from scoring.errors import ProblemsFound
from scoring.evaluate import score
from scoring.extras import MissingPackageError
from scoring.measures.catalog.analyses import ANALYSES
from scoring.rulesets import load_ruleset, parse_ruleset
from scoring.sandbox import Limits
from scoring.sandbox.models import MAX_MODEL_BYTES, features_of, predictions, read_model, trained
from scoring.scores.prepared import Prepared
from scoring.tables.schema import Column, Kind, Role, Schema

SCHEMA = Schema(
    (
        Column("AGE", Role.QUASI_IDENTIFIER, Kind.NUMBER),
        Column("SEX", Role.QUASI_IDENTIFIER, Kind.CATEGORY),
        Column("CLASS", Role.QUASI_IDENTIFIER, Kind.CATEGORY, values=("1", "2")),
        Column("WARD", Role.QUASI_IDENTIFIER, Kind.CATEGORY, values=("N", "S")),
        Column("ILL", Role.SENSITIVE, Kind.CATEGORY, values=("0", "1")),
    )
)
TABLE = pd.DataFrame(
    {
        "AGE": [30.0, 50.0, 70.0],
        "SEX": ["F", "M", "F"],
        "CLASS": ["1", "2", "2"],
        "WARD": ["N", "N", "S"],
        "ILL": ["0", "1", "1"],
    }
)


def stump(feature, threshold, low, high):
    """A tree that gives `low` below a threshold of one feature, else `high`."""
    return {
        "base_weights": [0.0, low, high],
        "categories": [],
        "categories_nodes": [],
        "categories_segments": [],
        "categories_sizes": [],
        "default_left": [0, 0, 0],
        "id": 0,
        "left_children": [1, -1, -1],
        "loss_changes": [1.0, 0.0, 0.0],
        "parents": [2147483647, 0, 0],
        "right_children": [2, -1, -1],
        "split_conditions": [threshold, low, high],
        "split_indices": [feature, 0, 0],
        "split_type": [0, 0, 0],
        "sum_hessian": [2.0, 1.0, 1.0],
        "tree_param": {
            "num_deleted": "0",
            "num_feature": "2",
            "num_nodes": "3",
            "size_leaf_vector": "1",
        },
    }


def model(features=("AGE", "SEX_M"), **changes):
    """Two stumps: AGE < 40 and SEX_M < 0.5, as XGBoost 3 would save them; `a__b` changes key b of a."""
    trees = [stump(0, 40.0, -1.0, 1.0), stump(1, 0.5, 0.0, 2.0)]
    content = {
        "learner": {
            "attributes": {},
            "feature_names": list(features),
            "feature_types": [],
            "gradient_booster": {
                "model": {
                    "gbtree_model_param": {"num_parallel_tree": "1", "num_trees": "2"},
                    "iteration_indptr": [0, 1, 2],
                    "tree_info": [0, 0],
                    "trees": [dict(tree, id=number) for number, tree in enumerate(trees)],
                },
                "name": "gbtree",
            },
            "learner_model_param": {
                "base_score": "5E-1",
                "boost_from_average": "1",
                "num_class": "0",
                "num_feature": str(len(features)),
                "num_target": "1",
            },
            "objective": {"name": "binary:logistic", "reg_loss_param": {"scale_pos_weight": "1"}},
        },
        "version": [3, 2, 0],
    }
    for path, value in changes.items():
        *folders, last = [int(key) if key.isdigit() else key for key in path.split("__")]
        at = content
        for key in folders:
            at = at[key]
        at[last] = value
    return json.dumps(content).encode()


TREES = "learner__gradient_booster__model__trees"


def codes(work):
    with pytest.raises(ProblemsFound) as found:
        work()
    assert all(str(problem).startswith("model — ") for problem in found.value.problems)
    return [problem.code for problem in found.value.problems]


def test_the_probabilities_are_those_of_the_trees():
    """base_score 0.5 is a log-odds of 0, to which the leaves of both trees are added."""
    found = predictions(model(), TABLE, SCHEMA, "ILL")
    expected = [1 / (1 + exp(-log_odds)) for log_odds in (-1, 3, 1)]
    assert found == pytest.approx(expected, abs=1e-6)


def test_a_bomb_ends_in_its_sandbox():
    bomb = model(**{f"{TREES}__0__tree_param__num_nodes": "2000000000"})
    assert codes(lambda: predictions(bomb, TABLE, SCHEMA, "ILL")) == ["model.refused"]
    short = Limits(seconds=0.05)
    assert codes(lambda: predictions(model(), TABLE, SCHEMA, "ILL", limits=short)) == [
        "model.too_slow"
    ]


PARAMETERS = "learner__learner_model_param__"


@pytest.mark.parametrize(("key", "value"), [("num_target", "2000"), ("num_class", "100000000")])
def test_a_binary_classifier_has_one_output(key, value):
    """The bounds are checked before XGBoost reads the file: it ended with status 1, or took 17 seconds."""
    several = model(**{f"{PARAMETERS}{key}": value})
    assert codes(lambda: predictions(several, TABLE, SCHEMA, "ILL")) == ["model.outputs"]


@pytest.mark.parametrize(
    "program",
    [
        "import sys; sys.exit(1)",
        "import os; os.abort()",
        "pass",
        "import sys; open(sys.argv[2] + '/predictions.npy', 'wb').write(b'\\x93NUMPY')",
        "import sys; open(sys.argv[2] + '/refused.json', 'w').write('{')",
    ],
)
def test_every_end_of_the_program_is_the_files_fault(monkeypatch, tmp_path, program):
    """A model decides how the program that applies it ends; only a program that cannot be started is ours."""
    path = tmp_path / "predict.py"
    path.write_text(program)
    tmp_path.chmod(0o755)
    monkeypatch.setattr("scoring.sandbox.models.PROGRAM", path)
    assert codes(lambda: predictions(model(), TABLE, SCHEMA, "ILL")) == ["model.refused"]


def test_a_prediction_that_is_no_number_is_a_problem():
    nothing = model(
        **{
            f"{TREES}__0__split_conditions": [40.0, 1e39, -1e39],
            f"{TREES}__1__split_conditions": [0.5, -1e39, 1e39],
        }
    )
    assert codes(lambda: predictions(nothing, TABLE, SCHEMA, "ILL")) == ["model.not_a_probability"]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b" " * (MAX_MODEL_BYTES + 1), ["model.too_large"]),
        (b"", ["model.not_json"]),
        (b"\xff\x00", ["model.not_json"]),
        (b"[" * 200_000, ["model.not_json"]),
        (b"1" * 5000, ["model.not_json"]),
        (model(learner__x=float("nan")), ["model.not_json"]),
        (b"[]", ["model.missing_key"]),
        (b'{"learner": 3}', ["model.missing_key"]),
        (model(learner__objective={"name": "reg:squarederror"}), ["model.wrong_objective"]),
        (model(learner__gradient_booster__name="dart"), ["model.wrong_booster"]),
        (model(**{TREES: []}), ["model.trees"]),
        (model(**{TREES: [stump(0, 1.0, 0.0, 1.0)] * 3}), ["model.trees"]),
        (model(learner__learner_model_param__num_feature="3"), ["model.features"]),
        (model(learner__learner_model_param__num_feature="9" * 30), ["model.features", "model.other_feature"]),
        (model(learner__feature_names=[1, 2]), ["model.features"]),
        (model(("AGE", "AGE")), ["model.repeated_feature"]),
        (model(**{f"{TREES}__1__split_indices": [2, 0, 0]}), ["model.other_feature"]),
        (model(**{f"{TREES}__1__split_indices": [-1, 0, 0]}), ["model.other_feature"]),
        (model(**{f"{TREES}__1": 5}), ["model.other_feature"]),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_file_is_found_before_xgboost_sees_it(data, expected):
    assert codes(lambda: read_model(data)) == expected


def test_features_may_be_named_in_an_attribute():
    """As in the files of PWS Cup 2025."""
    data = model(
        learner__feature_names=[], learner__attributes={"feature_names": '["AGE", "SEX_M"]'}
    )
    assert read_model(data).features == ("AGE", "SEX_M")


@pytest.mark.parametrize("text", ['"AGE"', "[", "[" * 100_000, '["AGE", 3]'])
def test_an_attribute_that_is_no_list_names_no_feature(text):
    data = model(learner__feature_names=[], learner__attributes={"feature_names": text})
    assert codes(lambda: read_model(data)) == ["model.features"]


def test_features_are_numbers_and_categories_with_a_value():
    names = ("WARD_S", "AGE", "CLASS", "SEX_M", "SEX_nobody has this")
    found = features_of(read_model(model(names)), TABLE, SCHEMA, "ILL")
    assert found.dtype == np.float32
    assert found.tolist() == [[0, 30, 1, 0, 0], [0, 50, 2, 1, 0], [1, 70, 2, 0, 0]]


@pytest.mark.parametrize("name", ["ILL", "ILL_1", "SEX", "WARD", "WARD_X", "AGE_30", "HEIGHT", ""])
def test_a_feature_that_the_table_lacks_is_a_problem(name):
    wanted = read_model(model(("AGE", name)))
    assert codes(lambda: features_of(wanted, TABLE, SCHEMA, "ILL")) == ["model.unknown_feature"]


def test_thousands_of_features_take_no_time_and_no_memory(monkeypatch):
    names = tuple(f"SEX_{n}" for n in range(20_000))
    data, began = model(names), process_time()
    found = read_model(data)
    assert found.features == names
    assert codes(lambda: read_model(model(("AGE",) * 20_000))) == ["model.repeated_feature"]
    assert process_time() - began < 5
    monkeypatch.setattr("scoring.sandbox.models.MAX_CELLS", 3 * 20_000 - 1)
    assert codes(lambda: features_of(found, TABLE, SCHEMA, "ILL")) == ["model.too_much"]


def test_a_missing_xgboost_is_named_with_the_extra_that_has_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "xgboost", None)
    with pytest.raises(MissingPackageError, match=r"pwscup\[cups\]"):
        predictions(model(), TABLE, SCHEMA, "ILL")


def test_a_trained_model_is_a_file_that_is_taken_and_the_measure_counts_its_errors():
    rng = np.random.default_rng(3)
    age = rng.integers(20, 80, 200).astype(float)
    ill = np.where(age > 50, "1", "0")
    table = pd.DataFrame(
        {
            "AGE": age,
            "SEX": rng.choice(["F", "M"], 200),
            "CLASS": rng.choice(["1", "2"], 200),
            "WARD": rng.choice(["N", "S"], 200),
            "ILL": ill,
        }
    )
    other = table.assign(ILL=np.where(age > 40, "1", "0"))
    measure = ANALYSES["model-file"].measure("own", {"target": "ILL"})
    for learned in (table, other):
        data = trained(learned, SCHEMA, "ILL", n_trees=5)
        claimed = predictions(data, table, SCHEMA, "ILL") > 0.5
        values = score(table, other, None, SCHEMA, measures=[measure], files={"model": data})
        assert values["own"] == pytest.approx(np.mean(claimed != (ill == "1")))
    assert values["own"] > 0.05
    assert data == trained(other, SCHEMA, "ILL", n_trees=5)
    assert score(table, other, None, SCHEMA, measures=[measure])["own"] is None


def people(seed: int, n: int = 300) -> pd.DataFrame:
    """Age says who is ill, but for one in four."""
    rng = np.random.default_rng(seed)
    age = np.round(rng.uniform(20, 80, n), 3)
    is_ill = (age > 50) ^ (rng.random(n) < 0.25)
    others = {"SEX": rng.choice(["F", "M"], n), "CLASS": rng.choice(["1", "2"], n)}
    wards = {"WARD": rng.choice(["N", "S"], n), "ILL": np.where(is_ill, "1", "0")}
    return pd.DataFrame({"AGE": age, **others, **wards})


def errors(tested_on, model, own, control=None):
    measure = ANALYSES["model-file"].measure("own", {"target": "ILL", "tested_on": tested_on})
    original = Prepared.of(own, SCHEMA, control=control)
    return score(original, own, None, SCHEMA, measures=[measure], files={"model": model})["own"]


def test_a_model_that_knows_its_own_records_gains_nothing_among_strangers():
    own, strangers = people(1), people(2, 400)
    learned = trained(own, SCHEMA, "ILL", n_trees=1, depth=1)
    knowing = trained(own, SCHEMA, "ILL", n_trees=60, depth=12)
    wrong = {
        tested_on: [errors(tested_on, model, own, strangers) for model in (learned, knowing)]
        for tested_on in ("original", "half-and-half", "controls")
    }
    assert wrong["original"][1] < 0.1 < 0.2 < wrong["original"][0]
    assert wrong["controls"][0] + 0.05 < wrong["controls"][1]
    for of_both, *parts in zip(
        wrong["half-and-half"], wrong["original"], wrong["controls"], strict=True
    ):
        assert of_both == pytest.approx(sum(parts) / 2)
    claimed = predictions(learned, strangers, SCHEMA, "ILL") > 0.5
    assert wrong["controls"][0] == pytest.approx(np.mean(claimed != (strangers["ILL"] == "1")))


@pytest.mark.parametrize("tested_on", ["half-and-half", "controls"])
def test_without_control_records_there_is_no_value_that_says_something_else(tested_on):
    own = people(3, 60)
    model = trained(own, SCHEMA, "ILL", n_trees=1, depth=1)
    assert errors(tested_on, model, own) is None
    assert errors("original", model, own) is not None


def test_rules_without_decoys_cannot_test_on_them():
    text = load_ruleset("membership-2025").text
    parse_ruleset(text)
    refused = text.replace("decoys = 22_500", "decoys = 0")
    with pytest.raises(ProblemsFound, match="decoys of 1 or more"):
        parse_ruleset(refused)
