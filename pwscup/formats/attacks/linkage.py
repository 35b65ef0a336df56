# SPDX-License-Identifier: Apache-2.0
"""Record linkage: the record of the original, or of a table of candidates, that a published record was made from."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pwscup.contests.selectors import dataset_of
from pwscup.contests.teams.tables import draw_of
from pwscup.formats.attacks import Question
from pwscup.formats.attacks.contents import sealed_contents
from scoring.scores.options import DECIMALS
from scoring.scores.results import Linked, linked
from scoring.tables.number_lists import read_candidate_guess
from scoring.tables.reading import read_guess

if TYPE_CHECKING:
    from pwscup.formats.attacks import Right
    from pwscup.formats.evaluation import Case, Values
    from pwscup.submissions.models import Release
    from scoring.scores.content import Contents

KEPT = "kept_records"


class Sheet(NamedTuple):
    """The number of published records, and of records to choose from."""

    n_lines: int
    n_known: int


def rows(case: Case) -> Sheet:
    """The rows of the original, which all attackers have."""
    return Sheet(target_of(case).n_records, dataset_of(case.submission.round.contest).n_records)


def candidates(case: Case) -> Sheet:
    """The candidates that were published with the release."""
    release = target_of(case)
    draw = draw_of(release.team, release.submission.original)
    if release.candidates is None or draw is None:
        raise ValueError("a guess about a release without candidates")
    return Sheet(release.n_records, draw.n_records)


def target_of(case: Case) -> Release:
    """The release that a guess is about."""
    if case.submission.target is None:
        raise ValueError("a guess without a target")
    return case.submission.target


def read_rows(data: bytes, sheet: Sheet) -> np.ndarray:
    return read_guess(data, n_original=sheet.n_known, n_records=sheet.n_lines)


def read_candidates(data: bytes, sheet: Sheet) -> np.ndarray:
    return read_candidate_guess(data, n_candidates=sheet.n_known, n_lines=sheet.n_lines)


class Sealed(NamedTuple):
    """The 0-based record that each line was made from, in the released order, -1 for a deleted one; the records that
    lines show; and which of them a right guess names."""

    source: np.ndarray
    contents: Contents | None
    truth: str

    def linked(self, guess: np.ndarray) -> Linked:
        return linked(self.source, guess, self.contents, self.truth)


def sources(case: Case) -> Sealed:
    source = np.asarray(case.answer()["source"], dtype=np.int64)
    truth = case.ruleset.round(case.submission.round.key).truth
    return Sealed(source, sealed_contents(case), truth)


def hits(answer: Sealed, guess: np.ndarray, case: Case) -> Values:
    """Hits, and their share of the lines or of those that are not deleted; by either truth, where both are known."""
    is_kept = case.ruleset.round(case.submission.round.key).marking == KEPT
    n_records = int((answer.source >= 0).sum()) if is_kept else len(answer.source)
    found = answer.linked(guess)
    n_hits = int(found.right.sum())
    values: Values = {
        "n_records": n_records,
        "hits": n_hits,
        "rate": round(n_hits / n_records, DECIMALS),
    }
    return values if answer.contents is None else {**values, **found.rates(n_records)}


def found(answer: Sealed, guess: np.ndarray) -> Right:
    """The 0-based record of each line, and whether it is linked to its line."""
    linked_ = answer.linked(guess)
    return linked_.units.tolist(), linked_.right


ROWS = Question("guess", rows, read_rows, sources, hits, found)
CANDIDATES = Question("guess", candidates, read_candidates, sources, hits, found)
