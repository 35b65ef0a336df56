"""Attacks: questions about released data, whose answers are sealed.

Every kind of attack is a `Question` with other parameters. The release of a `sheet` was published by a team,
or disclosed by the organizer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from pwscup.formats.evaluation import Case, Values

S, A, T = TypeVar("S"), TypeVar("A"), TypeVar("T")


@dataclass(frozen=True, slots=True)
class Question(Generic[S, A, T]):
    """A question sheet, the file that answers it, the sealed answer, and the result."""

    file: str
    """The key of the answer file."""
    sheet: Callable[[Case], S]
    """The question sheet: the number of lines, and the possible answers."""
    read: Callable[[bytes, S], A]
    """The answer file, checked; raises `scoring.errors.ProblemsFound`."""
    answer: Callable[[Case], T]
    """The sealed answer."""
    result: Callable[[T, A, Case], Values]
    """The score of the answers."""
    right: Callable[[T, A], Iterable[Any]]
    """The units about which the answers are right, as the sealed answer names them."""

    def evaluate(self, case: Case, _seed: int) -> Values:
        """The result of a submitted answer file."""
        answers = self.read(case.file(self.file), self.sheet(case))
        return self.result(self.answer(case), answers, case)

    def hit(self, case: Case) -> Iterable[Any]:
        """The units about which a submitted answer file is right."""
        answers = self.read(case.file(self.file), self.sheet(case))
        return self.right(self.answer(case), answers)
