# SPDX-License-Identifier: Apache-2.0
"""Sensitive values of the individuals in a published series of releases."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pwscup.contests.selectors import dataset_of
from pwscup.core.files import storage
from pwscup.formats.attacks import Question
from scoring.formats.sequential.background import read_background, read_published
from scoring.formats.sequential.guess_files import read_value_guess
from scoring.formats.sequential.guesses import mark_values
from scoring.tables.schema import Role

if TYPE_CHECKING:
    from pwscup.core.models import StoredFile
    from pwscup.formats.attacks import Right
    from pwscup.formats.evaluation import Case, Values
    from pwscup.submissions.models import Release
    from scoring.tables.schema import Schema


class Sheet(NamedTuple):
    """All individuals in the tables, and the possible values."""

    people: Mapping[str, str]
    values: tuple[str, ...]


def people(case: Case) -> Sheet:
    release = case.submission.target
    if release is None or release.candidates is None:
        raise ValueError("a guess without a target or its people")
    schema = dataset_of(case.submission.round.contest).schema
    return Sheet(case.answer()["values"], _known(release, release.candidates, schema))


def _known(release: Release, people: StoredFile, schema: Schema) -> tuple[str, ...]:
    """The possible values of a guess: those listed in the schema, or those in the releases."""
    listed = next(column.values for column in schema.columns if column.role is Role.SENSITIVE)
    if listed is not None:
        return listed
    background = read_background(storage.read(people), schema)
    return read_published(storage.read(release.table), background).people.sensitive_values


def read(data: bytes, sheet: Sheet) -> dict[str, str]:
    return read_value_guess(data, sheet.people, sheet.values)


class Answer(NamedTuple):
    """The sensitive value of each individual, and the baseline guess, which not all have."""

    values: Mapping[str, str]
    baseline: Mapping[str, str]


def answer(case: Case) -> Answer:
    return Answer(case.answer()["values"], case.answer()["baseline"])


def gain(answer: Answer, guess: Mapping[str, str], case: Case) -> Values:
    """The number of correctly guessed values beyond those of the most frequent value of each group."""
    spec = case.ruleset.sequential
    if spec is None:
        raise LookupError(f"contest {case.submission.round.contest_id} has no series")
    return asdict(mark_values(answer.values, answer.baseline, guess, m=spec.m))


def found(answer: Answer, guess: Mapping[str, str]) -> Right:
    """The individuals, and whether their value is guessed."""
    people = sorted(answer.values)
    return people, np.array([guess.get(person) == answer.values[person] for person in people])


VALUES = Question("guess", people, read, answer, gain, found)
