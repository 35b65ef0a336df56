"""The sample functions of the lecture's contest: frames in, frames out, deleted records kept as blank lines.

A frame may come from `read_table` or from `pandas.read_csv`. A record whose cells are all missing is a deleted one:
every function leaves it blank, in its place. Columns of numbers are numbers, all others are categories. Methods that
draw take a `seed`; without one they draw 128 bits from the operating system. The seed used is in
`frame.attrs["seed"]`: keep it secret, because anyone who has it can undo the method.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from scoring import evaluate
from scoring.anonymizers import anonymize
from scoring.anonymizers.back_mapping import back_mapping
from scoring.attacks.base import DISTANCES
from scoring.attacks.neighbours import candidates_with_distances, one_candidate_each
from scoring.formats.lecture import positions_of
from scoring.options import Value, refuse
from scoring.rulesets import load_ruleset
from scoring.tables.aligned import read_aligned, read_release, write_aligned
from scoring.tables.equivalence import FloatArray, IntArray
from scoring.tables.frames import check_frame
from scoring.tables.hierarchy_files import Source, content_of
from scoring.tables.number_lists import read_candidate_guess, write_candidate_guess
from scoring.tables.schema import Column, Kind, Role, Schema

__all__ = [
    "fit_to_rules",
    "generalize",
    "identify",
    "is_deleted",
    "laplace",
    "nearest_candidates",
    "randomized_response",
    "read_schema",
    "read_table",
    "remove_rare_records",
    "score",
    "write_anonymized",
    "write_attack",
]

RULESET = "pets-lecture"
SEED_BITS = 128
Columns = str | Sequence[str]
"""One column or several."""


# Files


def read_schema(path: str | Path) -> Schema:
    """The columns of a contest, from the schema file (TOML) that it offers for download.

    Raises
    ------
    ProblemsFound
        All problems of the file.
    """
    return Schema.from_toml(Path(path).read_text(encoding="utf-8-sig"))


def read_table(path: str | Path, schema: Schema) -> pd.DataFrame:
    """A team's own table, a published table or a table of candidates; deleted records are blank.

    Texts such as `NA` stay texts, which `pandas.read_csv` takes for missing cells.

    Raises
    ------
    ProblemsFound
        All problems of the file: cells that its columns do not allow, and partly empty records.
    """
    file = Path(path)
    records, lines, n_lines = read_release(file.read_bytes(), schema=schema, file=file.name)
    kept = records.to_frame()
    if len(lines) == n_lines:
        whole = [c.name for c in schema.public().columns if c.kind is Kind.INTEGER]
        whole = [name for name in whole if (kept[name] == np.floor(kept[name])).all()]
        return kept.astype(dict.fromkeys(whole, np.int64))
    return _in_place(kept, lines, pd.RangeIndex(n_lines))


def write_anonymized(
    path: str | Path,
    anonymized: pd.DataFrame,
    original: pd.DataFrame,
    schema: Schema | None = None,
) -> None:
    """Write the file that a team submits, `teamX_anonymized.csv`, if it keeps the lecture's rules.

    Parameters
    ----------
    path
        The file to write: UTF-8, a line for each record of the original, deleted ones empty.
    anonymized, original : DataFrame
        Of the same records in the same order.
    schema
        The contest's columns; by default those of the original, numbers and categories.

    Raises
    ------
    ProblemsFound
        All that the platform would refuse. Nothing is written then.

    Examples
    --------
    >>> import tempfile
    >>> original = pd.DataFrame({"age": [20, 30], "city": ["A", "B"]})
    >>> folder = Path(tempfile.mkdtemp())
    >>> write_anonymized(folder / "y.csv", original.mask(original["age"] == 30), original)
    >>> (folder / "y.csv").read_bytes()
    b'age,city\\n20,A\\n,\\n'
    """
    schema = schema_of(original) if schema is None else schema
    data = _aligned(anonymized, schema)
    _checked(data, original, schema)
    Path(path).write_bytes(data)


def write_attack(path: str | Path, guesses: ArrayLike, candidates: pd.DataFrame) -> None:
    """Write the file that an attacker submits, `teamX_attack_teamY.csv`.

    Parameters
    ----------
    path
        The file to write: for each line of the published table the line of its candidate, counted
        from 1, and 0 for no guess; without a header.
    guesses : int array, shape (n_lines,)
        As `identify` gives them: positions in `candidates` from 0, -1 for no guess.
    candidates : DataFrame
        The table of candidates.

    Raises
    ------
    ProblemsFound
        All that the platform would refuse. Nothing is written then.

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "teamred_attack_teamblue.csv"
    >>> write_attack(file, [2, -1], pd.DataFrame({"age": [20, 30, 40]}))
    >>> file.read_bytes()
    b'3\\n0\\n'
    """
    data = write_candidate_guess(np.asarray(guesses, dtype=np.int64))
    read_candidate_guess(data, n_candidates=len(candidates), n_lines=data.count(b"\n"))
    Path(path).write_bytes(data)


# Anonymization


def is_deleted(data: pd.DataFrame) -> pd.Series:
    """True for the records whose cells are all missing or empty.

    Examples
    --------
    >>> is_deleted(pd.DataFrame({"age": [20, None], "city": ["A", None]})).tolist()
    [False, True]
    """
    return (data.isna() | (data == "")).all(axis=1)


def generalize(
    data: pd.DataFrame, columns: Columns, level: int | Sequence[int], hierarchy: Source
) -> pd.DataFrame:
    """Replace values by those of a level of a hierarchy: Generalization(data, attr, level).

    Parameters
    ----------
    data : DataFrame
    columns
        The columns to generalize.
    level
        One for all columns, or one for each; 0 leaves a column as it is. A category becomes its
        label `depth_<level>`; a number the (lower) median of its group between the `threshold_<level>`.
    hierarchy
        What `attr_depth.json` holds, as a dict, or the path of such a file.

    Raises
    ------
    ProblemsFound
        The file cannot be read, or has no hierarchy or no such level of a column; a cell is missing.

    Examples
    --------
    >>> data = pd.DataFrame({"age": [21, 25, 38], "city": ["Tokyo", "Saitama", "Kyoto"]})
    >>> kanto, kinki = {"depth_1": "Kanto"}, {"depth_1": "Kinki"}
    >>> cities = {"Tokyo": kanto, "Saitama": kanto, "Kyoto": kinki}
    >>> hierarchy = {
    ...     "age": {"type": "numeric", "threshold_1": "30"},
    ...     "city": {"type": "category", "definition": cities},
    ... }
    >>> generalize(data, ["age", "city"], 1, hierarchy).to_numpy().tolist()
    [[21, 'Kanto'], [21, 'Kanto'], [38, 'Kinki']]
    """
    content, names = content_of(hierarchy), _names(columns)
    if missing := [name for name in names if name not in content]:
        expected = f"columns of the hierarchy: {', '.join(content) or 'none'}"
        raise refuse("generalize", "columns", expected, missing)
    content = {name: content[name] for name in names}
    levels = (level,) if isinstance(level, int) else tuple(level)
    options = {"levels": levels, "hierarchy": content, "write": "label"}
    return _applied(data, names, "global-recoding", options)


def remove_rare_records(data: pd.DataFrame, columns: Columns, k: int) -> pd.DataFrame:
    """Blank the records that share their values with fewer than k: Remove_record(data, attr, k).

    Parameters
    ----------
    data : DataFrame
    columns
        The columns whose values are compared, all together.
    k
        Records that are left share these values with k - 1 others or more.

    Raises
    ------
    ProblemsFound
        No record would be left, or a cell is missing.

    Examples
    --------
    >>> data = pd.DataFrame({"age": [21, 21, 38], "city": ["A", "A", "B"]})
    >>> remove_rare_records(data, ["age", "city"], 2)["age"].tolist()
    [21.0, 21.0, nan]
    """
    return _applied(data, _names(columns), "record-suppression", {"k": k})


def laplace(
    data: pd.DataFrame,
    columns: Columns,
    epsilon: float,
    value_range: Iterable[float] | None = None,
    *,
    seed: int | None = None,
) -> pd.DataFrame:
    """Add Laplace noise to each number (local differential privacy): Differential_l(x, value_range, epsilon).

    The noise has the scale (greatest - least) / epsilon of the range. Whole numbers stay whole.

    Parameters
    ----------
    data : DataFrame
    columns
        Columns of numbers.
    epsilon
        The ε of each value, above 0: the smaller, the more noise.
    value_range
        The two ends of the range in either order, or all values of the attribute; by default the
        column itself. Values outside count as the nearer end.
    seed
        An integer of 0 or more, to repeat a result.

    Raises
    ------
    ProblemsFound
        ε is not above 0, the range has no two different numbers, a column is none of numbers, or a
        cell is missing.

    Examples
    --------
    >>> data = pd.DataFrame({"age": [20, 30, 40]})
    >>> noisy = laplace(data, "age", epsilon=1, value_range=[80, 0], seed=1)
    >>> noisy["age"].tolist(), noisy.attrs["seed"]
    ([22, 215, -59], 1)
    """
    options: dict[str, Value] = {"epsilon": epsilon, "range_from": "column"}
    if value_range is not None:
        given = [float(value) for value in value_range if not pd.isna(value)]
        options["value_range"] = (min(given), max(given)) if given else (0.0, 0.0)
    return _applied(data, _names(columns), "local-laplace", options, seed=_drawn(seed))


def randomized_response(
    data: pd.DataFrame,
    columns: Columns,
    epsilon: float,
    variation: Iterable[str] | None = None,
    *,
    seed: int | None = None,
) -> pd.DataFrame:
    """Generalized randomized response on categories: Differential_e(x, variation, epsilon).

    Each value is kept with probability e^ε / (V - 1 + e^ε), else one of the V - 1 others is written.

    Parameters
    ----------
    data : DataFrame
    columns
        Columns of texts, or of whole numbers.
    epsilon
        The ε of each value, above 0: the smaller, the more values change.
    variation
        The values that a column can have, or the whole column; by default those that occur in it.
    seed
        An integer of 0 or more, to repeat a result.

    Raises
    ------
    ProblemsFound
        ε is not above 0, a value is not among the variation, or a cell is missing.

    Examples
    --------
    >>> data = pd.DataFrame({"city": ["A", "B", "A", "A"]})
    >>> randomized_response(data, "city", 0.5, ["A", "B", "C"], seed=3)["city"].tolist()
    ['C', 'C', 'A', 'A']
    """
    values = None
    if variation is not None:
        values = tuple(dict.fromkeys(str(value) for value in variation if not pd.isna(value)))
    options = {"epsilon": epsilon, "budget": "each"}
    method = "generalized-randomized-response"
    return _applied(data, _names(columns), method, options, seed=_drawn(seed), values=values)


def fit_to_rules(
    anonymized: pd.DataFrame, original: pd.DataFrame, schema: Schema | None = None
) -> pd.DataFrame:
    """Replace values that the original lacks, as the contest's rules demand; deleted records stay blank.

    A number becomes the nearest one of its column of the original. A label becomes the value that
    the records with this label have most often in the original.

    Parameters
    ----------
    anonymized, original : DataFrame
        Of the same records in the same order.
    schema
        The contest's columns; by default those of the original.

    Raises
    ------
    ProblemsFound
        A record is partly empty, the columns differ, or the tables have not the same length.

    Examples
    --------
    >>> original = pd.DataFrame({"age": [20, 30, 41], "city": ["Tokyo", "Saitama", "Kyoto"]})
    >>> changed = pd.DataFrame({"age": [27.5, 99, 3], "city": ["Kanto", "Kanto", "Kyoto"]})
    >>> fit_to_rules(changed, original).to_numpy().tolist()
    [[30, 'Saitama'], [41, 'Saitama'], [20, 'Kyoto']]
    """
    schema = (schema_of(original) if schema is None else schema).public()
    if len(anonymized) != len(original):
        expected = f"{len(original)} records, as in the original"
        raise refuse("fit_to_rules", "anonymized", expected, len(anonymized))
    check_frame(original, schema, file="original", original=True)
    rows = np.flatnonzero(~is_deleted(anonymized).to_numpy()).astype(np.int64)
    kept = anonymized.iloc[rows].reset_index(drop=True)
    free = Schema(tuple(Column(c.name, c.role, _free(c.kind)) for c in schema.columns))
    check_frame(kept, free, file="anonymized")
    kept = kept[list(schema.names)]
    own = original[list(schema.names)].reset_index(drop=True)
    found = back_mapping(kept, schema, rng=np.random.default_rng(0), original=own, source=rows)
    table = found.table.astype(own.dtypes.to_dict())
    return _in_place(table, rows, original.index, dict(anonymized.attrs))


def score(anonymized: pd.DataFrame, original: pd.DataFrame, schema: Schema) -> pd.Series:
    """The measures of the lecture's contest, as the platform computes them, and the utility.

    Parameters
    ----------
    anonymized, original : DataFrame
        A table that keeps the rules, and the one that it was made from.
    schema
        The contest's columns (`read_schema`): the measures need their roles.

    Returns
    -------
    Series
        Each measure by its identifier, and `utility`, 0 to 100.

    Raises
    ------
    ProblemsFound
        All that the platform would refuse.
    """
    ruleset = load_ruleset(RULESET)
    records, source = _checked(_aligned(anonymized, schema), original, schema)
    values: dict[str, Any] = evaluate.score(
        original.reset_index(drop=True),
        records,
        source,
        schema.public(),
        options=ruleset.options,
        measures=ruleset.measures,
    )
    loss = values.get(str(ruleset.ranking.utility_measure))
    if loss is not None:
        values["utility"] = round(100 * (1 - loss), 9)
    return pd.Series(values, dtype=object, name="value")


# Attacks


def nearest_candidates(
    anonymized: pd.DataFrame,
    candidates: pd.DataFrame,
    columns: Columns,
    n: int,
    *,
    distance: str = "euclidean",
) -> tuple[IntArray, FloatArray]:
    """The n nearest candidates of each record: Neighbor_att(ano_data, ata_data, att, n).

    Parameters
    ----------
    anonymized, candidates : DataFrame
        A published table and its table of candidates.
    columns
        The columns that distances are taken over.
    n
        How many candidates of each record, from 1 to all.
    distance
        "euclidean" over numbers as they are; "z", "log", "range" or "rank" over scaled numbers;
        "gower" over columns of all kinds.

    Returns
    -------
    rows : int64 array, shape (n_records, n)
        Positions in `candidates` from 0, the nearest first, equally near ones in their order; -1 in
        the lines of deleted records.
    distances : float64 array, shape (n_records, n)
        Infinite in the lines of deleted records.

    Raises
    ------
    ProblemsFound
        A distance of numbers over a column of categories, a wrong n, or a missing cell.

    Examples
    --------
    >>> published = pd.DataFrame({"age": [29, None, 41]})
    >>> known = pd.DataFrame({"age": [20, 30, 40]})
    >>> rows, distances = nearest_candidates(published, known, "age", 2)
    >>> rows.tolist(), distances.tolist()
    ([[1, 0], [-1, -1], [2, 1]], [[1.0, 9.0], [inf, inf], [1.0, 11.0]])
    """
    names = _names(columns)
    known = candidates[list(names)].reset_index(drop=True)
    schema = schema_of(known)
    check_frame(known, schema, file="candidates", original=True)
    texts = [column.name for column in schema.columns if not column.is_numeric]
    if distance not in DISTANCES or (texts and distance != "gower"):
        expected = f"gower, as {', '.join(texts)} is no column of numbers" if texts else None
        raise refuse(
            "nearest_candidates", "distance", expected or f"one of {', '.join(DISTANCES)}", distance
        )
    rows = np.flatnonzero(~is_deleted(anonymized).to_numpy())
    found = np.full((len(anonymized), n), -1, dtype=np.int64)
    distances = np.full((len(anonymized), n), np.inf)
    if len(rows):
        kept = anonymized.iloc[rows][list(names)].reset_index(drop=True)
        free = Schema(tuple(Column(c.name, c.role, _free(c.kind)) for c in schema.columns))
        check_frame(kept, free, file="anonymized")
        found[rows], distances[rows] = candidates_with_distances(
            known, kept, schema, n, distance=distance
        )
    return found, distances


def identify(rows: ArrayLike, distances: ArrayLike, *, duplicates: bool = False) -> IntArray:
    """One candidate for each record: Attack_id(Dc, Dc_yuclid, duplication).

    Parameters
    ----------
    rows, distances
        As `nearest_candidates` gives them, or lists of lists.
    duplicates
        True: each record gets its nearest candidate. False: the nearest of all pairs is linked
        first, then the nearest of those that are left, so that no candidate is guessed twice.

    Returns
    -------
    int64 array, shape (n_records,)
        Positions in the table of candidates from 0; -1 for deleted records, and where others took
        all candidates of a record.

    Examples
    --------
    >>> rows, distances = [[4, 1], [4, 2]], [[0.2, 0.3], [0.1, 0.4]]
    >>> identify(rows, distances, duplicates=True), identify(rows, distances)
    (array([4, 4]), array([1, 4]))
    """
    return one_candidate_each(
        np.asarray(rows, dtype=np.int64),
        np.asarray(distances, dtype=np.float64),
        duplicates=duplicates,
    )


# Helpers


def schema_of(data: pd.DataFrame) -> Schema:
    """Columns of numbers, of whole numbers and of categories, all quasi-identifiers."""
    return Schema(
        tuple(Column(str(name), Role.QUASI_IDENTIFIER, _kind(data[name])) for name in data.columns)
    )


def _kind(series: pd.Series) -> Kind:
    kinds = pd.api.types
    if not kinds.is_numeric_dtype(series.dtype) or kinds.is_bool_dtype(series.dtype):
        return Kind.CATEGORY
    numbers = series.dropna()
    return Kind.INTEGER if bool((numbers == np.floor(numbers)).all()) else Kind.NUMBER


def _free(kind: Kind) -> Kind:
    """The kind of an anonymized column: averages and noise make fractions of whole numbers."""
    return Kind.CATEGORY if kind is Kind.CATEGORY else Kind.NUMBER


def _names(columns: Columns) -> tuple[str, ...]:
    return (columns,) if isinstance(columns, str) else tuple(columns)


def _drawn(seed: int | None) -> int:
    return secrets.randbits(SEED_BITS) if seed is None else seed


def _applied(
    data: pd.DataFrame,
    columns: tuple[str, ...],
    method: str,
    options: dict[str, Any],
    *,
    seed: int | None = None,
    values: tuple[str, ...] | None = None,
) -> pd.DataFrame:
    """The result of an anonymizer on the records that are not deleted, all in their places."""
    rows = np.flatnonzero(~is_deleted(data).to_numpy())
    kept = data.iloc[rows].reset_index(drop=True)
    schema = schema_of(kept)
    if values is not None:
        for name in set(columns) & set(schema.names):
            listed = Column(name, Role.QUASI_IDENTIFIER, Kind.CATEGORY, values=values)
            schema = schema.replace_column(listed)
    check_frame(kept, schema, file="data")
    steps = [(method, {"columns": columns, **options})]
    found = anonymize(kept, schema, steps, rng=np.random.default_rng(seed or 0))
    attrs = dict(data.attrs) | ({} if seed is None else {"seed": seed})
    return _in_place(found.table, rows[found.source], data.index, attrs)


def _in_place(
    table: pd.DataFrame, rows: IntArray, index: pd.Index, attrs: dict[Any, Any] | None = None
) -> pd.DataFrame:
    """The records at their rows of a frame with this index, all others blank."""
    placed = table.set_axis(rows).reindex(range(len(index))).set_axis(index)
    placed.attrs = attrs or {}
    return placed


def _aligned(anonymized: pd.DataFrame, schema: Schema) -> bytes:
    """The file of a table, whatever it holds."""
    rows = np.flatnonzero(~is_deleted(anonymized).to_numpy()).astype(np.int64)
    kept = anonymized.iloc[rows].reset_index(drop=True)
    if len(kept):
        free = tuple(Column(c.name, c.role, _free(c.kind)) for c in schema.public().columns)
        check_frame(kept, Schema(free), file="anonymized")
    return write_aligned(kept, positions_of(rows, len(anonymized)), schema)


def _checked(data: bytes, original: pd.DataFrame, schema: Schema) -> tuple[Any, IntArray]:
    """The kept records of a file and their rows, read as the platform reads it."""
    validity = load_ruleset(RULESET).validity
    return read_aligned(
        data,
        original=original.reset_index(drop=True),
        schema=schema,
        original_values_only=validity.values == "original",
        blank_records=validity.blank_records,
    )
