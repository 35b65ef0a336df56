"""Questions of evaluation to a kind of round, and what it gives formats of the answer key, which they never open."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    import numpy as np

    from pwscup.submissions.models import Submission
    from scoring.audits.audit import Progress
    from scoring.rulesets import Ruleset
    from scoring.tables.records import Records
    from scoring.tables.schema import Schema

Values = dict[str, float | int | None]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Drawn:
    """Values of which some were drawn at random: `final` are those of the measures that draw, by another seed."""

    feedback: Values
    final: Values


@dataclass(frozen=True, slots=True)
class Published:
    """What an attack round publishes of a submission: a table, what is given next to it, and the answer to be sealed.

    `n_records` counts the lines, those of deleted records included; of a series it counts the people.
    """

    table: bytes
    answer: Mapping[str, Any]
    n_records: int
    candidates: bytes | None = None


class Opened(Protocol):
    """A table of a contest; its sealed file is opened by each call, and the reason is on record."""

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
        """The table that the team was given: the organizer's, or its own."""

    @property
    def organizers_table(self) -> Opened: ...

    def read(self, read: Callable[..., T], *given: Any) -> T:
        """`read(table, *given)` of the team's table, kept by the process while it is among the last in use."""

    def drawn_rows(self, reason: str) -> Mapping[str, np.ndarray] | None:
        """The rows that were drawn for the team by name; None where none were."""

    def answer(self) -> Mapping[str, Any]:
        """The sealed answer about the release that the submission attacks."""

    def seed(self, purpose: str) -> int:
        """What the contest's secret gives for a purpose; the derivation is on record."""

    def measured(self, found: Callable[[Sequence[str], int], Values]) -> Values | Drawn:
        """The values of all measures by `found(measures, seed)`: those that draw at random by a seed of the secret."""

    def measures_seed(self) -> int:
        """The seed from which measures of this round draw."""


class Evaluation(Protocol):
    """What a submission of a kind of round is worth; asked of every kind."""

    def evaluate(self, case: Case, seed: int) -> Values | Drawn:
        """The values; raises `scoring.errors.ProblemsFound` with all that breaks the rules in the files.

        `seed` is of this submission only, the same whenever it is evaluated.
        """


class TableEvaluation(Evaluation, Protocol):
    """Further questions to rounds whose tables are attacked."""

    def published(self, case: Case, purpose: str) -> Published:
        """What attackers get; an order that only a seed knows is that of `case.seed(purpose)`."""

    def audited(self, case: Case, progress: Progress) -> Any:
        """All that the library finds out about a scored submission, for `Audits` of the format."""
