"""The kinds of rounds: how each turns what was handed in into values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from pwscup.contests import truth
from pwscup.contests.selectors import dataset_of
from pwscup.submissions.evaluation import handed_in
from pwscup.submissions.evaluation.originals import original_table
from pwscup.submissions.evaluation.tables import read_anonymized
from scoring.commitments import shuffled
from scoring.evaluate import mark, score
from scoring.reading import read_guess

if TYPE_CHECKING:
    from pwscup.submissions.models import Submission

Values = dict[str, float | int | None]


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
        table, source = shuffled(*read_anonymized(submission, original), seed)
        ruleset = contest.ruleset
        values = score(
            original.prepared,
            table,
            source,
            original.schema,
            options=ruleset.options,
            measures=ruleset.measures,
        )
        return values, {"original": dataset.sealed.sha256} | handed_in.hashes(submission)


class Attack:
    """The share of a release's records whose declared source was guessed."""

    def evaluate(self, submission: Submission, seed: int) -> tuple[Values, dict[str, str]]:
        contest = submission.round.contest
        release = submission.target
        if release is None:
            raise ValueError("a guess without a target")
        guess = read_guess(
            handed_in.read(submission, "guess"),
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
        return values, {"release": release.table.sha256} | handed_in.hashes(submission)


KINDS: dict[str, RoundKind] = {"anonymization": Anonymization(), "attack": Attack()}
