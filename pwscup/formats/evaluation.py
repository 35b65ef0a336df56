# SPDX-License-Identifier: Apache-2.0
"""Questions of evaluation to a kind of round, and the parts of the answer key for formats, which they never open."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    from decimal import Decimal

    import numpy as np

    from pwscup.submissions.models import Submission
    from scoring.audits.audit import Progress
    from scoring.evaluate import ProgramFiles
    from scoring.privacy.domains import Integers
    from scoring.rulesets import Ruleset
    from scoring.rulesets.base import RoundSpec
    from scoring.tables.records import Records
    from scoring.tables.schema import Schema

Values = dict[str, float | int | None]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Drawn:
    """Values of which some are random: `final` are those of the random measures with another seed."""

    feedback: Values
    final: Values


@dataclass(frozen=True, slots=True)
class Marked:
    """The values of a guess, and for each unit of the attacked table in a fixed order: the guess is right about it."""

    values: Values
    right: np.ndarray


@dataclass(frozen=True, slots=True)
class Published:
    """The published part of a submission: a table, additional files, and the answer to be sealed.

    `n_records` counts the lines, including those of deleted records; for a series it counts the individuals.
    """

    table: bytes
    answer: Mapping[str, Any]
    n_records: int
    candidates: bytes | None = None


@dataclass(frozen=True, slots=True)
class Attacked:
    """The attacks on a published table: how many attackers hit each of its units, named as in the sealed answer."""

    n_attackers: int
    times: Mapping[Any, int]


class Opened(Protocol):
    """A table of a contest; each call opens its sealed file and records the reason."""

    @property
    def schema(self) -> Schema: ...

    @property
    def n_records(self) -> int: ...

    def data(self, reason: str) -> bytes:
        """The file."""

    def records(self, reason: str) -> Records:
        """The records without their identifiers."""


class Case(Protocol):
    """A submission to evaluate, and the parts of the answer key that it needs."""

    @property
    def submission(self) -> Submission: ...

    @property
    def ruleset(self) -> Ruleset: ...

    def file(self, key: str) -> bytes:
        """A file of the submission."""

    def has(self, key: str) -> bool:
        """The team submitted this file."""

    @property
    def table(self) -> Opened:
        """The table of the team: the organizer's, or its own."""

    @property
    def organizers_table(self) -> Opened: ...

    def read(self, read: Callable[..., T], *given: Any) -> T:
        """`read(table, *given)` of the team's table, cached by the process."""

    def drawn_rows(self, reason: str) -> Mapping[str, np.ndarray] | None:
        """The rows that were drawn for the team, by name; None without a draw."""

    @property
    def attacked(self) -> Case:
        """The submission that the attacked table was published from."""

    def answer(self) -> Mapping[str, Any]:
        """The sealed answer about the attacked release."""

    def seed(self, purpose: str) -> int:
        """The seed of the contest's secret for a purpose; its derivation is recorded."""

    def measured(self, found: Callable[[Sequence[str], int], Values]) -> Values | Drawn:
        """The values of all measures by `found(measures, seed)`: random ones with a seed of the secret."""

    def references(self) -> Sequence[Records]:
        """Further tables with which measures of copies compare: the organizer's, where teams have parts of it."""

    def read_by_measures(self) -> Mapping[str, bytes]:
        """Further files of the submission that measures read, by their kind."""

    def noisy_counts(self, epsilon: Decimal) -> Integers:
        """The counts of a hidden table with the noise of all errors, which is drawn once in a contest."""

    def programmed(self, files: Callable[[], ProgramFiles]) -> Values:
        """The values of the ruleset's program for these files; empty without a program."""

    def measures_seed(self) -> int:
        """The seed of the random measures of this round."""


class Evaluation(Protocol):
    """Evaluation of submissions of a kind of round; required for every kind."""

    def evaluate(self, case: Case, seed: int) -> Values | Drawn | Marked:
        """The values; raises `scoring.errors.ProblemsFound` with all violations of the rules in the files.

        `seed` is of this submission only, the same whenever it is evaluated.
        """


class AttackEvaluation(Evaluation, Protocol):
    """A further question to rounds of attacks."""

    def hit(self, case: Case) -> Iterable[Any]:
        """The units of the attacked table that the submission got right, as the sealed answer names them."""


class EstimateEvaluation(Evaluation, Protocol):
    """A further question to rounds in which a hidden table is estimated."""

    def compared(self, case: Case) -> dict[str, Any]:
        """The estimate and the hidden table as plain values, for `Debriefing` of the format."""


class QuestionEvaluation(Evaluation, Protocol):
    """A further question to rounds about whose tables questions are drawn."""

    def asked(self, case: Case, published: Published, attack: RoundSpec, seed: int) -> Published:
        """The published files with the questions of an attack round and their sealed answers."""


class TableEvaluation(Evaluation, Protocol):
    """Further questions to rounds whose tables are attacked."""

    def published(self, case: Case, purpose: str) -> Published:
        """The files for attackers; the secret order is that of `case.seed(purpose)`."""

    def audited(self, case: Case, progress: Progress) -> Any:
        """The results of all analyses of a scored submission, for `Audits` of the format."""

    def debriefed(self, case: Case, attacked: Attacked) -> dict[str, Any]:
        """The findings of the attacks and their reasons, without values of cells, for `Debriefing` of the format."""


class AnyEvaluation(
    AttackEvaluation, EstimateEvaluation, QuestionEvaluation, TableEvaluation, Protocol
):
    """The answers of a kind of round; its facts say to which of the further questions."""
