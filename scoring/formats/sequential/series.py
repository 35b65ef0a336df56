# SPDX-License-Identifier: Apache-2.0
"""A series: all releases of a changing table with the files published with them, and the deletions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from scoring.formats.sequential.boxes import Groups
from scoring.formats.sequential.definitions import signatures
from scoring.formats.sequential.drafts import only
from scoring.formats.sequential.publishing import Publication
from scoring.formats.sequential.release_files import (
    write_counterfeits,
    write_notice,
    write_release,
)
from scoring.formats.sequential.tables import Microdata, Release, by_text
from scoring.tables.equivalence import IntArray
from scoring.tables.records import Records
from scoring.tables.schema import Column, Kind, Role, Schema
from scoring.tables.writing import write_table

M_UNIQUE, M_INVARIANCE = "m-unique", "m-invariance"


@dataclass(frozen=True, slots=True)
class Series:
    """A team's submission.

    Attributes
    ----------
    microdata : Microdata
        The tables as published: without the tuples that were left out, from then on.
    releases : tuple of Release
        Rows by group, and by the text of their value.
    tampered : tuple of int64 arrays
        By time, the groups whose region may not contain their tuples: published as a notice.
    deleted : tuple of int64 arrays
        By time, the positions of the ids that are left out from then on. Not published.
    knows_counterfeits : bool
        Whether the counterfeits of each group are published.
    """

    microdata: Microdata
    releases: tuple[Release, ...]
    tampered: tuple[IntArray, ...]
    deleted: tuple[IntArray, ...]
    knows_counterfeits: bool


def without(microdata: Microdata, deleted: Sequence[IntArray]) -> Microdata:
    """The tables without the ids that are left out, each from its time on.

    Examples
    --------
    >>> from scoring.formats.sequential.examples import SMALL
    >>> nobody = np.zeros(0, dtype=np.int64)
    >>> [len(table.ids) for table in without(SMALL, [nobody, np.array([0])]).snapshots]
    [4, 2]
    """
    gone = np.zeros(len(microdata.ids), dtype=np.bool_)
    snapshots = []
    for snapshot, ids in zip(microdata.snapshots, deleted, strict=True):
        gone[ids] = True
        snapshots.append(only(snapshot, ~gone[snapshot.ids]))
    return replace(microdata, snapshots=tuple(snapshots))


def of_publication(publication: Publication) -> Series:
    """The result of `publish` as a series, with published counterfeits of each group."""
    return in_order(
        Series(
            publication.microdata,
            publication.releases,
            publication.tampered,
            publication.deleted,
            knows_counterfeits=True,
        )
    )


def not_telling(series: Series) -> Series:
    """The same without the counterfeits of each group, and with groups numbered by their regions and values.

    The method `improved` puts groups with counterfeits last, so its numbers would disclose them.
    """
    names = series.microdata.sensitive_values
    releases, tampered = [], []
    before: dict[int, int] = {}
    for release, named in zip(series.releases, series.tampered, strict=True):
        number = _numbers(release, names)
        group = _renumbered(release.group, number)
        last = None if release.last is None else _renumbered(release.last, before)
        releases.append(replace(release, group=group, last=last, counterfeits={}))
        tampered.append(_renumbered(named, number))
        before = number
    silent = replace(series, releases=tuple(releases), tampered=tuple(tampered))
    return in_order(replace(silent, knows_counterfeits=False))


def _renumbered(groups: IntArray, number: Mapping[int, int]) -> IntArray:
    """The new numbers of groups; 0 stays what it is, no group."""
    return np.array([number.get(group, 0) for group in groups.tolist()], dtype=np.int64)


def _numbers(release: Release, names: tuple[str, ...]) -> dict[int, int]:
    """By number, the place of each group among all by their regions, and by their values where regions are equal."""
    groups = Groups.of(release)
    keys = [
        (low, high, sorted(names[value] for value in signature))
        for low, high, signature in zip(
            groups.low.tolist(), groups.high.tolist(), signatures(release), strict=True
        )
    ]
    order = sorted(range(len(keys)), key=keys.__getitem__)
    numbers = groups.numbers.tolist()
    return {numbers[group]: place for place, group in enumerate(order, start=1)}


def handed_in(series: Series, identifier: str) -> dict[str, bytes]:
    """The files that `read_series` reads, by name: the published ones, and D1.csv … if ids are left out."""
    schema = deletions_schema(identifier)
    files = published(series)
    for time, ids in enumerate(series.deleted, start=1):
        if len(ids):
            names = sorted(series.microdata.ids[i] for i in ids.tolist())
            files[f"D{time}.csv"] = write_table(Records.of_texts({identifier: names}), schema)
    return files


def published(series: Series) -> dict[str, bytes]:
    """The published files, by name: R1.csv …, with C1.csv … and N1.csv … where there are.

    Rows are by group and by the text of their value, so that their order discloses nothing.
    """
    files: dict[str, bytes] = {}
    for time, (release, groups) in enumerate(
        zip(series.releases, series.tampered, strict=True), start=1
    ):
        files[f"R{time}.csv"] = write_release(release, series.microdata)
        if series.knows_counterfeits:
            files[f"C{time}.csv"] = write_counterfeits(release)
        if len(groups):
            files[f"N{time}.csv"] = write_notice(np.sort(groups))
    return files


def in_order(series: Series) -> Series:
    """The same with the rows of each release by group, and by the text of their value."""
    _order, rank = by_text(series.microdata.sensitive_values)
    return replace(series, releases=tuple(_ordered(release, rank) for release in series.releases))


def _ordered(release: Release, rank: IntArray) -> Release:
    rows = np.lexsort((rank[release.sensitive], release.group))
    return replace(
        release,
        group=release.group[rows],
        low=release.low[rows],
        high=release.high[rows],
        sensitive=release.sensitive[rows],
        last=None if release.last is None else release.last[rows],
        owner=None if release.owner is None else release.owner[rows],
    )


def deletions_schema(identifier: str) -> Schema:
    return Schema((Column(identifier, Role.OTHER, Kind.CATEGORY),))
