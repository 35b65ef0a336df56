# SPDX-License-Identifier: Apache-2.0
"""Frames whose columns are categories of text: changed by their distinct values, kept, and written as CSV."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from scoring.tables.records import Records
from scoring.tables.schema import Column, Kind, Role, Schema
from scoring.tables.writing import write_table

if TYPE_CHECKING:
    import pandas as pd

Counts = npt.NDArray[np.int64]
Codes = npt.NDArray[np.integer]
_NAMES = "names.json"


def levels_of(column: pd.Series) -> list[str]:
    """The distinct texts of a column; some may not occur."""
    return list(column.cat.categories)


def counts_of(column: pd.Series) -> Counts:
    """The number of records of each of the column's levels."""
    codes = column.cat.codes.to_numpy()
    return np.bincount(codes, minlength=len(column.cat.categories)).astype(np.int64)


def relabelled(column: pd.Series, levels: Sequence[str]) -> pd.Series:
    """The column with other texts in the place of its levels; levels may become equal.

    Examples
    --------
    >>> import pandas as pd
    >>> column = pd.Series(["1,0", "10", "2"], dtype="category")
    >>> relabelled(column, ["10", "10", "2"]).tolist()
    ['10', '10', '2']
    """
    import pandas as pd

    codes, distinct = pd.factorize(np.array(levels, dtype=object))
    taken = codes.astype(np.int32)[column.cat.codes.to_numpy()]
    index = pd.Index(distinct, dtype="str")
    return pd.Series(pd.Categorical.from_codes(taken, index), index=column.index)


def without_rows(table: pd.DataFrame, is_kept: npt.NDArray[np.bool_]) -> pd.DataFrame:
    """The records that are kept, with levels that occur."""
    import pandas as pd

    rows = np.flatnonzero(is_kept)
    data: dict[str, pd.Series] = {}
    for name in table.columns:
        codes = table[name].cat.codes.to_numpy()[rows]
        used, positions = np.unique(codes, return_inverse=True)
        levels = table[name].cat.categories.take(used)
        data[name] = pd.Series(pd.Categorical.from_codes(positions.astype(np.int32), levels))
    return pd.DataFrame(data)


def records_of(table: pd.DataFrame) -> Records:
    """The columns as codes and levels."""
    names = tuple(map(str, table.columns))
    codes = {name: table[name].cat.codes.to_numpy().astype(np.int32) for name in names}
    return Records(names, {}, codes, {name: tuple(levels_of(table[name])) for name in names})


def csv_bytes(table: pd.DataFrame) -> bytes:
    """The table as canonical CSV: UTF-8 without a byte order mark, LF, quotation marks where they are needed.

    Examples
    --------
    >>> import pandas as pd
    >>> csv_bytes(pd.DataFrame({"a": pd.Series(["1", "x,y"], dtype="category")}))
    b'a\\n1\\n"x,y"\\n'
    """
    records = records_of(table)
    columns = tuple(Column(name, Role.OTHER, Kind.CATEGORY) for name in records.names)
    return write_table(records, Schema(columns))


def pack(table: pd.DataFrame) -> bytes:
    """The table as a file that `unpack` reads quickly: numbers and texts, nothing that is run."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        columns = [[str(name), _type_of(table[name])] for name in table.columns]
        _put(archive, _NAMES, json.dumps(columns))
        for at, name in enumerate(table.columns):
            _write(archive, at, table[name])
    return out.getvalue()


def repack(data: bytes, changed: pd.DataFrame) -> bytes:
    """A packed table with other cells in some of its columns; the others are copied as they are.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({n: pd.Series(["x", "y"], dtype="category") for n in "ab"})
    >>> other = pd.DataFrame({"b": pd.Series(["z", "z"], dtype="category")})
    >>> unpack(repack(pack(table), other)).to_dict("list")
    {'a': ['x', 'y'], 'b': ['z', 'z']}
    """
    out = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(data)) as before,
        zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive,
    ):
        columns = json.loads(before.read(_NAMES))
        new = [[n, _type_of(changed[n]) if n in changed else kind] for n, kind in columns]
        _put(archive, _NAMES, json.dumps(new))
        for at, (name, _kind) in enumerate(columns):
            if name in changed:
                _write(archive, at, changed[name])
            else:
                for member in (f"{at}.json", f"{at}.codes"):
                    _put(archive, member, before.read(member))
    return out.getvalue()


def _put(archive: zipfile.ZipFile, name: str, data: str | bytes) -> None:
    """Write an entry without the time of day, so that the same table has the same bytes."""
    archive.writestr(zipfile.ZipInfo(name), data)


def _write(archive: zipfile.ZipFile, at: int, column: pd.Series) -> None:
    _put(archive, f"{at}.json", json.dumps(levels_of(column), ensure_ascii=False))
    codes = column.cat.codes.to_numpy()
    _put(archive, f"{at}.codes", codes.astype(_type_of(column)).tobytes())


def unpack(data: bytes, names: Collection[str] | None = None) -> pd.DataFrame:
    """The table that `pack` wrote, or some of its columns.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"a": pd.Series(["x", "y", "x"], dtype="category")})
    >>> unpack(pack(table))["a"].tolist()
    ['x', 'y', 'x']
    """
    import pandas as pd

    columns: dict[str, pd.Series] = {}
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for at, (name, kind) in enumerate(json.loads(archive.read(_NAMES))):
            if names is None or name in names:
                levels = json.loads(archive.read(f"{at}.json"))
                codes = np.frombuffer(archive.read(f"{at}.codes"), dtype=kind)
                index = pd.Index(levels, dtype="str")
                columns[name] = pd.Series(pd.Categorical.from_codes(codes, index))
    return pd.DataFrame(columns)


def unpack_codes(data: bytes, names: Collection[str]) -> tuple[dict[str, Codes], int]:
    """The values of some columns of a packed table as numbers from 0, and the number of records.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"a": pd.Series(["x", "y", "x"], dtype="category")})
    >>> codes, n_records = unpack_codes(pack(table), ["a"])
    >>> codes["a"].tolist(), n_records
    ([0, 1, 0], 3)
    """
    found: dict[str, Codes] = {}
    n_records = 0
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for at, (name, kind) in enumerate(json.loads(archive.read(_NAMES))):
            if name in names or at == 0:
                codes = np.frombuffer(archive.read(f"{at}.codes"), dtype=kind)
                n_records = len(codes)
                found |= {name: codes} if name in names else {}
    return found, n_records


def _type_of(column: pd.Series) -> str:
    """The smallest type for the numbers of the levels."""
    n_levels = len(column.cat.categories)
    return "<i1" if n_levels < 2**7 else "<i2" if n_levels < 2**15 else "<i4"
