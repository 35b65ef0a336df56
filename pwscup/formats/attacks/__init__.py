# SPDX-License-Identifier: Apache-2.0
"""Attacks: questions about released data, whose answers are sealed.

Every kind of attack is a `Question` with other parameters, or a `Sheets` of several. The release of a `sheet` was
published by a team, or disclosed by the organizer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from pwscup.formats.evaluation import Marked

if TYPE_CHECKING:
    import numpy as np

    from pwscup.formats.evaluation import Case, Values

S = TypeVar("S")
A = TypeVar("A")
T = TypeVar("T")
Right = tuple[Sequence[Any], "np.ndarray"]
"""The units of a published table, as its sealed answer names them, and for each: the answers are right about it."""


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
    right: Callable[[T, A], Right] | None = None
    """The units, and those about which the answers are right; None if they are about no unit."""

    def evaluate(self, case: Case, _seed: int) -> Values | Marked:
        """The result of a submitted answer file."""
        answers = self.read(case.file(self.file), self.sheet(case))
        answer = self.answer(case)
        values = self.result(answer, answers, case)
        return values if self.right is None else Marked(values, self.right(answer, answers)[1])

    def hit(self, case: Case) -> list[Any]:
        """The units about which a submitted answer file is right."""
        if self.right is None:
            return []
        answers = self.read(case.file(self.file), self.sheet(case))
        units, right = self.right(self.answer(case), answers)
        return [unit for unit, is_right in zip(units, right.tolist(), strict=True) if is_right]
