"""What a submission is worth: the one place where the rules, the answer key and the library meet.

`KINDS` has one entry per kind of round. A further kind (queries with a privacy budget, series of
releases) adds a class there and a kind in `scoring.rulesets`; nothing else moves.
"""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

import scoring
from pwscup.contests import truth
from pwscup.submissions.evaluation.handed_in import own_upload
from pwscup.submissions.evaluation.kinds import KINDS, Values
from pwscup.submissions.evaluation.originals import (
    MAX_ORIGINALS,
    _originals,
    dataset_for,
    original_table,
)
from pwscup.submissions.evaluation.tables import (
    ShuffledTable,
    decoys_of,
    read_anonymized,
    shuffled_table,
)
from pwscup.submissions.models import Submission
from scoring.commitments import shuffled

if TYPE_CHECKING:
    from pwscup.accounts.models import User
    from pwscup.contests.models import Contest
    from pwscup.core.models import StoredFile
    from scoring.audits.audit import Audit, Progress
    from scoring.rulesets import Ruleset

__all__ = [
    "KINDS",
    "MAX_ORIGINALS",
    "Result",
    "ShuffledTable",
    "_originals",
    "archived_file",
    "audited",
    "evaluate",
    "original_table",
    "own_upload",
    "revealed_secret",
    "shuffled",
    "shuffled_table",
]

SEED_BITS = 128


@dataclass(frozen=True, slots=True)
class Result:
    """Everything an Evaluation row records but for the claim it was made under."""

    ruleset_digest: str
    scoring_version: str
    seed: str
    input_hashes: dict[str, str]
    values: Values
    seconds: float


def evaluate(submission_id: int, rules: Ruleset | None = None) -> Result:
    """Score one submission by the rules of its contest, or by others where a re-scoring names them.

    Raises
    ------
    scoring.errors.ProblemsFound
        Where the files break the rules.
    """
    started = time.perf_counter()
    submission = Submission.objects.select_related(
        "team",
        "round__contest",
        "target__key",
        "target__table",
        "target__candidates",
        "target__team",
    ).get(pk=submission_id)
    if rules is not None:
        submission.round.contest.ruleset = rules
    purpose = f"evaluation/{submission.public_id}/{submission.fence}"
    seed = truth.derived_seed(submission.round.contest, purpose)
    values, hashes = KINDS[submission.round.kind].evaluate(submission, seed)
    return Result(
        ruleset_digest=submission.round.contest.ruleset.digest,
        scoring_version=scoring.__version__,
        seed=str(seed),
        input_hashes=hashes,
        values=values,
        seconds=round(time.perf_counter() - started, 4),
    )


def audited(submission: Submission, progress: Progress) -> Audit:
    """All attackers and measures against a scored table; `progress` hears of every step.

    Where the team has its own table, its decoys are the strangers that attacks are compared with.
    """
    from scoring.audits.audit import audit  # all that attackers need, which scoring does not

    original = original_table(dataset_for(submission))
    table, source = read_anonymized(submission, original)
    control = decoys_of(submission)
    return audit(
        original.prepared if control is None else original.prepared.original.to_frame(),
        table.to_frame(),
        source,
        original.schema,
        rng=np.random.default_rng(secrets.randbits(SEED_BITS)),
        control=control,
        options=submission.round.contest.ruleset.options,
        progress=progress,
    )


def revealed_secret(contest: Contest, *, actor: User) -> bytes:
    """The secret that a contest has committed to, for the organizer who publishes it."""
    return truth.revealed_secret(contest, actor=actor)


def archived_file(file: StoredFile, *, contest: Contest, actor: User | None) -> bytes:
    """The bytes of a sealed file, for the archive with the answer key that somebody asked for."""
    return truth.read_sealed(file, reason="archive", contest_id=contest.pk, actor=actor)
