"""Anonymized tables as they were handed in, and as they are published: in an order that only a seed knows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pwscup.contests import truth
from pwscup.contests.selectors import dataset_of
from pwscup.contests.teams.tables import draw_of
from pwscup.submissions.evaluation import handed_in
from pwscup.submissions.evaluation.drawing import published_candidates, rows_of
from pwscup.submissions.evaluation.originals import Original, dataset_for, original_table
from pwscup.submissions.evaluation.published import ShuffledTable
from scoring.formats.lecture import release
from scoring.proof.commitments import shuffled
from scoring.tables.aligned import read_aligned, write_aligned
from scoring.tables.original_values import check_original_values
from scoring.tables.reading import write_table
from scoring.tables.validation import read_submitted_records

if TYPE_CHECKING:
    import pandas as pd

    from pwscup.contests.models import Round
    from pwscup.submissions.models import Submission
    from scoring.tables.records import Records

ALIGNED, CANDIDATES, VALUES = "aligned-anonymization", "candidate-attack", "value-attack"


def read_anonymized(submission: Submission, original: Original) -> tuple[Records, np.ndarray]:
    """The records that were handed in, and the rows of the original that they were made from.

    Raises
    ------
    scoring.errors.ProblemsFound
        Where the files break the rules.
    """
    validity = submission.round.contest.ruleset.validity
    values_only = validity.values == "original"
    table = handed_in.read(submission, "anonymized")
    if submission.round.kind == ALIGNED:
        return read_aligned(
            table,
            original=original.prepared.original,
            schema=original.schema,
            original_values_only=values_only,
            blank_records=validity.blank_records,
        )
    records, source = read_submitted_records(
        table,
        handed_in.read(submission, "rows") if handed_in.has(submission, "rows") else None,
        n_original=original.prepared.n_records,
        schema=original.schema,
    )
    if values_only:
        check_original_values(records, original.prepared.original, original.schema)
    return records, source


def shuffled_table(submission: Submission, attack: Round) -> ShuffledTable:
    """What an attack round publishes of a submission, its records in a secret order, as canonical CSV.

    A series of releases is sorted.

    The order follows from the contest's secret, to which it has committed; `scoring.proof.commitments` says how.
    """
    if attack.kind == VALUES:
        from pwscup.submissions.evaluation.series import published_series

        return published_series(submission)
    contest = submission.round.contest
    original = original_table(dataset_for(submission))
    seed = truth.derived_seed(contest, f"release/{attack.key}/{submission.team.slug}")
    found = read_anonymized(submission, original)
    if attack.kind == CANDIDATES:
        return _shuffled_lines(submission, original, found, seed)
    table, source = shuffled(*found, seed)
    return ShuffledTable(
        write_table(table, original.schema), truth.release_key(seed, source), len(table)
    )


def _shuffled_lines(
    submission: Submission, original: Original, found: tuple[Records, np.ndarray], seed: int
) -> ShuffledTable:
    """All lines of an aligned table, and the candidates: the team's records and its decoys, shuffled."""
    contest, draw = submission.round.contest, draw_of(submission.team)
    if draw is None:
        raise LookupError(f"nothing was drawn for team {submission.team_id}")
    rows = truth.drawn_rows(draw, reason=f"publishing {submission.public_id}")
    records, source = found
    lines = release(rows["own"], source, rows["candidates"], rng=np.random.default_rng(seed))
    return ShuffledTable(
        write_aligned(records, lines.positions, original.schema),
        truth.release_key(seed, lines.key),
        len(lines.key),
        published_candidates(dataset_of(contest), rows["candidates"]),
    )


def decoys_of(submission: Submission) -> pd.DataFrame | None:
    """The records that were drawn beside the team's own; None where teams share a table, or none were."""
    draw = draw_of(submission.team) if submission.round.contest.format.own_tables else None
    if draw is None:
        return None
    rows = truth.drawn_rows(draw, reason=f"audit of {submission.public_id}")
    if not len(rows["decoys"]):
        return None
    organizers = dataset_of(submission.round.contest)
    records = truth.original_records(organizers, reason=f"audit of {submission.public_id}")
    return rows_of(records, rows["decoys"]).to_frame()
