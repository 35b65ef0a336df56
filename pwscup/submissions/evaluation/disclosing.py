# SPDX-License-Identifier: Apache-2.0
"""The disclosed data of a hidden table: noisy counts, a randomized release, and the counts behind errors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction

from pwscup.contests.models import Contest, Dataset
from pwscup.contests.selectors import dataset_of
from pwscup.core import audit_log
from pwscup.core.files import storage
from pwscup.formats.attacks.estimates import coded
from pwscup.formats.hidden.disclosed import spec_of, target_attributes
from pwscup.submissions.evaluation.originals import Opened, read_once
from scoring.formats.disclosure.estimates import read_answer, write_estimate
from scoring.formats.disclosure.estimators import counted
from scoring.formats.disclosure.queries import noisy_answer
from scoring.formats.disclosure.releases import release_csv
from scoring.privacy import sampling, sensitivity

if TYPE_CHECKING:
    from decimal import Decimal

    import numpy as np

    from scoring.formats.disclosure.attributes import Attribute
    from scoring.formats.disclosure.queries import Query
    from scoring.privacy.domains import Integers

REFERENCE = "reference"
"""The key of the row of `Dataset` with the noisy counts that estimates are compared with."""


def noisy_counts(contest: Contest, query: Query, epsilon: Decimal) -> list[int]:
    """The answer to a query with noise that cannot be reproduced, in the order of the query's cells."""
    attributes, codes = _hidden(contest)
    return noisy_answer(query, codes, attributes, epsilon, sampling.secure()).ravel().tolist()


def released_table(contest: Contest, epsilon: Decimal) -> tuple[bytes, int]:
    """The randomized table as CSV, its lines shuffled, and its number of records; every call draws again."""
    attributes, codes = _hidden(contest)
    return release_csv(codes, attributes, epsilon, sampling.secure()), len(codes)


# Errors of estimates


def reference_counts(contest: Contest, epsilon: Decimal) -> Integers:
    """The counts of the target with the noise of all errors: the same for every estimate of every team.

    The noise is not drawn from the contest's secret, because that is published after the contest.
    """
    target = target_attributes(contest)
    found = _reference(contest) or _drawn_reference(contest, target, epsilon)
    return read_once(found, _read_reference, target)


def _reference(contest: Contest) -> Dataset | None:
    found = Dataset.objects.filter(contest=contest, team=None, key=REFERENCE)
    return found.select_related("sealed").first()


def _read_reference(table: Opened, target: tuple[Attribute, ...]) -> Integers:
    return read_answer(table.data("disclosure: the counts behind errors"), target)


def _drawn_reference(contest: Contest, target: tuple[Attribute, ...], epsilon: Decimal) -> Dataset:
    """Drawn once: another draw would be another release."""
    original, (attributes, codes) = dataset_of(contest), _hidden(contest)
    with transaction.atomic():
        Contest.objects.select_for_update(no_key=True).get(pk=contest.pk)
        if (found := _reference(contest)) is not None:
            return found
        truth, delta = counted(codes, attributes, target), sensitivity.histogram()
        counts = sampling.noisy_counts(truth, delta, epsilon, sampling.secure())
        data = write_estimate(counts, target)
        file = storage.store(data, area=storage.Area.SEALED, name=f"{REFERENCE}.csv")
        audit_log.record(
            "errors.noise_drawn",
            contest_id=contest.pk,
            subject=contest.slug,
            epsilon=f"{epsilon:f}",
            sha256=file.sha256,
        )
        return Dataset.objects.create(
            contest=contest,
            key=REFERENCE,
            sealed=file,
            schema_text=original.schema_text,
            n_records=original.n_records,
        )


def _hidden(contest: Contest) -> tuple[tuple[Attribute, ...], np.ndarray]:
    return read_once(dataset_of(contest), coded, spec_of(contest).columns)
