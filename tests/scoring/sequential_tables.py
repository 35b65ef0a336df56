# SPDX-License-Identifier: Apache-2.0
"""The published tables of the paper on safer m-invariant generalization, slips put right, with who is in which row.

Table 9 has dyspepsia in group 1 and [54,56] in group 6. A counterfeit is called "c".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from scoring.formats.sequential.examples import PATIENTS, SMALL
from scoring.formats.sequential.tables import Microdata, Release

Box = tuple[tuple[float, float], tuple[float, float]]
Group = tuple[Box, Mapping[str, str]]
"""The region, and each member's name with the value of its row; counterfeits are "c", "c2" …"""

TABLE_3: tuple[Group, ...] = (
    (((21, 22), (12, 14)), {"Bob": "dyspepsia", "Alice": "bronchitis"}),
    (((23, 24), (18, 25)), {"Andy": "flu", "David": "gastritis"}),
    (((36, 41), (20, 27)), {"Gary": "flu", "Helen": "gastritis"}),
    (((37, 43), (26, 35)), {"Jane": "dyspepsia", "Ken": "flu", "Linda": "gastritis"}),
    (((52, 56), (33, 34)), {"Paul": "dyspepsia", "Steve": "gastritis"}),
)
TABLE_4: tuple[Group, ...] = (
    (((21, 23), (12, 25)), {"Bob": "dyspepsia", "David": "gastritis"}),
    (((25, 43), (21, 33)), {"Emily": "flu", "Jane": "dyspepsia", "Linda": "gastritis"}),
    (((41, 46), (20, 30)), {"Gary": "flu", "Mary": "gastritis"}),
    (((54, 56), (31, 34)), {"Ray": "dyspepsia", "Steve": "gastritis"}),
    (((60, 65), (36, 44)), {"Tom": "gastritis", "Vince": "flu"}),
)
TABLE_9: tuple[Group, ...] = (
    (((20, 21), (11, 12)), {"Bob": "dyspepsia", "c": "bronchitis"}),
    (((23, 41), (20, 25)), {"Gary": "flu", "David": "gastritis"}),
    (((60, 65), (36, 44)), {"Vince": "flu", "Tom": "gastritis"}),
    (((25, 43), (21, 33)), {"Jane": "dyspepsia", "Emily": "flu", "Linda": "gastritis"}),
    (((45, 46), (29, 30)), {"c": "dyspepsia", "Mary": "gastritis"}),
    (((54, 56), (31, 34)), {"Ray": "dyspepsia", "Steve": "gastritis"}),
)
TABLE_9_AS_PRINTED: tuple[Group, ...] = (
    (((20, 21), (11, 12)), {"Bob": "gastritis", "c": "bronchitis"}),
    *TABLE_9[1:5],
    (((54, 65), (31, 34)), {"Ray": "dyspepsia", "Steve": "gastritis"}),
)
TABLE_12: tuple[Group, ...] = (
    (((21, 22), (12, 14)), {"Bob": "dyspepsia", "Alice": "bronchitis"}),
    (((23, 24), (18, 25)), {"Andy": "dyspepsia", "David": "gastritis"}),
)
TABLE_13: tuple[Group, ...] = (
    (((21, 22), (12, 14)), {"Bob": "dyspepsia", "c": "bronchitis"}),
    (((21, 23), (12, 25)), {"Emily": "dyspepsia", "David": "gastritis"}),
)
TABLE_16: tuple[Group, ...] = (
    (((21, 23), (14, 25)), {"Emily": "dyspepsia", "David": "gastritis"}),
    (((20, 21), (10, 12)), {"Bob": "dyspepsia", "c": "bronchitis"}),
)


def release(
    groups: Sequence[Group], microdata: Microdata, *, last: Iterable[int] | None = None
) -> Release:
    """A printed table as a release, zip codes in full; `last` has the value of every row."""
    rows = [
        (number, box, name, value)
        for number, (box, members) in enumerate(groups, start=1)
        for name, value in members.items()
    ]
    boxes = np.array([box for _group, box, *_rest in rows], dtype=np.float64)
    boxes[:, 1] *= 1000
    counts = {n: sum(name[0] == "c" for name in g[1]) for n, g in enumerate(groups, start=1)}
    return Release(
        group=np.array([row[0] for row in rows], dtype=np.int64),
        low=boxes[:, :, 0].copy(),
        high=boxes[:, :, 1].copy(),
        sensitive=np.array(
            [microdata.sensitive_values.index(row[3]) for row in rows], dtype=np.int64
        ),
        last=None if last is None else np.array(list(last), dtype=np.int64),
        counterfeits={group: n for group, n in counts.items() if n},
        owner=np.array(
            [-1 if row[2][0] == "c" else microdata.ids.index(row[2]) for row in rows],
            dtype=np.int64,
        ),
    )


T3, T4, T9, T9_AS_PRINTED = (
    release(groups, PATIENTS) for groups in (TABLE_3, TABLE_4, TABLE_9, TABLE_9_AS_PRINTED)
)
T12, T13, T16 = (release(groups, SMALL) for groups in (TABLE_12, TABLE_13, TABLE_16))
T14 = release(TABLE_12, SMALL, last=(0, 0, 0, 0))
T15 = release(TABLE_13, SMALL, last=(1, 1, 0, 0))
