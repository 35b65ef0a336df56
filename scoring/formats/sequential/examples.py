# SPDX-License-Identifier: Apache-2.0
"""The patients of the paper on safer m-invariant generalization: its tables 1, 2, 3, 10 and 11, slips put right.

Zip codes 2k0 and 3k0 are 20,000 and 30,000, and David's of table 11 is that of table 10.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from scoring.formats.sequential.tables import Attribute, Microdata, Release, Snapshot
from scoring.tables.schema import Column, Kind, Role, Schema

if TYPE_CHECKING:
    from scoring.formats.sequential.scored import Scored

Patient = tuple[str, int, int, str]

SCHEMA = Schema(
    (
        Column("name", Role.IDENTIFIER, Kind.CATEGORY),
        Column("age", Role.QUASI_IDENTIFIER, Kind.INTEGER),
        Column("zip", Role.QUASI_IDENTIFIER, Kind.INTEGER),
        Column("disease", Role.SENSITIVE, Kind.CATEGORY),
    )
)

TABLE_1: tuple[Patient, ...] = (
    ("Bob", 21, 12_000, "dyspepsia"),
    ("Alice", 22, 14_000, "bronchitis"),
    ("Andy", 24, 18_000, "flu"),
    ("David", 23, 25_000, "gastritis"),
    ("Gary", 41, 20_000, "flu"),
    ("Helen", 36, 27_000, "gastritis"),
    ("Jane", 37, 33_000, "dyspepsia"),
    ("Ken", 40, 35_000, "flu"),
    ("Linda", 43, 26_000, "gastritis"),
    ("Paul", 52, 33_000, "dyspepsia"),
    ("Steve", 56, 34_000, "gastritis"),
)
TABLE_2: tuple[Patient, ...] = (
    ("Bob", 21, 12_000, "dyspepsia"),
    ("David", 23, 25_000, "gastritis"),
    ("Emily", 25, 21_000, "flu"),
    ("Jane", 37, 33_000, "dyspepsia"),
    ("Linda", 43, 26_000, "gastritis"),
    ("Gary", 41, 20_000, "flu"),
    ("Mary", 46, 30_000, "gastritis"),
    ("Ray", 54, 31_000, "dyspepsia"),
    ("Steve", 56, 34_000, "gastritis"),
    ("Tom", 60, 44_000, "gastritis"),
    ("Vince", 65, 36_000, "flu"),
)
TABLE_10: tuple[Patient, ...] = (
    ("Bob", 21, 12_000, "dyspepsia"),
    ("Alice", 22, 14_000, "bronchitis"),
    ("Andy", 24, 18_000, "dyspepsia"),
    ("David", 23, 25_000, "gastritis"),
)
TABLE_11: tuple[Patient, ...] = (
    ("Bob", 21, 12_000, "dyspepsia"),
    ("David", 23, 25_000, "gastritis"),
    ("Emily", 21, 12_000, "dyspepsia"),
)


def microdata(*tables: Sequence[Patient]) -> Microdata:
    """Tables of patients as the publisher holds them, one for each time.

    Examples
    --------
    >>> microdata(TABLE_10).sensitive_values
    ('dyspepsia', 'bronchitis', 'gastritis')
    """
    ids = tuple(dict.fromkeys(row[0] for table in tables for row in table))
    values = tuple(dict.fromkeys(row[3] for table in tables for row in table))
    snapshots = tuple(
        Snapshot(
            np.array([ids.index(row[0]) for row in table], dtype=np.int64),
            np.array([row[1:3] for row in table], dtype=np.float64),
            np.array([values.index(row[3]) for row in table], dtype=np.int64),
        )
        for table in tables
    )
    attributes = (Attribute("age", None), Attribute("zip", None))
    return Microdata(attributes, "disease", values, ids, snapshots)


_GROUPS_OF_TABLE_3 = (
    ((21, 22), (12_000, 14_000), ("dyspepsia", "bronchitis")),
    ((23, 24), (18_000, 25_000), ("flu", "gastritis")),
    ((36, 41), (20_000, 27_000), ("flu", "gastritis")),
    ((37, 43), (26_000, 35_000), ("dyspepsia", "flu", "gastritis")),
    ((52, 56), (33_000, 34_000), ("dyspepsia", "gastritis")),
)


def table_3() -> Release:
    """The first release of the patients as the paper prints it; the phases would make another one.

    Examples
    --------
    >>> table_3().group
    array([1, 1, 2, 2, 3, 3, 4, 4, 4, 5, 5])
    """
    rows = [
        (group, age, zip_code, PATIENTS.sensitive_values.index(value))
        for group, (age, zip_code, values) in enumerate(_GROUPS_OF_TABLE_3, start=1)
        for value in values
    ]
    group, *sides, value = (np.array(column) for column in zip(*rows, strict=True))
    low, high = (np.column_stack([side[:, end] for side in sides]).astype(float) for end in (0, 1))
    return Release(group, low, high, value, None, {}, None)


PATIENTS = microdata(TABLE_1, TABLE_2)
SMALL = microdata(TABLE_10, TABLE_11)
EXAMPLES = {"patients": (TABLE_1, TABLE_2), "small": (TABLE_10, TABLE_11)}


def csv(table: Sequence[Patient]) -> bytes:
    """A table as a file.

    Examples
    --------
    >>> csv(TABLE_11[:1])
    b'name,age,zip,disease\\nBob,21,12000,dyspepsia\\n'
    """
    lines = [SCHEMA.names, *table]
    return "".join(",".join(map(str, line)) + "\n" for line in lines).encode()


def scored(m: int = 2, definition: str = "counting") -> Scored:
    """The small tables as the phases publish them, to be measured.

    Examples
    --------
    >>> scored().n_rows
    8
    """
    from scoring.formats.sequential.publishing import Options, publish
    from scoring.formats.sequential.risk import Definition
    from scoring.formats.sequential.scored import Scored
    from scoring.formats.sequential.series import of_publication

    series = of_publication(publish(SMALL, Options(m)))
    return Scored(SMALL, series, m, Definition(definition))
