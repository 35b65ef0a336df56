# SPDX-License-Identifier: Apache-2.0
"""Hints for the organizers from results of attacks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

from pwscup.contests.organize.hints import Hint
from pwscup.submissions.results.counting import counted_rates

if TYPE_CHECKING:
    from pwscup.contests.models import Contest, Round

SOLVED, MISSED = 0.5, 0.1
"""The rate from which a table counts as solved, and the one below which it does not."""
FEWEST_OTHERS = 2
"""The minimum number of attackers who failed where one succeeded."""


def solved_by_one(contest: Contest) -> Iterator[Hint]:
    """Targets that only one attacker solved: the table may have been made for this attacker."""
    reason = _(
        "The first of these teams re-identified at least half of the records of the other; "
        "every other attacker re-identified less than a tenth."
    )
    pairs = [pair for round in _attack_rounds(contest) for pair in _solved(counted_rates(round))]
    teams = contest.teams.in_bulk({team for pair in pairs for team in pair}) if pairs else {}
    for attacker, defender in pairs:
        if attacker in teams and defender in teams:
            yield Hint((teams[attacker], teams[defender]), reason)


def _attack_rounds(contest: Contest) -> list[Round]:
    return [round for round in contest.rounds.all() if round.format.has_targets]


def _solved(rates: Mapping[tuple[int, int], float]) -> Iterator[tuple[int, int]]:
    """Attacker and defender of the targets that one attacker solved and the others did not."""
    against: defaultdict[int, list[tuple[float, int]]] = defaultdict(list)
    for (attacker, defender), rate in rates.items():
        against[defender].append((rate, attacker))
    for defender, found in against.items():
        (best, attacker), *others = sorted(found, reverse=True)
        is_missed = len(others) >= FEWEST_OTHERS and others[0][0] < MISSED
        if best >= SOLVED and is_missed:
            yield attacker, defender
