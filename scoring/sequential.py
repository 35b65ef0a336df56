# SPDX-License-Identifier: Apache-2.0
"""Sequential release with frames: publish a changing table again and again, check its releases, and find their risks.

The schema has one identifier, which links people over time, quasi-identifiers that are numbers or ordered categories,
and one sensitive category.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from scoring import __version__
from scoring.audits import series_report
from scoring.audits.series import SeriesAudit, audit_series
from scoring.audits.series_summary import summary
from scoring.audits.series_texts import verdict
from scoring.datasets.hospital import HOSPITAL_SCHEMA, MAX_RECORDS, MAX_RELEASES, hospital
from scoring.facade.given import SchemaLike, schema_for
from scoring.facade.progress import steps
from scoring.facade.results import Result, Scores, Validation
from scoring.formats.sequential import checking, publishing
from scoring.formats.sequential.bundles import pack
from scoring.formats.sequential.catalog import SERIES_MEASURES
from scoring.formats.sequential.drafts import Side
from scoring.formats.sequential.files import identifier_of, read_each, read_microdata
from scoring.formats.sequential.improved import Rule
from scoring.formats.sequential.last import Where
from scoring.formats.sequential.loss import losses
from scoring.formats.sequential.publishing import Method, Options, Publication
from scoring.formats.sequential.release_files import read_counterfeits, read_release
from scoring.formats.sequential.risk import (
    Definition,
    Risks,
    identification_risks,
    pinned_by,
    risks_over_time,
)
from scoring.formats.sequential.sampling import N_SAMPLES
from scoring.formats.sequential.scores import score_series
from scoring.formats.sequential.series import Series, handed_in, of_publication, published
from scoring.formats.sequential.tables import Microdata, Release
from scoring.registry import drawing
from scoring.seeds import generator
from scoring.studies.folder import fill, new_folder
from scoring.tables.frames import csv_of
from scoring.tables.schema import Schema

__all__ = [
    "PublishedSeries",
    "SeriesAuditResult",
    "SeriesRisks",
    "audit",
    "check",
    "generate",
    "publish",
    "risk",
    "score",
]


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class PublishedSeries(Result):
    """The releases of a changing table, and what they cost.

    Attributes
    ----------
    original : Microdata
        The tables in full.
    publication : Publication
    identifier : str
        The column that links people.
    m : int
    """

    original: Microdata
    publication: Publication
    identifier: str
    m: int

    @property
    def series(self) -> Series:
        """The releases with what is published next to them, as a contest reads them."""
        return of_publication(self.publication)

    @property
    def releases(self) -> list[pd.DataFrame]:
        """The published table of each time: its groups, the region of each, and the sensitive values."""
        files = published(self.series)
        n = len(self.publication.releases)
        return [_frame(files[f"R{time}.csv"]) for time in range(1, n + 1)]

    @property
    def counterfeits(self) -> list[pd.DataFrame]:
        """The number of counterfeits of each group that has some, for each release."""
        files = published(self.series)
        n = len(self.publication.releases)
        return [_frame(files[f"C{time}.csv"]) for time in range(1, n + 1)]

    @property
    def title(self) -> str:
        """Releases, and what was added or left out."""
        found = losses(self.publication)
        added, left_out = (
            sum(getattr(loss, n) for loss in found) for n in ("n_counterfeits", "n_deleted")
        )
        return f"{len(found)} releases, m = {self.m}; {added:,} counterfeits, {left_out:,} records left out"

    def to_frame(self) -> pd.DataFrame:
        """A line for each release: records, groups, counterfeits, what was left out, and the extent of its regions."""
        found = pd.DataFrame([asdict(loss) for loss in losses(self.publication)])
        return found.set_axis(pd.RangeIndex(1, len(found) + 1, name="release"))

    def archive(self) -> bytes:
        """The zip archive that a team submits."""
        return pack(handed_in(self.series, self.identifier))

    def save(self, folder: str | Path) -> None:
        """Write the published files into a folder that is new or empty."""
        with new_folder(str(folder)) as target:
            fill(target, published(self.series))


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class SeriesRisks(Result):
    """An attacker's certainty of each person's sensitive value.

    Attributes
    ----------
    ids : tuple of str
    risks : Risks
        After the last release.
    seed : int or None
    history : tuple of Risks
        After each release; empty where that was not asked.
    """

    ids: tuple[str, ...]
    risks: Risks
    seed: int | None
    history: tuple[Risks, ...] = ()

    @property
    def title(self) -> str:
        """The largest and the mean risk."""
        if self.risks.max is None:
            return f"{self.risks.definition}: nobody has a risk"
        largest, mean = self.risks.max, self.risks.mean or 0.0
        found = f"largest risk {largest:.4f}, mean {mean:.4f}"
        return f"{self.risks.definition}: {found} of {len(self.ids):,} people"

    def to_frame(self) -> pd.DataFrame:
        """A line for each person, the largest risk first, with the ends of an interval where it was sampled.

        Over time also the risk after each release, and the releases that raised it.
        """
        found = self.risks
        columns: dict[str, Any] = {"risk": found.values, "low": found.low, "high": found.high}
        columns |= {f"release {i}": risks.values for i, risks in enumerate(self.history, start=1)}
        if self.history:
            columns["pinned_by"] = pinned_by(self.history)
        table = pd.DataFrame(columns, index=pd.Index(self.ids, name="id"))
        return table.sort_values("risk", ascending=False, kind="stable")


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class SeriesAuditResult(Result):
    """The risks of a series under every definition, and its attackers.

    Attributes
    ----------
    audit : SeriesAudit
    version : str
        Of the library.
    """

    audit: SeriesAudit
    version: str

    @property
    def title(self) -> str:
        """The verdict in a sentence."""
        return verdict(summary(self.audit), str).rstrip(".")

    def to_frame(self) -> pd.DataFrame:
        """A line for each definition of risk: the largest and the mean risk after the last release."""
        found = [f.last for f in self.audit.findings if f.last is not None]
        lines = [(str(risks.definition), risks.max, risks.mean) for risks in found]
        return pd.DataFrame(lines, columns=["definition", "max", "mean"]).set_index("definition")

    def report(self) -> str:
        """The report as a page of HTML that needs nothing else."""
        facts = {"scoring": self.version, "seed": str(self.audit.seed)}
        return series_report.report(self.audit, facts)

    def save(self, path: str | Path) -> None:
        """Write the report."""
        Path(path).write_text(self.report(), encoding="utf-8")


def generate(
    records: int = 1000, releases: int = 4, *, seed: int = 1
) -> tuple[list[pd.DataFrame], Schema]:
    """Draw the half-year windows of a synthetic hospital.

    Parameters
    ----------
    records : int
        In each table, up to 100,000.
    releases : int
        How many tables, up to 20.
    seed : int

    Returns
    -------
    tables, schema : list of DataFrame and Schema

    Raises
    ------
    ValueError
        Where a number is out of range.

    Examples
    --------
    >>> tables, schema = generate(50, 3, seed=1)
    >>> [len(table) for table in tables], schema.sensitive
    ([50, 50, 50], ('disease',))
    """
    for name, got, most in (
        ("records", records, MAX_RECORDS),
        ("releases", releases, MAX_RELEASES),
    ):
        if not 1 <= got <= most:
            raise ValueError(f"{name}: expected 1 to {most}, got {got}")
    return hospital(records, releases, seed=seed), HOSPITAL_SCHEMA


def publish(
    tables: Sequence[pd.DataFrame],
    m: int,
    schema: SchemaLike | None = None,
    *,
    method: Method = "m-invariance",
    before: Sequence[pd.DataFrame] = (),
    widths: Sequence[float] | None = None,
    side: Side = "below",
    where: Where = "everywhere",
    rule: Rule = "risk",
    progress: bool = True,
) -> PublishedSeries:
    """Publish the tables of several times, one release for each.

    Parameters
    ----------
    tables : sequence of DataFrame
        The table of each time.
    m : int
        Different sensitive values in each group, at least 2.
    schema : Schema, path or str, optional
        By default one that is proposed from the first table, with a warning.
    method : {"m-invariance", "last", "improved"}
    before : sequence of DataFrame
        The releases of the first tables, which are published already.
    widths, side, where, rule
        As in `scoring.formats.sequential.publishing.Options`.
    progress : bool
        Show a progress bar after two seconds.

    Returns
    -------
    PublishedSeries
        `releases` are frames.

    Raises
    ------
    ProblemsFound
        Where a table or the schema does not fit, new records are not m-eligible, or the releases before are none of
        the tables.
    ValueError
        Where m is below 2, or there is no table.

    Examples
    --------
    >>> tables, schema = generate(50, 2, seed=1)
    >>> found = publish(tables, 2, schema)
    >>> [column for column in found.releases[0]]
    ['group', 'age_low', 'age_high', 'zip_low', 'zip_high', 'disease']
    """
    original, known = _microdata(tables, schema)
    options = Options(m, method, None if widths is None else tuple(widths), side, where, rule)
    made = _releases(before, original)
    with steps(len(tables) - len(made), progress=progress) as step:
        done = publishing.publish(original, options, before=made, progress=step)
    return PublishedSeries(original, done, identifier_of(known), m)


def check(
    tables: Sequence[pd.DataFrame],
    releases: PublishedSeries | Sequence[pd.DataFrame],
    m: int,
    schema: SchemaLike | None = None,
) -> Validation:
    """Check that releases are generalizations of their tables, m-unique and m-invariant.

    Parameters
    ----------
    tables : sequence of DataFrame
    releases : PublishedSeries or sequence of DataFrame
        One for each table.
    m : int
    schema : Schema, path or str, optional
        As in `publish`.

    Returns
    -------
    Validation
        True where all of it holds.

    Raises
    ------
    ProblemsFound
        Where a frame cannot be read.

    Examples
    --------
    >>> tables, schema = generate(50, 2, seed=1)
    >>> bool(check(tables, publish(tables, 2, schema), 2, schema))
    True
    """
    original, known, tampered = _read(tables, releases, schema)
    found = checking.check(original, known, m, tampered=tampered)
    n_records = sum(len(snapshot.ids) for snapshot in original.snapshots)
    return Validation(n_records, n_records, found.problems, found.n_problems)


def risk(
    tables: Sequence[pd.DataFrame],
    releases: PublishedSeries | Sequence[pd.DataFrame],
    schema: SchemaLike | None = None,
    *,
    definition: str = "counting",
    counterfeits: Sequence[pd.DataFrame] | None = None,
    over_time: bool = False,
    samples: int = N_SAMPLES,
    seed: int | None = None,
    rng: np.random.Generator | None = None,
    progress: bool = True,
) -> SeriesRisks:
    """Find how certain an attacker may be of each person's sensitive value.

    Parameters
    ----------
    tables : sequence of DataFrame
    releases : PublishedSeries or sequence of DataFrame
    schema : Schema, path or str, optional
        As in `publish`.
    definition : {"counting", "worlds", "worlds-counterfeit-known", "worlds-last", "m-invariance"}
        How the attacker computes, and what it knows.
    counterfeits : sequence of DataFrame, optional
        The number of counterfeits of each group, for releases that are frames.
    over_time : bool
        Also the risk after each release.
    samples : int
        Possible worlds to sample where there are too many to count.
    seed : int, optional
        Of the sample; 1 by default.
    rng : numpy.random.Generator, optional
        Instead of a seed.
    progress : bool
        Show a progress bar after two seconds.

    Returns
    -------
    SeriesRisks

    Raises
    ------
    ProblemsFound
        Where a frame cannot be read, or releases do not fit the tables.
    ValueError
        Where the definition is unknown.

    Examples
    --------
    >>> tables, schema = generate(50, 2, seed=1)
    >>> found = risk(tables, publish(tables, 2, schema), schema, definition="m-invariance")
    >>> found.risks.max
    0.5
    """
    generated, used = generator(seed, rng, default=1)
    original, known, _tampered = _read(tables, releases, schema)
    if counterfeits is not None:
        known = _with_counterfeits(known, counterfeits)
    chosen = Definition(definition)
    with steps(len(known) if over_time else None, progress=progress) as step:
        if not over_time:
            step(definition)
            found = identification_risks(original, known, chosen, rng=generated, n_samples=samples)
            return SeriesRisks(original.ids, found, used)
        history = risks_over_time(
            original,
            known,
            chosen,
            rng=generated,
            n_samples=samples,
            progress=lambda i, n: step(f"release {i + 1} of {n}"),
        )
    return SeriesRisks(original.ids, history[-1], used, tuple(history))


def score(
    series: PublishedSeries,
    *,
    measures: str | Sequence[str] | None = None,
    definition: str = "counting",
    seed: int = 1,
) -> Scores:
    """Measure a series of releases: its utility and its risks.

    Parameters
    ----------
    series : PublishedSeries
    measures : str or sequence of str, optional
        Identifiers out of `SERIES_MEASURES`; all by default.
    definition : {"counting", "worlds", "worlds-counterfeit-known", "m-invariance"}
        Of the measures of risk.
    seed : int
        Of queries and possible worlds.

    Returns
    -------
    Scores

    Raises
    ------
    UnknownNameError
        Where a measure is unknown.
    ValueError
        Where the definition is unknown.

    Examples
    --------
    >>> tables, schema = generate(50, 2, seed=1)
    >>> score(publish(tables, 2, schema), measures="series-risk-max", definition="m-invariance")
    <Scores: 105 rows for 100 records; series-risk-max 0.5; seed 1>
    """
    names = SERIES_MEASURES if measures is None else measures
    ids = [names] if isinstance(names, str) else list(names)
    chosen = tuple(SERIES_MEASURES[id_] for id_ in ids)
    values = score_series(
        series.original, series.series, m=series.m, definition=definition, measures=ids, seed=seed
    )
    n_original, n_rows = int(values["n_tuples"] or 0), int(values["n_rows"] or 0)
    seeded = seed if drawing(chosen, definition) else None
    found = {id_: values[id_] for id_ in ids}
    counts = f"{n_rows:,} rows for {n_original:,} records"
    return Scores(found, chosen, n_original, n_rows, seeded, counts=counts)


def audit(
    series: PublishedSeries, *, definition: str = "counting", seed: int = 1, progress: bool = True
) -> SeriesAuditResult:
    """Find the risks of a series under every definition, and attack it.

    Parameters
    ----------
    series : PublishedSeries
    definition : {"counting", "worlds", "worlds-counterfeit-known", "m-invariance"}
        The one that the verdict is about.
    seed : int
        Of the possible worlds.
    progress : bool
        Show a progress bar after two seconds.

    Returns
    -------
    SeriesAuditResult

    Raises
    ------
    ValueError
        Where the definition is unknown.

    Examples
    --------
    >>> tables, schema = generate(50, 2, seed=1)
    >>> audit(publish(tables, 2, schema)).to_frame().index.tolist()
    ['counting', 'worlds', 'worlds-counterfeit-known', 'm-invariance']
    """
    with steps(None, progress=progress) as step:
        found = audit_series(
            series.original,
            series.series,
            m=series.m,
            definition=definition,
            seed=seed,
            progress=lambda i, n, name: step(f"{name}, {i + 1} of {n}"),
        )
    return SeriesAuditResult(found, __version__)


def _read(
    tables: Sequence[pd.DataFrame],
    releases: PublishedSeries | Sequence[pd.DataFrame],
    schema: SchemaLike | None,
) -> tuple[Microdata, Sequence[Release], Sequence[np.ndarray]]:
    """The tables as published, the releases, and the groups named in a notice."""
    if isinstance(releases, PublishedSeries):
        series = releases.series
        return series.microdata, series.releases, series.tampered
    original, _schema = _microdata(tables, schema)
    return original, _releases(releases, original), ()


def _microdata(
    tables: Sequence[pd.DataFrame], schema: SchemaLike | None
) -> tuple[Microdata, Schema]:
    if not len(tables):
        raise ValueError("tables: expected at least one table, got none")
    known = schema_for(schema, tables[0])
    return read_microdata(list(tables), known), known


def _releases(releases: Sequence[pd.DataFrame], original: Microdata) -> list[Release]:
    return read_each(
        [csv_of(release) for release in releases],
        "R",
        lambda data, file, _: read_release(data, original, file=file),
    )


def _with_counterfeits(
    releases: Sequence[Release], counterfeits: Sequence[pd.DataFrame]
) -> list[Release]:
    counts = read_each(
        [csv_of(frame) for frame in counterfeits],
        "C",
        lambda data, file, time: read_counterfeits(data, releases[time], file=file),
    )
    return [replace(r, counterfeits=c) for r, c in zip(releases, counts, strict=True)]


def _frame(data: bytes) -> pd.DataFrame:
    return pd.read_csv(io.BytesIO(data), keep_default_na=False)
