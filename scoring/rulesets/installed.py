# SPDX-License-Identifier: Apache-2.0
"""Formats of contests that installed packages bring, next to the rulesets of the library."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from scoring.addresses import function_at
from scoring.catalogs import Registry

if TYPE_CHECKING:
    from scoring.rulesets.base import Text


@dataclass(frozen=True, slots=True)
class Format:
    """A format of contests: its name, which is also the `id` of its rules, and the rules as TOML.

    Title and summary in both languages, baseline teams and the event in whose manner it is stand in the rules.
    `generator` names a function `f(n_records, *, seed)` as "module:function", which draws a synthetic table with the
    columns of the rules as a DataFrame; `n_records` is the size that organizers are offered first, and `generated` a
    sentence about the content of such a table by language. Without a generator organizers upload a table, or draw one
    of the library.
    """

    id: str
    text: str
    generator: str = ""
    n_records: int = 1_000
    generated: Text = field(default_factory=dict, hash=False)

    @property
    def function(self) -> Callable[..., Any]:
        """The function that draws a table."""
        function: Callable[..., Any] = function_at(self.generator)
        return function


FORMATS: Registry[Format] = Registry("ruleset", ())
"""Name to format, in the order in which the packages are found."""


def generators() -> Mapping[str, Format]:
    """The formats that draw tables."""
    return {name: format for name, format in FORMATS.items() if format.generator}
