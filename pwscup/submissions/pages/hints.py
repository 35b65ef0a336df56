# SPDX-License-Identifier: Apache-2.0
"""Hints for the organizers from results of attacks, and from published tables."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from pwscup.contests.organize.hints import Hint
from pwscup.contests.selectors import dataset_of
from pwscup.contests.teams.tables import numbers_of, table_of
from pwscup.core.db.recent import Recent
from pwscup.core.files import storage
from pwscup.submissions import selectors
from pwscup.submissions.models import Release
from pwscup.submissions.results.counting import counted_rates
from scoring.rulesets.base import ONCE

if TYPE_CHECKING:
    from pwscup.contests.models import Contest, Round

SOLVED, MISSED = 0.5, 0.1
"""The rate from which a table counts as solved, and the one below which it does not."""
FEWEST_OTHERS = 2
"""The minimum number of attackers who failed where one succeeded."""

ALIKE = {
    "equal": gettext_lazy(
        "%(round)s: equal files. The same method with the same parameters gives equal files, so this alone is no "
        "evidence; with a method that draws at random it is."
    ),
    "tables": gettext_lazy(
        "%(round)s: both tables changed %(n)s cells that no public method explains, %(equal)s of them in the same way "
        "(expected: at most %(expected)s %%). The probability of this for teams that draw on their own is at most "
        "%(p)s, all pairs considered. The same program with the same seed can be the reason."
    ),
    "answers": gettext_lazy(
        "%(round)s: both teams gave %(n)s wrong answers in the same places, %(equal)s of them equal (expected: at most "
        "%(expected)s %%, as of the most alike of all other pairs). The probability of this by chance is at most "
        "%(p)s, all pairs considered. The same method with nearly the same parameters can be the reason."
    ),
    "records": gettext_lazy(
        "%(round)s: of %(n)s records that only the first of these tables has once, %(equal)s are in the second "
        "(expected: at most %(expected)s %%). The probability of this for the same method with other random numbers is "
        "at most %(p)s, all pairs considered. The same seed can be the reason."
    ),
    "passed on": gettext_lazy(
        "%(round)s: the table of the first team has %(n)s records unchanged that were never in its original, and "
        "%(equal)s of them are in that of the second (expected: %(expected)s %%). The probability of this by the draw "
        "is at most %(p)s, all pairs considered. An original may have been passed on."
    ),
}
_COMPARED: Recent[list[Any]] = Recent(200)
"""By round and the evaluations in it: files are opened once."""


def alike(contest: Contest) -> Iterator[Hint]:
    """Teams whose tables or answers in a round that is over are nearer than chance allows."""
    if contest.erased_at is not None:
        return
    teams, now = contest.teams.in_bulk(), timezone.now()
    for round in contest.rounds.all():
        if round.is_settled(now) and not selectors.has_unfinished(round):
            for one in _compared(round):
                yield Hint(tuple(teams[pk] for pk in one.teams), _words(round, one))


def _compared(round: Round) -> list[Any]:
    from pwscup.submissions import evaluation  # imports numpy, which other pages do not need

    evaluations = selectors.holding().filter(submission__round=round).order_by("pk")
    key = (round.contest.commitment, round.pk, *evaluations.values_list("pk", flat=True))
    known = _COMPARED.get(key)
    if known is None:
        known = evaluation.compared(round)
        _COMPARED.put(key, known)
    return known


def _words(round: Round, one: Any) -> str:
    likeness = one.likeness
    what = (
        {}
        if likeness is None
        else {
            "n": likeness.n_compared,
            "equal": likeness.n_equal,
            "expected": f"{100 * likeness.expected:.3g}",
            "p": f"{max(likeness.probability, 1e-12):.0e}",
        }
    )
    return str(ALIKE[one.how]) % {"round": round.local_title, **what}


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


def another_original(contest: Contest) -> Iterator[Hint]:
    """Published tables that look like another original of their team than the one that it named."""
    if contest.ruleset.data.choose == ONCE or None in contest.ruleset.data.numbers:
        return
    found = Release.objects.filter(round__contest=contest).select_related(
        "team", "submission", "round__contest"
    )
    for release in found.order_by("team__name", "pk"):
        number = _looks_like(release.pk)
        if number != release.submission.original:
            reason = _(
                "The table of “%(round)s” is said to be made from original %(n)s, and looks like original %(other)s."
            )
            said = {"round": release.round.local_title, "n": release.submission.original}
            yield Hint((release.team,), reason % (said | {"other": number}))


@lru_cache(maxsize=1_000)
def _looks_like(release_pk: int) -> int | None:
    """The number of the original that a release looks like; remembered, as neither changes."""
    # these import numpy, which other pages do not need
    from pwscup.formats.attacks.archives import records_of
    from scoring.tables.agreement import looks_like
    from scoring.tables.reading import read_records

    release = Release.objects.select_related("table", "team__contest", "submission").get(
        pk=release_pk
    )
    numbers = sorted(
        numbers_of(release.team), key=lambda number: number != release.submission.original
    )
    schema = dataset_of(release.round.contest).schema.public()
    originals = [table_of(release.team, number) for number in numbers]
    files = [one.public for one in originals if one is not None and one.public is not None]
    if len(files) < len(numbers) or any(file.erased_at for file in (release.table, *files)):
        return release.submission.original
    tables = [
        read_records(storage.read(file), schema, file="original", original=True) for file in files
    ]
    return numbers[looks_like(records_of(release, schema)[0], tables)]


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
