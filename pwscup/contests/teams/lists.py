"""Lists of teams as organizers have them: `team,division,email[,email…]`, a line for a team or for a member.

Reading finds every problem at once and changes nothing; `services.teams` makes the teams.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.utils.translation import gettext as _

from pwscup.accounts.models import Invitation, Membership, Team, User
from pwscup.accounts.names import clean_new_name, likeness, looks
from pwscup.accounts.selectors import left_office
from pwscup.contests.teams import tables

if TYPE_CHECKING:
    from pwscup.contests.models import Contest, Division

MAX_BYTES = 500_000
MAX_LINES = 5_000
LONGEST_NAME = Team._meta.get_field("name").max_length
LONGEST_ADDRESS = Invitation._meta.get_field("email").max_length
DELIMITERS = (",", "\t", ";")
HEADINGS = {"team", "team name", "teams", "チーム", "チーム名"}


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong in a line, counted from 1 with the heading; `line` is 0 for the whole list."""

    line: int
    words: str


@dataclass(slots=True)
class Planned:
    """A team that the list names, and the line that named it first."""

    line: int
    name: str
    division: Division | None = None
    emails: list[str] = field(default_factory=list)


@dataclass(slots=True)
class TeamList:
    """What would be made of a list, and everything that is wrong with it."""

    text: str
    teams: list[Planned] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    @property
    def n_invitations(self) -> int:
        return sum(len(team.emails) for team in self.teams)


def decoded(data: bytes) -> str | None:
    """The text of a file in UTF-8, or as spreadsheets set to Japanese save it; None where it is no text."""
    for encoding in ("utf-8-sig", "cp932"):
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        return None if "\0" in text else text
    return None


def read(contest: Contest, text: str) -> TeamList:
    """The teams of a list and its problems, as the contest stands now; a constant number of queries."""
    found = TeamList(text)
    divisions = _divisions(contest)
    by_look: dict[str, Planned] = {}
    for line, cells in _lines(text, found.problems):
        name, division_name, *addresses = (*cells, "", "")[: max(2, len(cells))]
        team = _team(found, by_look, line, name)
        if team is None:
            continue
        _set_division(found, team, line, division_name, divisions)
        team.emails += _addresses(found, line, addresses)
    if not found.teams and not found.problems:
        found.problems.append(Problem(0, _("The list names no team.")))
    _check_teams(contest, found)
    _check_addresses(contest, found)
    found.problems.sort(key=lambda problem: problem.line)
    return found


def _lines(text: str, problems: list[Problem]) -> Iterator[tuple[int, list[str]]]:
    """The lines that say something, each with its number; the heading is left out."""
    first = text.split("\n", 1)[0]
    delimiter = max(DELIMITERS, key=first.count)
    reader = csv.reader(io.StringIO(text.strip("\ufeff"), newline=""), delimiter=delimiter)
    try:
        for number, row in enumerate(reader, 1):
            if number > MAX_LINES:
                words = _("The list has more than %(most)d lines.") % {"most": MAX_LINES}
                problems.append(Problem(number, words))
                return
            cells = [cell.strip() for cell in row]
            is_heading = number == 1 and cells and cells[0].casefold() in HEADINGS
            if any(cells) and not is_heading:
                yield number, cells
    except csv.Error:
        problems.append(Problem(reader.line_num, _("The line cannot be read as CSV.")))


def _team(found: TeamList, by_look: dict[str, Planned], line: int, name: str) -> Planned | None:
    """The team of a line; None where its name cannot be one."""
    try:
        tidy = clean_new_name(name) if name else ""
    except ValidationError as error:
        found.problems.append(Problem(line, " ".join(error.messages)))
        return None
    if not tidy:
        found.problems.append(Problem(line, _("The line names no team.")))
        return None
    if len(tidy) > LONGEST_NAME:
        words = _("The name has %(got)d characters — expected at most %(expected)d.")
        found.problems.append(Problem(line, words % {"got": len(tidy), "expected": LONGEST_NAME}))
        return None
    forms = looks(tidy)
    team = next((by_look[form] for form in sorted(forms) if form in by_look), None)
    if team is None:
        team = Planned(line, tidy)
        by_look |= dict.fromkeys(forms, team)
        found.teams.append(team)
    elif team.name != tidy:
        words = _("“%(name)s” looks like “%(other)s” of line %(line)d. Write both the same way.")
        given = {"name": tidy, "other": team.name, "line": team.line}
        found.problems.append(Problem(line, words % given))
    return team


