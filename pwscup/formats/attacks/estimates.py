# SPDX-License-Identifier: Apache-2.0
"""Counts of a hidden table, estimated from what the organizer's rounds disclose of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pwscup.formats.attacks import Question
from pwscup.formats.hidden.disclosed import most_per_cell, spec_of, target_attributes
from scoring.formats.disclosure.attributes import attributes_of, codes_of
from scoring.formats.disclosure.estimates import differing, marks, read_estimate
from scoring.formats.disclosure.estimators import counted

if TYPE_CHECKING:
    import numpy as np

    from pwscup.formats.evaluation import Case, Opened, Values
    from scoring.formats.disclosure.attributes import Attribute
    from scoring.privacy.domains import Integers

    Sheet = tuple[tuple[Attribute, ...], int]

MAX_CELLS_SHOWN = 200


def coded(table: Opened, columns: tuple[str, ...]) -> tuple[tuple[Attribute, ...], np.ndarray]:
    """A hidden table as codes of its disclosed columns."""
    attributes = attributes_of(table.schema, columns)
    return attributes, codes_of(table.records("disclosure: the hidden table is coded"), attributes)


def cells(case: Case) -> Sheet:
    """The columns of the target table, which has a line for each cell, and the largest count."""
    contest = case.submission.round.contest
    return target_attributes(contest), most_per_cell(contest)


def read(data: bytes, sheet: Sheet) -> Integers:
    return read_estimate(data, sheet[0], most=sheet[1])


def counts(case: Case) -> Integers:
    """The counts that estimates are compared with: with noise, unless the ruleset has none for errors.

    Every value that is computed from them, whatever the estimates, discloses no more than the noisy counts do.
    """
    spec = spec_of(case.submission.round.contest)
    if spec.errors_epsilon is not None:
        return case.noisy_counts(spec.errors_epsilon)
    attributes, codes = case.read(coded, spec.columns)
    return counted(codes, attributes, cells(case)[0])


def distances(answer: Integers, estimate: Integers, case: Case) -> Values:
    """The distances of the estimate from these counts, by the measures of the ruleset."""
    found = marks(estimate, answer)
    return {measure: found[measure] for measure in case.ruleset.measures}


@dataclass(frozen=True, slots=True)
class Counts(Question["Sheet", "Integers", "Integers"]):
    """The question about counts, whose answers can be compared cell by cell when the contest is over."""

    def compared(self, case: Case) -> dict[str, Any]:
        """The cells with the largest errors: the values, the estimate and the count it is compared with."""
        target, _ = sheet = self.sheet(case)
        estimate = self.read(case.file(self.file), sheet)
        truth = self.answer(case)
        return {
            "is_noisy": spec_of(case.submission.round.contest).errors_epsilon is not None,
            "columns": [attribute.name for attribute in target],
            "n_cells": int(truth.size),
            "n_exact": int((estimate == truth).sum()),
            "cells": differing(estimate, truth, target, MAX_CELLS_SHOWN),
        }


COUNTS = Counts("estimate", cells, read, counts, distances)
