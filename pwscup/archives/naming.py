# SPDX-License-Identifier: Apache-2.0
"""Names of teams in archives: their own names, or random numbers that were drawn once."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from django.db import transaction

from pwscup.accounts.models import Team
from pwscup.accounts.names import likeness
from pwscup.accounts.selectors import current_slugs
from pwscup.archives.models import Archive, TeamNumber
from pwscup.contests.models import Contest
from pwscup.core.models import Event

Names = Archive.Names


@dataclass(frozen=True, slots=True)
class Called:
    """A team in an archive: the position of its row, its slug and its name."""

    n: int
    slug: str
    name: str


@transaction.atomic
def draw_numbers(contest: Contest) -> dict[int, int]:
    """The number of every team by its key; missing ones are drawn now."""
    Contest.objects.select_for_update(no_key=True).get(pk=contest.pk)
    known = dict(TeamNumber.objects.filter(contest=contest).values_list("team_id", "number"))
    new = list(contest.teams.exclude(pk__in=known).values_list("pk", flat=True))
    secrets.SystemRandom().shuffle(new)
    first = max(known.values(), default=0) + 1
    drawn = {team: number for number, team in enumerate(new, start=first)}
    TeamNumber.objects.bulk_create(
        TeamNumber(team_id=team, contest=contest, number=number) for team, number in drawn.items()
    )
    return known | drawn


def called(contest: Contest, names: str) -> dict[int, Called]:
    """Every team with its name in the archive, in the order of its rows.

    Anonymous teams are ordered by their numbers: the order of creation would identify them. The platform's
    own teams are not anonymized.
    """
    teams = list(contest.teams.order_by("pk"))
    if names == Names.ALL:
        return {t.pk: Called(n, t.slug, t.name) for n, t in enumerate(teams, start=1)}
    numbers = draw_numbers(contest)
    teams.sort(key=lambda team: numbers[team.pk])
    named = [team for team in teams if _is_named(team, names)]
    taken = {team.slug for team in named} | {likeness(team.name) for team in named}
    return {
        team.pk: Called(n, team.slug, team.name)
        if team in named
        else _by_number(n, numbers[team.pk], taken)
        for n, team in enumerate(teams, start=1)
    }


def _is_named(team: Team, names: str) -> bool:
    return team.is_house or (names == Names.CONSENT and team.is_named_in_archive)


def _by_number(n: int, number: int, taken: set[str]) -> Called:
    """“Team 7”, or a longer name if a named team has that name."""
    name, slug = f"Team {number}", f"team-{number}"
    while slug in taken or likeness(name) in taken:
        name, slug = f"{name} (without name)", f"{slug}-without-name"
    return Called(n, slug, name)


def renamer(contest: Contest, teams: Mapping[int, Called]) -> Callable[[str], str]:
    """A function that replaces the current and former names of teams in a text by those in the archive.

    Names are found literally; paraphrases are not replaced.
    """
    by_slug = {team.slug: team for team in contest.teams.all()}
    instead = {
        team.name: teams[team.pk].name
        for team in by_slug.values()
        if teams[team.pk].name != team.name
    }
    hidden = {slug for slug, team in by_slug.items() if team.name in instead}
    now = current_slugs(contest)
    renamed = Event.objects.filter(contest_id=contest.pk, kind="team.renamed")
    for subject, data in renamed.values_list("subject", "data"):
        slug = now.get(former := subject.removeprefix("team "), former)
        if slug in hidden:
            instead.setdefault(data["before"], teams[by_slug[slug].pk].name)
    if not instead:
        return lambda text: text
    pattern = re.compile("|".join(map(_as_word, sorted(instead, key=len, reverse=True))))
    return lambda text: pattern.sub(lambda match: instead[match.group()], text)


def _as_word(name: str) -> str:
    """A pattern for a name: if it begins or ends with a Latin letter or a digit, not within a longer word."""
    before = "(?<![A-Za-z0-9])" if re.match("[A-Za-z0-9]", name) else ""
    after = "(?![A-Za-z0-9])" if re.search("[A-Za-z0-9]$", name) else ""
    return f"{before}{re.escape(name)}{after}"
