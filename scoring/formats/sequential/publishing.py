# SPDX-License-Identifier: Apache-2.0
"""Publish a changing table: the four phases of m-invariance, with one of three methods."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from scoring.formats.sequential import phases
from scoring.formats.sequential.continuing import with_owners
from scoring.formats.sequential.drafts import Convention, Draft, Side, default_widths, draft, only
from scoring.formats.sequential.improved import Improver, Rule
from scoring.formats.sequential.last import Where, with_last
from scoring.formats.sequential.splitting import split
from scoring.formats.sequential.tables import FloatArray, Microdata, Release
from scoring.tables.equivalence import IntArray

Method = Literal["m-invariance", "last", "improved"]
METHODS: tuple[Method, ...] = ("m-invariance", "last", "improved")


@dataclass(frozen=True, slots=True)
class Options:
    """The choices of the publisher before the first release.

    Attributes
    ----------
    m : int
        At least 2.
    method : {"m-invariance", "last", "improved"}
    widths : tuple of float, optional
        The least width of a region with counterfeits, for each attribute; otherwise `default_widths` of the first
        table.
    side : {"below", "above", "none"}
        Where such a region is wider than its tuples.
    where : {"everywhere", "overlaps"}
        Where method "last" publishes the group before.
    rule : {"overlap", "risk"}
        The condition that method "improved" repairs.
    """

    m: int
    method: Method = "m-invariance"
    widths: tuple[float, ...] | None = None
    side: Side = "below"
    where: Where = "everywhere"
    rule: Rule = "risk"


@dataclass(frozen=True, slots=True)
class Publication:
    """The published releases, and their costs.

    Attributes
    ----------
    microdata : Microdata
        The tables as published: without the tuples that were deleted, from their deletion on.
    releases : tuple of Release
    tampered : tuple of int64 arrays
        By time, the groups whose region was cut and may not hold all their tuples: published as a notice.
    deleted : tuple of int64 arrays
        By time, the ids that are left out from then on because nothing was safe for them.
    """

    microdata: Microdata
    releases: tuple[Release, ...]
    tampered: tuple[IntArray, ...]
    deleted: tuple[IntArray, ...]


def publish(
    microdata: Microdata,
    options: Options,
    *,
    before: Sequence[Release] = (),
    progress: Callable[[str], None] | None = None,
) -> Publication:
    """Publish every table in turn; none depends on a later one.

    Parameters
    ----------
    microdata : Microdata
    options : Options
    before : sequence of Release, optional
        What was published of the first tables, as read from files; it stays as it is, and the tables after them are
        published after it.
    progress : callable, optional
        Called with the step that runs.

    Returns
    -------
    Publication

    Raises
    ------
    ProblemsFound
        Where the new tuples of a table that no bucket takes up are not m-eligible, and where the releases before
        are no m-invariant generalizations of their tables.

    Examples
    --------
    >>> from scoring.formats.sequential.examples import PATIENTS, SMALL, table_3
    >>> len(np.unique(publish(PATIENTS, Options(m=2), before=[table_3()]).releases[1].group))
    6
    >>> publish(SMALL, Options(m=2)).releases[1].counterfeits
    {1: 1}
    """
    if not isinstance(microdata, Microdata):
        got = type(microdata).__name__
        raise TypeError(
            f"microdata: expected what read_microdata makes of files or frames, got {got}"
        )
    if options.m < 2:
        raise ValueError(f"m: expected at least 2, got {options.m}")
    widths = options.widths or default_widths(microdata.attributes, microdata.snapshots[0])
    convention = Convention(widths, options.side)
    improver = Improver(microdata, options.m, convention, options.rule)
    releases = with_owners(microdata, before, options.m) if before else []
    kept = list(microdata.snapshots[: len(releases)])
    for known, release in zip(kept, releases, strict=True):
        improver.saw(known, release)
    nothing: IntArray = np.zeros(0, dtype=np.int64)
    tampered, deleted = [nothing] * len(kept), [nothing] * len(kept)
    gone = np.zeros(len(microdata.ids), dtype=np.bool_)
    for time, snapshot in enumerate(microdata.snapshots[len(kept) :], start=len(kept)):
        if progress is not None:
            progress(f"release {time + 1} of {len(microdata.snapshots)}")
        last = releases[-1] if releases else None
        left = only(snapshot, ~gone[snapshot.ids])
        now = replace(microdata, snapshots=(*kept, left))
        made = generalize(now, time, last, options.m, convention)
        cut: IntArray = np.zeros(0, dtype=np.int64)
        if options.method == "improved":
            made, cut = improver.improve(made, scales(now, time))
        release = made.release()
        if options.method == "last":
            release = with_last(release, last, left, options.where)
        lost = np.setdiff1d(left.ids, made.snapshot.ids)
        gone[lost] = True
        kept.append(made.snapshot)
        releases.append(release)
        tampered.append(cut)
        deleted.append(lost)
    published = replace(microdata, snapshots=tuple(kept))
    return Publication(published, tuple(releases), tuple(tampered), tuple(deleted))


def generalize(
    microdata: Microdata, time: int, before: Release | None, m: int, convention: Convention
) -> Draft:
    """The four phases for the table at one time, after the release before it.

    Raises
    ------
    ProblemsFound
        Where the new tuples that no bucket takes up are not m-eligible.
    """
    snapshot = microdata.snapshots[time]
    points, sensitive = snapshot.qi * scales(microdata, time), snapshot.sensitive
    buckets = phases.divide(snapshot.ids, before, len(microdata.ids))
    buckets = phases.balance(buckets, points, sensitive, m)
    phases.check_eligible(buckets, sensitive, m, microdata, time)
    buckets, _steps = phases.assign(buckets, points, sensitive, m)
    groups = split(buckets, points, sensitive)
    return draft(snapshot, buckets, groups, convention, microdata.attributes)


def scales(microdata: Microdata, time: int) -> FloatArray:
    """The factors that scale each attribute's range up to a time to that of the first one.

    Examples
    --------
    >>> from scoring.formats.sequential.examples import PATIENTS
    >>> (1 / scales(PATIENTS, 1)).round(1)
    array([  1. , 727.3])
    """
    tables = [snapshot.qi for snapshot in microdata.snapshots[: time + 1]]
    low = np.min([table.min(axis=0, initial=np.inf) for table in tables], axis=0)
    high = np.max([table.max(axis=0, initial=-np.inf) for table in tables], axis=0)
    widths = np.where(high > low, high - low, 1.0)
    found: FloatArray = widths[0] / widths
    return found