def _divisions(contest: Contest) -> dict[str, Division]:
    """The divisions by everything that may name them."""
    return {
        likeness(name): division
        for division in contest.divisions.all()
        for name in (division.title_ja, division.title, division.key)
        if name
    }


def _set_division(
    found: TeamList, team: Planned, line: int, name: str, divisions: dict[str, Division]
) -> None:
    if not name:
        return
    division = divisions.get(likeness(name))
    if division is None:
        known = ", ".join(dict.fromkeys(one.local_title for one in divisions.values()))
        words = _("There is no division “%(name)s” — expected one of: %(known)s.")
        given = {"name": name, "known": known or _("none, this contest has no divisions")}
        found.problems.append(Problem(line, words % given))
    elif team.division is not None and team.division != division:
        words = _("“%(team)s” is in “%(other)s” by line %(line)d — got “%(division)s”.")
        given = {
            "team": team.name,
            "other": team.division.local_title,
            "line": team.line,
            "division": division.local_title,
        }
        found.problems.append(Problem(line, words % given))
    else:
        team.division = division


def _addresses(found: TeamList, line: int, cells: list[str]) -> list[str]:
    good = []
    for address in filter(None, cells):
        try:
            if len(address) > LONGEST_ADDRESS:
                raise ValidationError("too long")
            validate_email(address)
        except ValidationError:
            words = _("“%(address)s” is no e-mail address.") % {"address": address[:100]}
            found.problems.append(Problem(line, words))
        else:
            good.append(address.lower())
    return good


def _check_teams(contest: Contest, found: TeamList) -> None:
    left = tables.n_teams_left(contest)
    if left is not None and len(found.teams) > left:
        words = _(
            "The list names %(got)d teams — expected at most %(expected)d: each gets tables of people of its own, and "
            "people are left for so many."
        )
        found.problems.append(Problem(0, words % {"got": len(found.teams), "expected": left}))
    names = contest.teams.values_list("name", flat=True)
    taken = frozenset[str]().union(*map(looks, names))
    for team in found.teams:
        if looks(team.name) & taken:
            words = _("Another team of this contest already has the name “%(name)s”.")
            found.problems.append(Problem(team.line, words % {"name": team.name}))
        if not team.emails:
            words = _("“%(team)s” has no e-mail address, so nobody could join it.")
            found.problems.append(Problem(team.line, words % {"team": team.name}))
        if len(team.emails) > contest.max_team_size:
            words = _("“%(team)s” has %(got)d members — expected at most %(expected)d.")
            given = {
                "team": team.name,
                "got": len(team.emails),
                "expected": contest.max_team_size,
            }
            found.problems.append(Problem(team.line, words % given))


def _check_addresses(contest: Contest, found: TeamList) -> None:
    """No address twice in the list, nor of somebody who plays, judges or organizes already."""
    seen: dict[str, Planned] = {}
    known = known_addresses(contest)
    for team in found.teams:
        for address in team.emails:
            if address in seen:
                words = _("%(address)s is named twice: in “%(team)s” and in “%(other)s”.")
                given = {"address": address, "team": team.name, "other": seen[address].name}
                found.problems.append(Problem(team.line, words % given))
            seen.setdefault(address, team)
            if why := known.get(address):
                found.problems.append(Problem(team.line, f"{address}: {why}"))


def known_addresses(contest: Contest) -> dict[str, str]:
    """Why an address cannot be invited, by address."""
    known = {}
    pending = Invitation.objects.filter(
        team__contest=contest, revoked_at=None, used_at=None
    ).exclude(email="")
    for address, team in pending.values_list("email", "team__name"):
        known[address] = _("is invited to the team “%(team)s” already") % {"team": team}
    seats = Membership.objects.filter(contest=contest)
    for address, team in seats.values_list("user__email", "team__name"):
        known[address] = _("plays in the team “%(team)s” already") % {"team": team}
    for person in contest.judges.all():
        known[person.email] = _("judges this contest, and cannot play in it")
    for person in contest.organizers.all():
        known[person.email] = _("organizes this contest, and cannot play in it")
    return known | _former(contest)


def _former(contest: Contest) -> dict[str, str]:
    """Those who organized or judged the contest once."""
    words = _("organized or judged this contest once, and cannot play in it")
    return {person.email: words for person in User.objects.filter(pk__in=left_office(contest))}
