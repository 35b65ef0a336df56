# SPDX-License-Identifier: Apache-2.0
"""Questions about trials to a kind of round: the methods that teams may try in the browser, and their work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from pwscup.accounts.models import Team
    from pwscup.contests.models import Dataset, Round
    from pwscup.formats.playing import Files
    from pwscup.formats.spec import Text
    from pwscup.submissions.models import Release


@dataclass(frozen=True, slots=True)
class Slider:
    """A number that the user chooses, from `low` to `high` in steps."""

    name: str
    title: Text
    low: float
    high: float
    step: float
    default: float
    symbol: Text = ""
    """Its short name in lists and notes; `name` without one."""

    @property
    def is_whole(self) -> bool:
        return float(self.step).is_integer() and float(self.low).is_integer()


@dataclass(frozen=True, slots=True)
class Method:
    """A method on offer; it may have no slider."""

    key: str
    title: Text
    summary: Text
    sliders: tuple[Slider, ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """A chosen method with the values of its sliders, and the seed of its random choices."""

    method: str
    values: Mapping[str, float]
    seed: int


@dataclass(frozen=True, slots=True)
class Attempt:
    """A trial to carry out. The formats read published files only: the team has all of them.

    `table` is the table that the team anonymizes, or `target` the release that it attacks; `measures` are those whose
    values the team may see, `hierarchies` the content of the contest's file of generalization hierarchies.
    """

    team: Team
    round: Round
    steps: Sequence[Step]
    measures: Sequence[str]
    table: Dataset | None = None
    target: Release | None = None
    hierarchies: Mapping[str, Any] = field(default_factory=dict)

    @property
    def anonymized(self) -> Dataset:
        """The table, where the round is about one."""
        if self.table is None:
            raise LookupError(f"nothing to anonymize for team {self.team.pk}")
        return self.table

    @property
    def attacked(self) -> Release:
        """The target, where the round is about one."""
        if self.target is None:
            raise LookupError(f"nothing to attack for team {self.team.pk}")
        return self.target


@dataclass(frozen=True, slots=True)
class Tried:
    """The files that a trial made, as they would be submitted, and what its page shows, as JSON.

    `values` are those of the measures, `facts` those of the parts `trial_table` and `trial_guess` of pages.
    """

    files: Files
    values: Mapping[str, float | int | None] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)


class Trying(Protocol):
    """The trials of a kind of round."""

    chains: bool
    """A trial may start from the table of another one."""

    def methods(self, round: Round) -> tuple[Method, ...]:
        """The methods on offer, the first one chosen at first. It loads no pandas."""

    def attacker(self, id_: str) -> str:
        """The title of an attacker of the result."""

    def run(self, attempt: Attempt) -> Tried:
        """Carry out a trial; raises `scoring.errors.ProblemsFound` where a method does not fit the table."""
