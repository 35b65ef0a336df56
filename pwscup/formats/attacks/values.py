"""Sensitive values of the people in a published series of releases."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, NamedTuple

from pwscup.contests.selectors import dataset_of
from pwscup.core.files import storage
from pwscup.formats.attacks import Question
from scoring.formats.sequential.background import read_background, read_published
from scoring.formats.sequential.guess_files import read_value_guess
from scoring.formats.sequential.guesses import mark_values
from scoring.tables.schema import Role

if TYPE_CHECKING:
    from pwscup.formats.evaluation import Case, Values
    from pwscup.submissions.models import Release
    from scoring.tables.schema import Schema


class Sheet(NamedTuple):
    """Everybody in the tables, and the values that may be guessed."""

    people: Mapping[str, str]
    values: tuple[str, ...]


def people(case: Case) -> Sheet:
    release = case.submission.target
    if release is None or release.candidates is None:
        raise ValueError("a guess without a target or its people")
    schema = dataset_of(case.submission.round.contest).schema
    return Sheet(case.answer()["values"], _known(release, schema))


def _known(release: Release, schema: Schema) -> tuple[str, ...]:
    """What a guess may name, and be told of: the values that the schema lists, else those of the releases."""
    listed = next(column.values for column in schema.columns if column.role is Role.SENSITIVE)
    if listed is not None:
        return listed
    background = read_background(storage.read(release.candidates), schema)
    return read_published(storage.read(release.table), background).people.sensitive_values


def read(data: bytes, sheet: Sheet) -> dict[str, str]:
    return read_value_guess(data, sheet.people, sheet.values)


class Answer(NamedTuple):
    """By person, the sensitive value, and the guess that anybody can make, which not everybody has."""

    values: Mapping[str, str]
    baseline: Mapping[str, str]


def answer(case: Case) -> Answer:
    return Answer(case.answer()["values"], case.answer()["baseline"])


def gain(answer: Answer, guess: Mapping[str, str], case: Case) -> Values:
    """How many more values were guessed than by the most frequent value of each group."""
    spec = case.ruleset.sequential
    if spec is None:
        raise LookupError(f"contest {case.submission.round.contest_id} has no series")
    return asdict(mark_values(answer.values, answer.baseline, guess, m=spec.m))


VALUES = Question("guess", people, read, answer, gain)
