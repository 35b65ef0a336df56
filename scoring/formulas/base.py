# SPDX-License-Identifier: Apache-2.0
"""Ranking formulas: scores of a contest and settings in, lines of a board out."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic

from scoring.errors import Problem
from scoring.formulas.ranking import AVERAGES, K
from scoring.options import Option, OptionKind, unknown_option, wrong_value
from scoring.scores.options import DECIMALS

PARTS = ("utility", "protection", "attack", "presentation")
"""The parts of a score; each is a percentage, and higher is better."""
EARLIER = "earlier"
"""The tie-break by which the earlier counted submission wins."""
LOWEST_RATES = "lowest-rates"
"""The tie-break by a team's lowest rate against another table, then the second lowest, and so on: more is better."""
TIE_BREAKS = (*PARTS, EARLIER, LOWEST_RATES)
ALL_TEAMS: frozenset[Any] = frozenset({"all teams"})
"""Represents the defenders of a contest in which every team's table is published."""

Value = float | int | str
Settings = Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class Setting:
    """A number that an organizer may set, an integer where its default is one; or one of the `choices`."""

    name: str
    default: Value
    low: float
    high: float
    description: str
    choices: tuple[str, ...] = ()

    @property
    def option(self) -> Option:
        """The setting as an option, which can read a text and check a value."""
        kinds: dict[type, OptionKind] = {int: "integer", float: "number", str: "text"}
        return Option(
            self.name,
            kinds[type(self.default)],
            self.default,
            self.description,
            self.low,
            self.high,
            self.choices,
        )


def choice(name: str, description: str, *choices: str) -> Setting:
    """A setting that is one of several words, the first by default."""
    return Setting(name, choices[0], 0, math.inf, description, choices)


@dataclass(frozen=True, slots=True)
class Scores(Generic[K]):
    """The facts of a contest so far; rates and scores in percent, None if missing.

    Attributes
    ----------
    teams : tuple
        The ranked teams. Values of other teams in the other fields are ignored, but for those of baselines.
    matrix : mapping of attacker to mapping of defender to float or None
        The rate that the attacker reached against the defender's table. Own cells do not count.
    utility, presentation : mapping of team to float or None
    defenders : frozenset
        The teams whose tables were published; all teams where none are named.
    attackers : {"mean", "median", "trimmed"}
        How a team's rates against several tables make its attack, see `scoring.formulas.ranking.averaged`.
    baselines : tuple
        Attackers of the matrix that count for the worst case and are not ranked, such as sample attacks.
    lost : frozenset
        The teams whose tables count as if all their records were found, for example by a disqualification.
    repeats : mapping of team to int
        L, the largest number of attackers who found one and the same record of the team's table. Each beyond the
        first takes a point of protection.
    n_guessed : mapping of attacker to mapping of defender to int
        The number of records that each attack names, where that differs from attack to attack.
    loss : mapping of team to float or None
        A loss of utility without an upper bound; lower is better.
    places : mapping of team to int, optional
        The ranks on another board, by which the best tables are chosen.

    Raises
    ------
    ValueError
        A rate or a score is no number from 0 to 100, a loss or a number of records is negative, or the average is
        unknown.

    Examples
    --------
    >>> Scores(("a", "b"), {"a": {"b": 25.0}}).defenders == {"a", "b"}
    True
    """

    teams: tuple[K, ...]
    matrix: Mapping[K, Mapping[K, float | None]]
    utility: Mapping[K, float | None] = field(default_factory=dict)
    presentation: Mapping[K, float | None] = field(default_factory=dict)
    defenders: frozenset[K] = ALL_TEAMS
    attackers: str = "mean"
    baselines: tuple[K, ...] = ()
    lost: frozenset[K] = frozenset()
    repeats: Mapping[K, int] = field(default_factory=dict)
    n_guessed: Mapping[K, Mapping[K, int]] = field(default_factory=dict)
    loss: Mapping[K, float | None] = field(default_factory=dict)
    places: Mapping[K, int] | None = None

    def __post_init__(self) -> None:
        if self.attackers not in AVERAGES:
            expected = f"one of {', '.join(AVERAGES)}"
            raise ValueError(f"attackers: expected {expected}, got {self.attackers!r}")
        if self.defenders is ALL_TEAMS:
            object.__setattr__(self, "defenders", frozenset(self.teams))
        for part in ("utility", "presentation"):
            for team, value in getattr(self, part).items():
                _check(f"{part} of {team}", value)
        for attacker, rates in self.matrix.items():
            for defender, rate in rates.items():
                _check(f"rate of {attacker} against {defender}", rate)
        for team, value in self.loss.items():
            _check(f"loss of {team}", value, math.inf)
        for team, n in self.repeats.items():
            _check(f"repeats of {team}", n, math.inf)
        for attacker, counts in self.n_guessed.items():
            for defender, n in counts.items():
                _check(f"records that {attacker} names of {defender}", n, math.inf)

    def rate(self, attacker: K, defender: K) -> float | None:
        """The rate that one team reached against another; None where it did not attack it."""
        if attacker == defender:
            return None
        return self.matrix.get(attacker, {}).get(defender)

    def targets(self, attacker: K) -> list[K]:
        """The other teams whose tables were published, in the order of the teams."""
        return [team for team in self.teams if team in self.defenders and team != attacker]


