"""A series of releases: what a series and a guess are worth, and what is published of it."""

from __future__ import annotations

from dataclasses import asdict
from functools import lru_cache
from typing import TYPE_CHECKING

from pwscup.contests import truth
from pwscup.contests.models import Dataset
from pwscup.contests.selectors import dataset_of
from pwscup.core.files import storage
from pwscup.submissions.evaluation import handed_in
from pwscup.submissions.evaluation.originals import dataset_for
from pwscup.submissions.evaluation.published import ShuffledTable
from scoring.formats.sequential import series_files
from scoring.formats.sequential.background import background, read_background, read_published
from scoring.formats.sequential.bundles import pack
from scoring.formats.sequential.files import identifier_of
from scoring.formats.sequential.guess_files import read_value_guess
from scoring.formats.sequential.guesses import (
    baseline_guesses,
    mark_values,
    true_values,
    values_of,
)
from scoring.formats.sequential.scores import score_series
from scoring.formats.sequential.series import published
from scoring.tables.schema import Role

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pwscup.submissions.models import Release, Submission
    from scoring.formats.sequential.series import Series
    from scoring.formats.sequential.tables import Microdata
    from scoring.rulesets.base import SequentialSpec
    from scoring.tables.schema import Schema

Values = dict[str, float | int | None]
MAX_TABLES = 4


# The tables of a team


def tables_of(dataset: Dataset) -> Microdata:
    """The tables of a team, kept by this process while they are among the last few in use."""
    return _microdata(dataset.pk, dataset.sealed.sha256, dataset.schema_text)


@lru_cache(maxsize=MAX_TABLES)
def _microdata(pk: int, sha256: str, schema_text: str) -> Microdata:
    """The texts tell the versions of a dataset apart."""
    dataset = Dataset.objects.select_related("sealed").get(pk=pk)
    return series_files.read_tables(_whole(dataset), dataset.schema)


def _whole(dataset: Dataset) -> bytes:
    return truth.read_sealed(
        dataset.sealed, reason="scoring: the tables are read", contest_id=dataset.contest_id
    )


# What was handed in


def spec_of(submission: Submission) -> SequentialSpec:
    """What the rules ask of the series."""
    spec = submission.round.contest.ruleset.sequential
    if spec is None:
        raise LookupError(f"contest {submission.round.contest_id} has no series")
    return spec


def read_handed_in(submission: Submission) -> tuple[Microdata, Series]:
    """The team's tables, and its series of releases.

    Raises
    ------
    scoring.errors.ProblemsFound
        Where the files break the rules.
    """
    dataset, spec = dataset_for(submission), spec_of(submission)
    original = tables_of(dataset)
    data = handed_in.read(submission, "series")
    name = identifier_of(dataset.schema)
    found = series_files.read_series(
        data, original, name, m=spec.m, require=spec.require, limits=spec.limits
    )
    return original, found


def measuring(
    submission: Submission,
) -> tuple[Callable[[Sequence[str], int], Values], dict[str, str]]:
    """What measures releases by a seed, where they stand the check against the tables of the team; and digests."""
    original, found = read_handed_in(submission)
    spec = spec_of(submission)

    def measured(measures: Sequence[str], seed: int) -> Values:
        given = {"m": spec.m, "definition": spec.definition}
        return score_series(original, found, measures=measures, seed=seed, **given)

    original_sha256 = dataset_for(submission).sealed.sha256
    return measured, {"original": original_sha256} | handed_in.hashes(submission)


def marked(submission: Submission) -> tuple[Values, dict[str, str]]:
    """How many more people's values were guessed than by the most frequent value of their groups; and digests."""
    contest, release = submission.round.contest, submission.target
    if release is None or release.candidates is None:
        raise ValueError("a guess without a target or its people")
    values, baseline = truth.release_values(
        release.key, reason=f"scoring {submission.public_id}", contest_id=contest.pk
    )
    data = handed_in.read(submission, "guess")
    guess = read_value_guess(data, values, _known(release, dataset_of(contest).schema))
    mark = mark_values(values, baseline, guess, m=spec_of(submission).m)
    attacked = {"release": release.table.sha256, "people": release.candidates.sha256}
    return asdict(mark), attacked | handed_in.hashes(submission)


def _known(release: Release, schema: Schema) -> tuple[str, ...]:
    """What a guess may name, and be told of: the values that the schema lists, else those of the releases."""
    listed = next(column.values for column in schema.columns if column.role is Role.SENSITIVE)
    if listed is not None:
        return listed
    people = read_background(storage.read(release.candidates), schema)
    return read_published(storage.read(release.table), people).people.sensitive_values


# What is published


def published_series(submission: Submission) -> ShuffledTable:
    """The releases, sorted; the background table; and sealed, everybody's value and the baseline."""
    dataset = dataset_for(submission)
    original, found = read_handed_in(submission)
    values = true_values(original)
    baseline = values_of(baseline_guesses(original, found.releases), original)
    return ShuffledTable(
        table=pack(published(found)),
        key=truth.values_key(values, baseline),
        n_records=len(original.ids),
        candidates=pack(background(_whole(dataset), dataset.schema)),
    )
