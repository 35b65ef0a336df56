# SPDX-License-Identifier: Apache-2.0
"""Hints for the organizers: facts that may be worth checking. Decisions are made by organizers only.

An app above adds its own: a function from a contest to its hints, passed to `register` when the app is ready.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

from pwscup.accounts.addresses import normalized

if TYPE_CHECKING:
    from django.db.models import QuerySet

    from pwscup.accounts.models import SeatSource, Team
    from pwscup.contests.models import Contest


@dataclass(frozen=True, slots=True)
class Hint:
    """Teams that have something in common, or a conspicuous one, with an explanation in the reader's language."""

    teams: tuple[Team, ...]
    reason: str


Finder = Callable[["Contest"], Iterable[Hint]]
_finders: list[Finder] = []
_comparers: list[Finder] = []
"""Those that open submitted files, at an organizer's request."""


def register(finder: Finder, *, opens_files: bool = False) -> Finder:
    """Add this function to the page; registering it twice has no further effect."""
    finders = _comparers if opens_files else _finders
    if finder not in finders:
        finders.append(finder)
    return finder


def hints_of(contest: Contest, *, opens_files: bool = False) -> list[Hint]:
    """All hints, those about few teams first: a property shared by a whole class is weak evidence."""
    finders = [*_finders, *(_comparers if opens_files else ())]
    found = [hint for finder in finders for hint in finder(contest)]
    return sorted(found, key=lambda hint: len(hint.teams))


@register
def same_network(contest: Contest) -> Iterator[Hint]:
    """Teams whose members joined from one network; guests are left out, because a class joins together."""
    reason = _("Members of these teams joined from the same network.")
    return _shared(_without_guests(contest), lambda source: source.network, reason)


@register
def same_mailbox(contest: Contest) -> Iterator[Hint]:
    """Teams whose members have one mailbox: they were readmitted, or changed an address later."""
    reason = _("Accounts of members of these teams have the same mailbox.")
    return _shared(_sources(contest), lambda source: normalized(source.user.email), reason)


@register
def same_minute(contest: Contest) -> Iterator[Hint]:
    """Teams whose members created their accounts in the same minute, without guests."""
    reason = _("Accounts of members of these teams were created in the same minute.")
    return _shared(
        _without_guests(contest),
        lambda s: s.user.date_joined.replace(second=0, microsecond=0),
        reason,
    )


def _sources(contest: Contest) -> QuerySet[SeatSource]:
    return contest.seat_sources.select_related("team", "user").order_by("team__name", "id")


def _without_guests(contest: Contest) -> Iterable[SeatSource]:
    return _sources(contest).filter(user__guest_of=None)


def _shared(
    sources: Iterable[SeatSource], key: Callable[[SeatSource], Hashable], reason: str
) -> Iterator[Hint]:
    """A hint for each value that several teams have; a user who changed the team is not counted as a coincidence."""
    groups: defaultdict[Hashable, dict[Team, int]] = defaultdict(dict)
    for source in sources:
        if key(source):
            groups[key(source)][source.team] = source.user_id
    for teams in groups.values():
        if len(set(teams.values())) > 1:
            yield Hint(tuple(teams), reason)
