# SPDX-License-Identifier: Apache-2.0
"""The demonstrations by name; the functions are loaded when one is run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from scoring.addresses import function_at
from scoring.catalogs import Registry
from scoring.errors import gettext_noop as _

if TYPE_CHECKING:
    import numpy as np


class Result(Protocol):
    """Result of a demonstration: a dataclass that can be shown as a table."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    def rows(self) -> list[tuple[str, ...]]:
        """The head and the rows of the table."""
        ...


@dataclass(frozen=True, slots=True)
class Demonstration:
    """A registered demonstration: `function(*, rng) -> Result`, named by its address."""

    id: str
    title: str
    address: str

    def __call__(self, *, rng: np.random.Generator) -> Result:
        result: Result = function_at(self.address)(rng=rng)
        return result


DEMONSTRATIONS = Registry(
    "demonstration",
    (
        Demonstration(
            "taxi",
            _("Brute force on pseudonyms without a key"),
            "scoring.demonstrations.taxi:taxi",
        ),
        Demonstration(
            "register",
            _("Linkage with an external register"),
            "scoring.demonstrations.register:register",
        ),
        Demonstration(
            "differencing",
            _("One person's value from two averages"),
            "scoring.demonstrations.differencing:differencing",
        ),
        Demonstration(
            "histories",
            _("Many records under one pseudonym"),
            "scoring.demonstrations.histories:histories",
        ),
        Demonstration(
            "known-rest",
            _("One value from a mean, where all others are known"),
            "scoring.demonstrations.noise:known_rest",
        ),
        Demonstration(
            "averaging",
            _("The same question again and again"),
            "scoring.demonstrations.noise:averaging",
        ),
        Demonstration(
            "chi-squared",
            _("A test of independence on noisy counts"),
            "scoring.demonstrations.noise:noisy_chi_squared",
        ),
    ),
)
