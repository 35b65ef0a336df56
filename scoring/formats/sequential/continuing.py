# SPDX-License-Identifier: Apache-2.0
"""Releases that were published before, read from files, so that `publish` can continue from them.

A file does not say whose a row is. A record gets a row of its value whose region contains it, with one signature in all
releases; where several rows could be a record's, a matching decides, and the others could not be excluded either.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from scoring.errors import ProblemsFound
from scoring.formats.sequential.candidates import candidates
from scoring.formats.sequential.checking import check, signatures_of_rows
from scoring.formats.sequential.tables import Microdata, Release
from scoring.tables.equivalence import IntArray


def with_owners(microdata: Microdata, releases: Sequence[Release], m: int) -> list[Release]:
    """The releases of the first tables with a record, or a counterfeit, for each row.

    Parameters
    ----------
    microdata : Microdata
    releases : sequence of Release
        As `read_release` gives them.
    m : int

    Raises
    ------
    ProblemsFound
        Where they are no m-invariant generalizations of their tables.

    Examples
    --------
    >>> from scoring.formats.sequential.examples import PATIENTS, table_3
    >>> (found,) = with_owners(PATIENTS, [table_3()], m=2)
    >>> [PATIENTS.ids[owner] for owner in found.owner]
    ['Bob', 'Alice', 'Andy', 'David', 'Gary', 'Helen', 'Jane', 'Ken', 'Linda', 'Paul', 'Steve']
    """
    snapshots = microdata.snapshots[: len(releases)]
    found = check(replace(microdata, snapshots=snapshots), releases, m)
    if not found.is_m_invariant:
        raise ProblemsFound(found.problems, found.n_problems)
    owner = np.full(sum(len(release.group) for release in releases), -1, dtype=np.int64)
    signature = signatures_of_rows(releases)
    for some in candidates(snapshots, releases):
        lasting = some.lasting(signature)
        owner[lasting.matched()] = lasting.ids
    ends = np.cumsum([len(release.group) for release in releases])[:-1]
    return [
        replace(release, owner=own, counterfeits=_left_over(release, own))
        for release, own in zip(releases, np.split(owner, ends), strict=True)
    ]


def _left_over(release: Release, owner: IntArray) -> dict[int, int]:
    """The number of rows of each group without an owner."""
    groups, counts = np.unique(release.group[owner < 0], return_counts=True)
    return dict(zip(groups.tolist(), counts.tolist(), strict=True))
