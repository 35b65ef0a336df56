# SPDX-License-Identifier: Apache-2.0
"""A submission for formats: its files and the answer key are opened here, through `contests.truth`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from pwscup.contests import truth
from pwscup.contests.selectors import dataset_of
from pwscup.contests.teams.tables import draw_of
from pwscup.core.installation import programs
from pwscup.formats.evaluation import Drawn, Values
from pwscup.submissions.evaluation import disclosing, handed_in
from pwscup.submissions.evaluation.originals import Opened, dataset_for, read_once
from pwscup.submissions.results.finals import drawing_measures
from scoring import plugins
from scoring.errors import ProblemsFound
from scoring.rulesets.gates import outside
from scoring.sandbox.programs import scored
from scoring.scores.options import DECIMALS

if TYPE_CHECKING:
    from decimal import Decimal

    import numpy as np

    from pwscup.submissions.models import Submission
    from scoring.evaluate import ProgramFiles
    from scoring.privacy.domains import Integers
    from scoring.rulesets import Ruleset
    from scoring.tables.records import Records

T = TypeVar("T")


def records_of(table: Opened) -> Records:
    """All records of the organizer's table."""
    return table.records("scoring: copies of its records are looked for")


@dataclass(frozen=True)
class Case:
    """The answers to `pwscup.formats.evaluation.Case`."""

    submission: Submission

    @property
    def ruleset(self) -> Ruleset:
        return self.submission.round.contest.ruleset

    def file(self, key: str) -> bytes:
        return handed_in.read(self.submission, key)

    def has(self, key: str) -> bool:
        return handed_in.has(self.submission, key)

    @cached_property
    def table(self) -> Opened:
        return Opened(dataset_for(self.submission))

    @cached_property
    def organizers_table(self) -> Opened:
        return Opened(dataset_of(self.submission.round.contest))

    def read(self, read: Callable[..., T], *given: Any) -> T:
        return read_once(self.table.dataset, read, *given)

    def drawn_rows(self, reason: str) -> Mapping[str, np.ndarray] | None:
        draw = draw_of(self.submission.team, self.submission.original)
        return None if draw is None else truth.drawn_rows(draw, reason=reason)

    @cached_property
    def attacked(self) -> Case:
        release = self.submission.target
        if release is None:
            raise ValueError("a guess without a target")
        return Case(release.submission)

    def references(self) -> Sequence[Records]:
        rules = self.ruleset
        is_asked = any(rules.measure(id_).finds_copies for id_ in rules.measures)
        if not (is_asked and self.submission.round.contest.format.own_tables):
            return ()
        return (read_once(self.organizers_table.dataset, records_of),)

    def answer(self) -> Mapping[str, Any]:
        return self._answer

    @cached_property
    def _answer(self) -> Mapping[str, Any]:
        release = self.submission.target
        if release is None:
            raise ValueError("a guess without a target")
        reason = f"scoring {self.submission.public_id}"
        contest_id = self.submission.round.contest_id
        return truth.release_answer(release.key, reason=reason, contest_id=contest_id)

    def seed(self, purpose: str) -> int:
        return truth.derived_seed(self.submission.round.contest, purpose)

    def measured(self, found: Callable[[Sequence[str], int], Values]) -> Values | Drawn:
        values = found(self.ruleset.measures, self.measures_seed())
        if problems := outside(self.ruleset, values, self.submission.round.spec.stage):
            raise ProblemsFound(problems)
        drawing = drawing_measures(self.ruleset)
        if not drawing:
            return values
        final = found(drawing, self.measures_seed(is_final=True))
        # of several tables that belong together, the value of each is named measure.table
        return Drawn(values, {k: v for k, v in final.items() if k.partition(".")[0] in drawing})

    def read_by_measures(self) -> dict[str, bytes]:
        wanted = {self.ruleset.measure(id_).file for id_ in self.ruleset.measures} - {""}
        given = [spec for spec in self.submission.round.spec.files if spec.kind in wanted]
        return {spec.kind: self.file(spec.key) for spec in given if self.has(spec.key)}

    def noisy_counts(self, epsilon: Decimal) -> Integers:
        return disclosing.reference_counts(self.submission.round.contest, epsilon)

    def programmed(self, files: Callable[[], ProgramFiles]) -> Values:
        spec = self.ruleset.program
        if spec is None:
            return {}
        program, given = programs.allowed(spec.name), files()
        found = scored(
            program,
            spec.bounds,
            spec.messages,
            submitted=given.submitted,
            reference=given.reference,
        )
        return {id_: round(value, DECIMALS) for id_, value in found.items()}

    def measures_seed(self, *, is_final: bool = False) -> int:
        """The seed of random measures from the contest's secret; the rules' seed if no measure is random.

        It is that of the round: the same for all teams, and unknown until the secret is published. The
        final scores have another one, so that nothing is gained by what was fitted to the feedback.
        """
        if not drawing_measures(self.ruleset):
            return self.ruleset.options.seed
        purpose = f"measures/{self.submission.round.key}"
        return self.seed(f"{purpose}/final" if is_final else purpose)

    def hashes(self) -> dict[str, str]:
        """The digests of the inputs of the values: the team's table and its files."""
        round, release, given = self.submission.round, self.submission.target, {}
        if round.format.is_measured:
            given = {"original": self.table.dataset.sealed.sha256}
        elif release is not None:
            given = {"release": release.table.sha256}
            if release.candidates is not None:
                given[round.format.given_next_to_table] = release.candidates.sha256
        return given | handed_in.hashes(self.submission) | self._foreign()

    def _foreign(self) -> dict[str, str]:
        """The digest of the program, and the version of each package whose plugin has a part in the values or ranks."""
        rules, team, format = self.ruleset, self.submission.team, self.submission.round.format
        used, found = list(plugins.formulas_of(rules)), {}
        if format.is_measured:
            used += plugins.named(plugins.OF_MEASURES, rules.measures)
        elif team.is_house and team.name in rules.baseline_attackers:
            used += plugins.named(plugins.OF_ATTACKS, [rules.baseline_attackers[team.name]])
        if format.is_measured and rules.program is not None:
            name = rules.program.name
            found[f"program {name}"] = programs.allowed(name).digest
        return {f"package {plugin.package}": plugin.version for plugin in used} | found
