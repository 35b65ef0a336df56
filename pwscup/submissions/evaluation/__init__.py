# SPDX-License-Identifier: Apache-2.0
"""Evaluation of submissions: the only place where the rules, the answer key and the library meet.

The evaluation of a kind of round is in `pwscup.formats`; the answer key is opened here, for the format only.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import scoring
from pwscup.contests import truth
from pwscup.core.db.prepared import Prepared, prefetch
from pwscup.formats.attacks.contents import with_contents
from pwscup.formats.evaluation import Drawn, Marked, Values
from pwscup.submissions.evaluation.cases import Case
from pwscup.submissions.evaluation.debriefing import debriefed_estimate, debriefed_table
from pwscup.submissions.evaluation.drawing import bot_seed
from pwscup.submissions.evaluation.handed_in import file_of_trial, own_upload
from pwscup.submissions.evaluation.likeness import compared
from pwscup.submissions.evaluation.originals import MAX_ORIGINALS, _originals, read_once
from pwscup.submissions.models import Release, Submission, SubmissionFile
from scoring.tables.notes import noted

if TYPE_CHECKING:
    from django.db.models import QuerySet

    from pwscup.accounts.models import User
    from pwscup.contests.models import Contest, Round
    from pwscup.core.models import StoredFile
    from scoring.audits.audit import Audit, Progress
    from scoring.audits.series import SeriesAudit
    from scoring.rulesets import Ruleset

__all__ = [
    "MAX_ORIGINALS",
    "Result",
    "ShuffledTable",
    "_originals",
    "archived_file",
    "audited",
    "bot_seed",
    "compared",
    "debriefed_estimate",
    "debriefed_table",
    "evaluate",
    "file_of_trial",
    "own_upload",
    "read_once",
    "revealed_secret",
    "shuffled_table",
]


@dataclass(frozen=True, slots=True)
class Result:
    """The content of an Evaluation row, without its claim."""

    ruleset_digest: str
    scoring_version: str
    seed: str
    input_hashes: dict[str, str]
    values: Values
    final_values: Values | None
    seconds: float
    notes: list[dict[str, Any]]
    right: str = ""
    """For a guess: the units that it got right, by `truth.right_key`."""


def evaluate(submission_id: int, rules: Ruleset | None = None) -> Result:
    """Score one submission by the rules of its contest, or by those of a re-scoring.

    Raises
    ------
    scoring.errors.ProblemsFound
        Where the files break the rules.
    """
    started = time.perf_counter()
    submission = _fetched(submission_id)
    contest, case = submission.round.contest, Case(submission)
    if rules is not None:
        contest.ruleset = rules
    # Depends only on the submission: repeated attempts give the same values.
    purpose = f"evaluation/{submission.public_id}"
    with truth.on_record(
        _files_read(submission),
        reason=f"scoring {submission.public_id}",
        contest=contest,
        subject=str(submission.public_id),
        purpose=purpose,
    ):
        seed = truth.derived_seed(contest, purpose)
        with noted() as notes:
            found = submission.round.format.evaluation.evaluate(case, seed)
        hashes = case.hashes()
    right = truth.right_key(found.right) if isinstance(found, Marked) else ""
    found = found.values if isinstance(found, Marked) else found
    values, final = (found.feedback, found.final) if isinstance(found, Drawn) else (found, None)
    return Result(
        ruleset_digest=contest.ruleset.digest,
        scoring_version=scoring.__version__,
        seed=str(seed),
        input_hashes=hashes,
        values=values,
        final_values=final,
        seconds=round(time.perf_counter() - started, 4),
        notes=[note.to_dict() for note in notes],
        right=right,
    )


def _fetched(submission_id: int) -> Submission:
    """The submission with all data for scoring, in two queries, or three for a guess."""
    submission = _SUBMISSION.get(submission_id)
    prefetch(submission, "files", _FILES.rows(submission_id))
    if submission.target_id is not None:
        targets = Release.objects.select_related("key", "table", "candidates", "team")
        submission.target = targets.get(pk=submission.target_id)
    return submission


def _submission(pk: int) -> QuerySet[Submission]:
    found = Submission.objects.select_related("team", "round__contest__secret")
    return found.filter(pk=pk).order_by()


def _files(submission_id: int) -> QuerySet[SubmissionFile]:
    return SubmissionFile.objects.filter(submission=submission_id).select_related("file")


_SUBMISSION, _FILES = Prepared(_submission, int), Prepared(_files, int)


def _files_read(submission: Submission) -> list[StoredFile]:
    """The sealed files for scoring: those of the submission, and the key of the table that it is about."""
    if submission.round.format.is_judged:
        return []
    files = [entry.file for entry in submission.files.all()]
    return files if submission.target is None else [*files, submission.target.key]


@dataclass(frozen=True, slots=True)
class ShuffledTable:
    """A table in released order and, where attackers choose among candidates, those: to publish; the key to seal.

    `n_records` counts the lines, those of deleted records among them; of a series the people, whose background
    stands in the place of candidates.
    """

    table: bytes
    key: bytes
    n_records: int
    candidates: bytes | None = None


def shuffled_table(submission: Submission, attack: Round) -> ShuffledTable:
    """The published part of a submission for an attack round.

    An order follows from the contest's secret, to which it has committed.
    """
    evaluation, purpose = (
        submission.round.format.evaluation,
        f"release/{attack.key}/{submission.team.slug}",
    )
    case = Case(submission)
    found = evaluation.published(case, purpose)
    if attack.format.asks_questions:
        number = "" if submission.original is None else f"/{submission.original}"
        seed = case.seed(f"questions/{submission.team.slug}{number}")
        found = attack.format.evaluation.asked(case, found, attack.spec, seed)
    key = truth.answer_key(with_contents(case, found, attack.key).answer)
    return ShuffledTable(found.table, key, found.n_records, found.candidates)


def audited(submission: Submission, progress: Progress) -> Audit | SeriesAudit:
    """All attackers and measures against a scored submission; `progress` is called at every step."""
    return submission.round.format.evaluation.audited(Case(submission), progress)


def revealed_secret(contest: Contest, *, actor: User) -> bytes:
    """The secret that a contest has committed to, for the organizer who publishes it."""
    return truth.revealed_secret(contest, actor=actor)


def archived_file(file: StoredFile, *, contest: Contest, actor: User | None) -> bytes:
    """The bytes of a sealed file, for an archive with the answer key."""
    return truth.read_sealed(file, reason="archive", contest_id=contest.pk, actor=actor)
