# SPDX-License-Identifier: Apache-2.0
"""Model files of teams: XGBoost's JSON, checked here and applied to a table in the sandbox."""

from __future__ import annotations

import io
import json
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from scoring.errors import Collector, shorten
from scoring.extras import needed
from scoring.sandbox.running import MEBIBYTE, Finished, Limits, run
from scoring.tables.records import names_in, values_in

if TYPE_CHECKING:
    import pandas as pd

    from scoring.tables.records import Records
    from scoring.tables.schema import Column, Schema

MAX_MODEL_BYTES = MEBIBYTE
MAX_CELLS = 2**25
"""Records times features: they are made outside of the sandbox."""
OBJECTIVE = "binary:logistic"
PACKAGE = "xgboost-cpu"
LIMITS = Limits(seconds=30.0, cpu_seconds=20.0, memory=1024 * MEBIBYTE, processes=1)
PROGRAM = Path(__file__).with_name("predict.py")

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Model:
    """A model file whose structure is checked.

    `features` are the columns that it wants, in its order.
    """

    data: bytes
    features: tuple[str, ...]
    n_trees: int


def read_model(data: bytes, *, file: str = "model") -> Model:
    """A model as XGBoost's `save_model("….json")` writes it.

    The features are named in `learner.feature_names`, or in the attribute "feature_names" as JSON text, as in PWS
    Cup 2025.

    Parameters
    ----------
    data : bytes
        At most `MAX_MODEL_BYTES`.
    file : str
        The name of the file in problems.

    Raises
    ------
    ProblemsFound
        Where it is too large or no JSON, is no binary classifier made of trees, where numbers of trees and
        features are not as it declares, or a number is not finite.

    Examples
    --------
    >>> read_model(b"{}")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    scoring.errors.ProblemsFound: model — key learner.objective.name is missing — expected ...
    """
    problems = Collector()
    if len(data) > MAX_MODEL_BYTES:
        problems.add("model.too_large", file=file, expected=MAX_MODEL_BYTES, got=len(data))
        problems.raise_if_any()
    try:
        content = json.loads(data, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        words = "" if isinstance(error, (RecursionError, UnicodeDecodeError)) else str(error)
        problems.add("model.not_json", file=file, got=shorten(words or "another format"))
        problems.raise_if_any()

    def at(*path: str) -> Any:
        found = content
        for key in path:
            found = found.get(key) if isinstance(found, dict) else None
        if found is None:
            problems.add("model.missing_key", file=file, key=".".join(path))
        return found

    objective = at("learner", "objective", "name")
    booster = ("learner", "gradient_booster")
    problems.raise_if_any()
    if objective != OBJECTIVE:
        got = shorten(objective)
        problems.add("model.wrong_objective", file=file, expected=OBJECTIVE, got=got)
    if (name := at(*booster, "name")) not in (None, "gbtree"):
        problems.add("model.wrong_booster", file=file, expected="gbtree", got=shorten(name))
    n_features = _integer(at("learner", "learner_model_param", "num_feature"))
    n_declared = _integer(at(*booster, "model", "gbtree_model_param", "num_trees"))
    trees = at(*booster, "model", "trees")
    problems.raise_if_any()
    for key in ("num_class", "num_target"):  # a binary classifier has one output, written as 0 or 1
        n = content["learner"]["learner_model_param"].get(key, "1")
        if _integer(n) not in (0, 1):
            problems.add("model.outputs", file=file, key=key, expected=1, got=shorten(str(n)))
    n_trees = len(trees) if isinstance(trees, list) else 0
    if n_trees == 0 or n_trees != n_declared:
        problems.add("model.trees", file=file, expected=n_declared, got=n_trees)
    features = _features(content)
    if len(features) != n_features:
        problems.add("model.features", file=file, expected=n_features, got=len(features))
    if (highest := _highest_feature(trees)) >= n_features:
        problems.add("model.other_feature", file=file, expected=n_features, got=highest + 1)
    for twice in sorted(name for name, n in Counter(features).items() if n > 1):
        problems.add("model.repeated_feature", file=file, got=shorten(twice))
    problems.raise_if_any()
    return Model(data, tuple(features), n_trees)


def features_of(
    model: Model, table: pd.DataFrame | Records, schema: Schema, target: str, *, file: str = "model"
) -> npt.NDArray[np.float32]:
    """The columns that a model wants of a table, shape (n_records, n_features).

    A number is a feature under the name of its column; so is a category whose listed values are numbers. "column_value"
    is 1 where the category has the value and else 0, as `pandas.get_dummies` names and fills it.

    Raises
    ------
    ProblemsFound
        For each feature that the schema does not have; the target is none of them. What occurs in the table is not
        disclosed: a value that is not listed is allowed where the schema lists none. Also where records times features
        are more than `MAX_CELLS`.
    """
    problems = Collector()
    if len(table) * len(model.features) > MAX_CELLS:
        problems.add("model.too_much", file=file)
        problems.raise_if_any()
    columns = [schema.column(name) for name in names_in(table) if name != target]
    found = np.empty((len(table), len(model.features)), dtype=np.float32)
    for at, name in enumerate(model.features):
        made = _made(name, columns)
        if made is None:
            expected = shorten(", ".join(column.name for column in columns), 200)
            problems.add("model.unknown_feature", file=file, expected=expected, got=shorten(name))
        else:
            column, encode = made
            found[:, at] = encode(values_in(table, column.name))
    problems.raise_if_any()
    return found


def predictions(
    data: bytes,
    table: pd.DataFrame | Records,
    schema: Schema,
    target: str,
    *,
    limits: Limits = LIMITS,
    file: str = "model",
) -> FloatArray:
    """The probability of class 1 that a model file gives each record of a table, shape (n_records,).

    XGBoost reads the file in the sandbox, as a process with `limits`, without network.

    Parameters
    ----------
    data : bytes
        The model file, see `read_model`.
    table : DataFrame or Records, n_records
    schema : Schema
    target : str
        The column that is predicted; no model may use it.

    Raises
    ------
    ProblemsFound
        Where the model cannot be used: see `read_model` and `features_of`; where XGBoost refuses it, where it
        takes more than the limits, and where a prediction is not a number from 0 to 1.
    scoring.extras.MissingPackageError
        Where XGBoost is not installed.
    """
    model = read_model(data, file=file)
    features = features_of(model, table, schema, target, file=file)
    needed("xgboost", PACKAGE)
    inputs = {"model.json": data, "features.npy": _npy(features)}
    command = [sys.executable, "-I", str(PROGRAM), "{input}", "{output}"]
    done = run(command, inputs, limits=limits, readable=[PROGRAM])
    problems = Collector()
    if done.exceeded in ("time", "cpu"):
        problems.add("model.too_slow", file=file, expected=limits.seconds)
    elif done.exceeded:
        problems.add("model.too_much", file=file)
    problems.raise_if_any()
    found, refusal = _read_predictions(done)
    if refusal:
        problems.add("model.refused", file=file, got=shorten(refusal, 200))
    elif found.shape != (len(features),):
        problems.add("model.shape", file=file, expected=len(features), got=str(found.shape))
    elif not bool(np.all((found >= 0) & (found <= 1))):
        problems.add("model.not_a_probability", file=file)
    problems.raise_if_any()
    return found


def _read_predictions(done: Finished) -> tuple[FloatArray, str]:
    """The predictions that the program wrote, or why there are none: a model decides about any end but a limit."""
    nothing = np.empty(0)
    try:
        if done.ok and "predictions.npy" in done.files:
            read = np.load(io.BytesIO(done.files["predictions.npy"]), allow_pickle=False)
            return np.asarray(read, dtype=np.float64), ""
        if "refused.json" in done.files:
            return nothing, str(json.loads(done.files["refused.json"])) or "no reason"
    except (ValueError, EOFError, RecursionError):
        return nothing, "unreadable predictions"
    return nothing, f"signal {done.signal}" if done.signal else f"status {done.status}"


def is_positive(
    table: pd.DataFrame | Records, schema: Schema, target: str, positive: str
) -> npt.NDArray[np.bool_]:
    """The records with the positive value of a column, written as in a table, shape (n_records,).

    Raises
    ------
    ValueError
        Where the column is a number and the value is none.
    """
    values = values_in(table, target)
    wanted = float(positive) if schema.column(target).is_numeric else positive
    return np.asarray(values == wanted, dtype=np.bool_)


def trained(
    table: pd.DataFrame | Records,
    schema: Schema,
    target: str,
    *,
    positive: str = "1",
    n_trees: int = 50,
    depth: int = 4,
) -> bytes:
    """A model file that has learned from a table, as `read_model` takes it.

    Every public column but the target is used: numbers as they are, categories as a column of zeros and ones for each
    value that occurs, named as `pandas.get_dummies` names it.

    Parameters
    ----------
    table : DataFrame or Records, n_records
        The team's anonymized table, not its original: a model gives away records that it has learned by heart.
    schema : Schema
    target, positive : str
        The column that is predicted, and its value of which the model gives the probability.
    n_trees, depth : int
        The number of trees and their levels. The same table gives the same file.

    Raises
    ------
    scoring.extras.MissingPackageError
        Where XGBoost is not installed.
    """
    xgboost = needed("xgboost", PACKAGE)
    features: dict[str, npt.NDArray[Any]] = {}
    for column in schema.public().columns:
        values = values_in(table, column.name)
        if column.name == target:
            continue
        if column.is_numeric:
            features[column.name] = values.astype(np.float64)
            continue
        for value in dict.fromkeys(values.tolist()):
            if not set("[]<") & set(f"{column.name}{value}"):  # which XGBoost refuses in names
                features[f"{column.name}_{value}"] = values == value
    matrix = xgboost.DMatrix(
        np.column_stack(list(features.values())).astype(np.float32),
        label=is_positive(table, schema, target, positive),
        feature_names=list(features),
        nthread=1,
    )
    settings = {"objective": OBJECTIVE, "max_depth": depth, "seed": 0, "nthread": 1}
    return bytes(xgboost.train(settings, matrix, num_boost_round=n_trees).save_raw("json"))


def _made(
    name: str, columns: Sequence[Column]
) -> tuple[Column, Callable[[npt.NDArray[Any]], npt.NDArray[Any]]] | None:
    """The column that a feature comes from, and what makes it of the column's values."""
    for column in columns:
        if name == column.name and (column.is_numeric or _are_numbers(column.values)):
            return column, lambda values: values.astype(np.float64)
    for column in columns:
        value = name.removeprefix(f"{column.name}_")
        if not column.is_numeric and value != name and value in (column.values or (value,)):
            return column, partial(np.equal, value, dtype=object)
    return None


def _are_numbers(values: Sequence[str] | None) -> bool:
    try:
        return bool(values) and all(np.isfinite(float(value)) for value in values or ())
    except ValueError:
        return False


def _features(content: Mapping[str, Any]) -> list[str]:
    """The names of the features; empty where they are no list of texts."""
    learner = content["learner"]
    names = learner.get("feature_names")
    if not names:
        attributes = learner.get("attributes")
        text = attributes.get("feature_names") if isinstance(attributes, dict) else None
        try:
            names = json.loads(text) if isinstance(text, str) else None
        except (ValueError, RecursionError):
            names = None
    is_list = isinstance(names, list) and all(isinstance(name, str) for name in names)
    return list(names) if is_list else []


def _highest_feature(trees: Sequence[Any]) -> int:
    """The highest number of a feature that a tree splits by: XGBoost would read beyond the features."""
    splits = [tree.get("split_indices") if isinstance(tree, dict) else None for tree in trees]
    numbers = [n for split in splits for n in (split if isinstance(split, list) else [sys.maxsize])]
    return max((n if type(n) is int and n >= 0 else sys.maxsize for n in numbers), default=0)


def _integer(value: object) -> int:
    """XGBoost writes integers as texts; -1 for anything else."""
    text = str(value)
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else -1


def _npy(values: npt.NDArray[Any]) -> bytes:
    file = io.BytesIO()
    np.save(file, values, allow_pickle=False)
    return file.getvalue()


def _refuse(constant: str) -> float:
    raise ValueError(f"the number {constant}")
