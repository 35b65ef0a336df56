# SPDX-License-Identifier: Apache-2.0
"""Counts of a hidden table, estimated from what the organizer's rounds disclose of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pwscup.formats.attacks import Question
from pwscup.formats.hidden.disclosed import spec_of, target_attributes
from scoring.formats.disclosure.attributes import attributes_of, codes_of
from scoring.formats.disclosure.estimates import differing, marks, read_estimate
from scoring.formats.disclosure.estimators import counted

if TYPE_CHECKING:
    import numpy as np

    from pwscup.formats.evaluation import Case, Opened, Values
    from scoring.formats.disclosure.attributes import Attribute
    from scoring.privacy.domains import Integers

MAX_CELLS_SHOWN = 200


def coded(table: Opened, columns: tuple[str, ...]) -> tuple[tuple[Attribute, ...], np.ndarray]:
    """A hidden table as codes of its disclosed columns."""
    attributes = attributes_of(table.schema, columns)
    return attributes, codes_of(table.records("disclosure: the hidden table is coded"), attributes)


def cells(case: Case) -> tuple[Attribute, ...]:
    """A line for each cell of the target table."""
    return target_attributes(case.submission.round.contest)


def counts(case: Case) -> Integers:
    attributes, codes = case.read(coded, spec_of(case.submission.round.contest).columns)
    return counted(codes, attributes, cells(case))


def distances(answer: Integers, estimate: Integers, case: Case) -> Values:
    """The distances of the estimate from the true counts, by the measures of the ruleset."""
    found = marks(estimate, answer)
    return {measure: found[measure] for measure in case.ruleset.measures}


@dataclass(frozen=True, slots=True)
class Counts(Question["tuple[Attribute, ...]", "Integers", "Integers"]):
    """The question about counts, whose answers can be compared cell by cell when the contest is over."""

    def compared(self, case: Case) -> dict[str, Any]:
        """The cells with the largest errors: the values, the estimate and the true count of each."""
        target = self.sheet(case)
        estimate = self.read(case.file(self.file), target)
        truth = self.answer(case)
        return {
            "columns": [attribute.name for attribute in target],
            "n_cells": int(truth.size),
            "n_exact": int((estimate == truth).sum()),
            "cells": differing(estimate, truth, target, MAX_CELLS_SHOWN),
        }


COUNTS = Counts("estimate", cells, read_estimate, counts, distances)
