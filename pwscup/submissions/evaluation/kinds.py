"""The kinds of rounds: how each turns what was handed in into values."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from pwscup.contests import truth
from pwscup.contests.selectors import dataset_of
from pwscup.contests.teams.tables import draw_of
from pwscup.submissions.evaluation import handed_in
from pwscup.submissions.evaluation.originals import dataset_for, original_table
from pwscup.submissions.evaluation.tables import read_anonymized
from pwscup.submissions.results.finals import drawing_measures
from scoring.evaluate import Mark, mark, score
from scoring.formats.lecture import mark_kept
from scoring.proof.commitments import shuffled
from scoring.tables.number_lists import read_candidate_guess
from scoring.tables.reading import read_guess

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pwscup.submissions.models import Submission

Values = dict[str, float | int | None]
KEPT = "kept_records"


@dataclass(frozen=True, slots=True)
class Drawn:
    """Values of which some were drawn at random: `final` are those of the measures that draw, by another seed."""

    feedback: Values
    final: Values


class RoundKind(Protocol):
    """How one kind of round turns what was handed in into values."""

    def evaluate(self, submission: Submission, seed: int) -> tuple[Values | Drawn, dict[str, str]]:
        """The values, and the digests of what they were computed from.

        Raises
        ------
        scoring.errors.ProblemsFound
            Where the files break the rules.
        """


class Anonymization:
    """Every measure of the ruleset, on the records in a fresh secret order: their order is worth nothing.

    An aligned table is one whose lines say themselves which records they were made from.
    """

    def evaluate(self, submission: Submission, seed: int) -> tuple[Values | Drawn, dict[str, str]]:
        dataset = dataset_for(submission)
        original = original_table(dataset)
        table, source = shuffled(*read_anonymized(submission, original), seed)
        ruleset = submission.round.contest.ruleset

        def found(measures: Sequence[str], seed: int) -> Values:
            return score(
                original.prepared,
                table,
                source,
                original.schema,
                options=replace(ruleset.options, seed=seed),
                measures=measures,
            )

        hashes = {"original": dataset.sealed.sha256} | handed_in.hashes(submission)
        return _drawn(submission, found), hashes


def seed_of(submission: Submission, *, is_final: bool = False) -> int:
    """Where the contest's secret lets measures begin that draw at random; the rules' seed where none does.

    It is that of the round: the same for all teams, and unknown until the secret is published. The
    final scores have another one, so that nothing is gained by what was fitted to the feedback.
    """
    round, ruleset = submission.round, submission.round.contest.ruleset
    if not drawing_measures(ruleset):
        return ruleset.options.seed
    purpose = f"measures/{round.key}"
    return truth.derived_seed(round.contest, f"{purpose}/final" if is_final else purpose)


def _drawn(submission: Submission, found: Callable[[Sequence[str], int], Values]) -> Values | Drawn:
    """The values of all measures, and those of measures that draw at random by the seed of the final scores, too."""
    ruleset = submission.round.contest.ruleset
    values = found(ruleset.measures, seed_of(submission))
    drawing = drawing_measures(ruleset)
    if not drawing:
        return values
    final = found(drawing, seed_of(submission, is_final=True))
    return Drawn(values, {measure: final[measure] for measure in drawing})


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
        return _marked(result), {"release": release.table.sha256} | handed_in.hashes(submission)


class CandidateAttack:
    """The share of a release's lines, or of those that are not deleted, whose candidate was guessed."""

    def evaluate(self, submission: Submission, seed: int) -> tuple[Values, dict[str, str]]:
        round, release = submission.round, submission.target
        draw = draw_of(release.team) if release else None
        if release is None or release.candidates is None or draw is None:
            raise ValueError("a guess without a target or its candidates")
        guess = read_candidate_guess(
            handed_in.read(submission, "guess"),
            n_candidates=draw.n_records,
            n_lines=release.n_records,
        )
        key = truth.release_source(
            release.key, reason=f"scoring {submission.public_id}", contest_id=round.contest_id
        )
        spec = round.contest.ruleset.round(round.key)
        result = (mark_kept if spec.marking == KEPT else mark)(key, guess)
        published = {"release": release.table.sha256, "candidates": release.candidates.sha256}
        return _marked(result), published | handed_in.hashes(submission)


class Estimate:
    """How far estimated counts are from those of the hidden table, by the measures of the ruleset."""

    def evaluate(self, submission: Submission, seed: int) -> tuple[Values, dict[str, str]]:
        from pwscup.submissions.evaluation import disclosing

        contest = submission.round.contest
        found = disclosing.marks_of(contest, handed_in.read(submission, "estimate"))
        values: Values = {measure: found[measure] for measure in contest.ruleset.measures}
        original = {"original": dataset_of(contest).sealed.sha256}
        return values, original | handed_in.hashes(submission)


class Series:
    """Every measure of the ruleset, on a series of releases."""

    def evaluate(self, submission: Submission, seed: int) -> tuple[Values | Drawn, dict[str, str]]:
        from pwscup.submissions.evaluation import series  # kernels, which pages do without

        found, hashes = series.measuring(submission)
        return _drawn(submission, found), hashes


class ValueAttack:
    """How many more people's values were guessed than anybody can guess."""

    def evaluate(self, submission: Submission, seed: int) -> tuple[Values, dict[str, str]]:
        from pwscup.submissions.evaluation import series

        return series.marked(submission)


class Presentation:
    """Slides are kept, not scored: judges mark what they hear."""

    def evaluate(self, submission: Submission, seed: int) -> tuple[Values, dict[str, str]]:
        return {}, handed_in.hashes(submission)


def _marked(result: Mark) -> Values:
    return {"n_records": result.n_records, "hits": result.hits, "rate": result.rate}


KINDS: dict[str, RoundKind] = {
    "anonymization": Anonymization(),
    "aligned-anonymization": Anonymization(),
    "series": Series(),
    "attack": Attack(),
    "candidate-attack": CandidateAttack(),
    "value-attack": ValueAttack(),
    "presentation": Presentation(),
    "batch": Estimate(),
    "interactive": Estimate(),
}
