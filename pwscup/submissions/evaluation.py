"""What a submission is worth: the one place where the rules, the answer key and the library meet.

`KINDS` has one entry per kind of round. A further kind (candidate lists, queries with a privacy
budget, series of releases) adds a class here and a kind in `scoring.rulesets`; nothing else moves.
"""

from __future__ import annotations

import hashlib
import secrets
import time
from collections import OrderedDict
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Protocol

import numpy as np

import scoring
from pwscup.contests import truth
from pwscup.contests.selectors import dataset_of
from pwscup.submissions.models import Submission
from scoring.evaluate import Prepared, mark, score
from scoring.reading import read_guess, write_table
from scoring.records import Records
from scoring.validation import read_submitted_records

if TYPE_CHECKING:
    from pwscup.accounts.models import User
    from pwscup.contests.models import Dataset
    from pwscup.core.models import StoredFile
    from scoring.audits.audit import Audit, Progress
    from scoring.schema import Schema

Values = dict[str, float | int | None]
MAX_ORIGINALS = 4
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


class RoundKind(Protocol):
    """How one kind of round turns what was handed in into values."""

    def evaluate(self, submission: Submission, seed: int) -> tuple[Values, dict[str, str]]:
        """The values, and the digests of what they were computed from.

        Raises
        ------
        scoring.errors.ProblemsFound
            Where the files break the rules.
        """


class Anonymization:
    """Every measure of the ruleset, on the records in a fresh secret order: their order is worth nothing."""

    def evaluate(self, submission: Submission, seed: int) -> tuple[Values, dict[str, str]]:
        contest = submission.round.contest
        dataset = dataset_of(contest)
        original = original_table(dataset)
        table, source = shuffled(*_read_anonymized(submission, original), seed)
        ruleset = contest.ruleset
        values = score(
            original.prepared,
            table,
            source,
            original.schema,
            options=ruleset.options,
            measures=ruleset.measures,
        )
        return values, {"original": dataset.sealed.sha256} | _hashes(submission)


class Attack:
    """The share of a release's records whose declared source was guessed."""

    def evaluate(self, submission: Submission, seed: int) -> tuple[Values, dict[str, str]]:
        contest = submission.round.contest
        release = submission.target
        if release is None:
            raise ValueError("a guess without a target")
        guess = read_guess(
            _read(submission, "guess"),
            n_original=dataset_of(contest).n_records,
            n_records=release.n_records,
        )
        source = truth.release_source(
            release.key, reason=f"scoring {submission.public_id}", contest_id=contest.pk
        )
        result = mark(source, guess)
        values: Values = {
            "n_records": result.n_records,
            "hits": result.hits,
            "rate": result.rate,
        }
        return values, {"release": release.table.sha256} | _hashes(submission)


KINDS: dict[str, RoundKind] = {"anonymization": Anonymization(), "attack": Attack()}


def evaluate(submission_id: int) -> Result:
    """Score one submission.

    Raises
    ------
    scoring.errors.ProblemsFound
        Where the files break the rules.
    """
    started = time.perf_counter()
    submission = Submission.objects.select_related(
        "team", "round__contest", "target__key", "target__table"
    ).get(pk=submission_id)
    seed = secrets.randbits(SEED_BITS)
    values, hashes = KINDS[submission.round.kind].evaluate(submission, seed)
    return Result(
        ruleset_digest=submission.round.contest.ruleset.digest,
        scoring_version=scoring.__version__,
        seed=str(seed),
        input_hashes=hashes,
        values=values,
        seconds=round(time.perf_counter() - started, 4),
    )


# Tables


@dataclass(frozen=True, slots=True)
class Original:
    """An original without its identifiers, and the indexes that scoring builds once."""

    schema: Schema
    prepared: Prepared

    @classmethod
    def of(cls, dataset: Dataset) -> Original:
        records = truth.original_records(dataset, reason="scoring: the original is prepared")
        schema = dataset.schema.public()
        return cls(schema, Prepared.of(records, schema))


_originals: OrderedDict[tuple[int, str, str], Original] = OrderedDict()
_originals_lock = Lock()


def original_table(dataset: Dataset) -> Original:
    """The original of a dataset, kept by this process while it is among the last few in use."""
    schema_digest = hashlib.sha256(dataset.schema_text.encode()).hexdigest()
    key = (dataset.pk, dataset.sealed.sha256, schema_digest)
    with _originals_lock:
        if key not in _originals:
            _originals[key] = Original.of(dataset)
        _originals.move_to_end(key)
        while len(_originals) > MAX_ORIGINALS:
            _originals.popitem(last=False)
        return _originals[key]


def shuffled(records: Records, source: np.ndarray, seed: int) -> tuple[Records, np.ndarray]:
    """The records and their declared rows, moved together into an order that only the seed knows."""
    order = np.random.default_rng(seed).permutation(len(records))
    moved = Records(
        records.names,
        {name: values[order] for name, values in records.numbers.items()},
        {name: codes[order] for name, codes in records.codes.items()},
        records.levels,
    )
    return moved, source[order]


def _read_anonymized(submission: Submission, original: Original) -> tuple[Records, np.ndarray]:
    has_rows = submission.files.filter(key="rows").exists()
    return read_submitted_records(
        _read(submission, "anonymized"),
        _read(submission, "rows") if has_rows else None,
        n_original=original.prepared.n_records,
        schema=original.schema,
    )


def audited(submission: Submission, progress: Progress) -> Audit:
    """All attackers and measures against a scored table; `progress` hears of every step."""
    from scoring.audits.audit import audit  # all that attackers need, which scoring does not

    contest = submission.round.contest
    original = original_table(dataset_of(contest))
    table, source = _read_anonymized(submission, original)
    return audit(
        original.prepared,
        table.to_frame(),
        source,
        original.schema,
        rng=np.random.default_rng(secrets.randbits(SEED_BITS)),
        options=contest.ruleset.options,
        progress=progress,
    )


# What was handed in


def _stored(submission: Submission, key: str) -> StoredFile:
    return submission.files.select_related("file").get(key=key).file


def _read(submission: Submission, key: str) -> bytes:
    return truth.read_sealed(
        _stored(submission, key),
        reason=f"scoring {submission.public_id}",
        contest_id=submission.round.contest_id,
    )


def _hashes(submission: Submission) -> dict[str, str]:
    return dict(submission.files.order_by("key").values_list("key", "file__sha256"))


def own_upload(user: User, submission: Submission, key: str) -> tuple[str, bytes]:
    """A file as the team handed it in, its name and bytes, for someone who may see the submission.

    Raises
    ------
    SubmissionFile.DoesNotExist
        Where the submission has no such file.
    """
    file = _stored(submission, key)
    data = truth.read_sealed(
        file,
        reason=f"download of {submission.public_id}",
        contest_id=submission.round.contest_id,
        actor=user,
    )
    return file.name, data


# Releases


@dataclass(frozen=True, slots=True)
class ShuffledTable:
    """A table in released order, and the key to it: the one to publish, the other to seal."""

    table: bytes
    key: bytes
    n_records: int


def shuffled_table(submission: Submission) -> ShuffledTable:
    """What is published of a submission: its records in a fresh secret order, as canonical CSV."""
    original = original_table(dataset_of(submission.round.contest))
    seed = secrets.randbits(SEED_BITS)
    table, source = shuffled(*_read_anonymized(submission, original), seed)
    return ShuffledTable(
        write_table(table, original.schema), truth.release_key(seed, source), len(table)
    )