def _check(what: str, value: float | None, high: float = 100) -> None:
    # Rounding of floating-point sums may give slightly more than 100.
    if value is not None and not 0 <= round(value, DECIMALS) <= high:
        raise ValueError(f"{what}: expected 0 to {high}, got {value}")


@dataclass(frozen=True, slots=True)
class Line:
    """One team's line of a board; numbers are rounded to nine decimals, None where missing.

    `tie_broken_by` names the last tie-break that separated the team from another of the same total.
    """

    rank: int
    total: float | None
    utility: float | None = None
    protection: float | None = None
    attack: float | None = None
    presentation: float | None = None
    tie_broken_by: str | None = None


@dataclass(frozen=True, slots=True)
class Formula:
    """A ranking formula: a function to the totals of a contest, and their direction.

    `function` takes scores and settings and gives totals: where its docstring says nothing else, a part
    that a team has no value in counts 0, and no settings are used. That of a formula of whole boards takes
    the facts of a contest, see `scoring.formulas.official`. `uses` names the parts that the total depends
    on, `needs` those of them without which no team has a total; the formula leaves any other one out
    where a contest does not have it. Of a formula that a plugin defines, `texts` has its title in each
    language, under "text" a sentence for the rules, and the description of each setting under its name.
    """

    id: str
    title: str
    direction: str
    uses: tuple[str, ...]
    settings: tuple[Setting, ...]
    function: Callable[..., Any]
    needs: tuple[str, ...] = ()
    texts: Mapping[str, Mapping[str, str]] = field(default_factory=dict, hash=False)

    def setting(self, name: str) -> Setting | None:
        """The setting of that name."""
        return next((setting for setting in self.settings if setting.name == name), None)

    def problems(self, settings: Mapping[str, Any]) -> list[Problem]:
        """The problems of these settings: unknown names and values out of bounds."""
        found = []
        for name, value in settings.items():
            if (setting := self.setting(name)) is None:
                found.append(unknown_option(name, [s.name for s in self.settings], self.id))
            elif not setting.option.accepts(value):
                found.append(wrong_value(self.id, name, setting.option.expected, value))
        return found

    def used(self, settings: Settings) -> tuple[str, ...]:
        """The parts that the total depends on under these settings: those of weight 0 are left out."""
        weights = self.with_defaults(settings)
        return tuple(part for part in self.uses if weights.get(part) != 0)

    def with_defaults(self, settings: Settings) -> dict[str, Value]:
        """All settings of the formula, those given instead of their defaults."""
        return {s.name: settings.get(s.name, s.default) for s in self.settings}


def mean(values: list[float]) -> float:
    """The mean, the same in every order of the values."""
    return math.fsum(values) / len(values)
