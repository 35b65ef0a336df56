# SPDX-License-Identifier: Apache-2.0
"""The files of a lecture's contest: read as frames, and written as the platform takes them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from scoring.classroom.frames import in_place, schema_of
from scoring.classroom.rules import checked, file_of
from scoring.tables.aligned import read_release
from scoring.tables.number_lists import read_candidate_guess, write_candidate_guess
from scoring.tables.schema import Kind, Schema


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
    return in_place(kept, lines, pd.RangeIndex(n_lines))


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
    data = file_of(anonymized, schema)
    checked(data, original, schema)
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
