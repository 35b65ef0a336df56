# SPDX-License-Identifier: Apache-2.0
"""Lists of teams: `team,division,email[,email…]`, a line for each team or each member.

A header may put the columns in another order, leave out the division, or add `short_name`.

Reading finds all problems and changes nothing; `services.teams` creates the teams.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.utils.translation import gettext as _

from pwscup.accounts.models import Invitation, Membership, Team, User
from pwscup.accounts.names import clean_new_name, likeness, looks
from pwscup.accounts.names.short_names import base_of, clean_short_name, resembles
from pwscup.accounts.selectors import left_office, short_names_of_others
from pwscup.contests.teams import tables
from pwscup.core.db.columns import longest
from pwscup.core.texts.parts import joined, listed, named

if TYPE_CHECKING:
    from pwscup.contests.models import Contest, Division

MAX_BYTES = 500_000
MAX_LINES = 5_000
LONGEST_NAME = longest(Team, "name")
LONGEST_ADDRESS = longest(Invitation, "email")
DELIMITERS = (",", "\t", ";")
HEADINGS = {"team", "team name", "teams", "チーム", "チーム名"}
DIVISION_HEADINGS = {"division", "divisions", "部門", "部門名", "区分"}
SHORT_HEADINGS = {"short_name", "short name", "短縮名", "略称"}
ADDRESS_HEADING = re.compile(r"mail|address|メール|アドレス")


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem in a line, counted from 1 including the header; `line` is 0 for the whole list."""

    line: int
    words: str


@dataclass(slots=True)
class Planned:
    """A team in the list, and the first line that names it."""

    line: int
    name: str
    short_name: str = ""
    division: Division | None = None
    emails: list[str] = field(default_factory=list)


@dataclass(slots=True)
class TeamList:
    """The teams to be created from a list, and all its problems."""

    text: str
    teams: list[Planned] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    @property
    def n_invitations(self) -> int:
        return sum(len(team.emails) for team in self.teams)


def decoded(data: bytes) -> str | None:
    """The text of a file in UTF-8, or in the encoding of Japanese spreadsheets; None if it is not text."""
    for encoding in ("utf-8-sig", "cp932"):
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        return None if "\0" in text else text
    return None


def read(contest: Contest, text: str) -> TeamList:
    """The teams of a list and its problems, for the current state of the contest; a constant number of queries."""
    found = TeamList(text)
    divisions = _divisions(contest)
    by_look: dict[str, Planned] = {}
    for line in _lines(text, found.problems):
        team = _team(found, by_look, line.number, line.team)
        if team is None:
            continue
        _set_short_name(found, team, line.number, line.short_name)
        _set_division(found, team, line.number, line.division, divisions)
        team.emails += _addresses(found, line.number, line.addresses)
    if not found.teams and not found.problems:
        found.problems.append(Problem(0, _("The list names no team.")))
    _check_teams(contest, found)
    _check_short_names(contest, found)
    _check_addresses(contest, found)
    found.problems.sort(key=lambda problem: problem.line)
    return found


@dataclass(frozen=True, slots=True)
class _Line:
    """The cells of a line with content."""

    number: int
    team: str
    division: str
    short_name: str
    addresses: list[str]


def _lines(text: str, problems: list[Problem]) -> Iterator[_Line]:
    """Lines with content; the header is left out."""
    first = text.split("\n", 1)[0]
    delimiter = max(DELIMITERS, key=first.count)
    reader = csv.reader(io.StringIO(text.strip("\ufeff"), newline=""), delimiter=delimiter)
    team_at, division_at, short_at = 0, 1, -1
    try:
        for number, row in enumerate(reader, 1):
            if number > MAX_LINES:
                words = _("The list has more than %(most)d lines.") % {"most": MAX_LINES}
                problems.append(Problem(number, words))
                return
            cells = [cell.strip() for cell in row]
            headings = [cell.casefold() for cell in cells] if number == 1 else []
            if not HEADINGS.isdisjoint(headings):
                team_at, division_at, short_at = _columns(headings)
            elif any(cells):
                by_column = dict(enumerate(cells))
                name, short_name = by_column.pop(team_at, ""), by_column.pop(short_at, "")
                division = (
                    "" if "@" in by_column.get(division_at, "") else by_column.pop(division_at, "")
                )
                yield _Line(number, name, division, short_name, list(by_column.values()))
    except csv.Error:
        problems.append(Problem(reader.line_num, _("The line cannot be read as CSV.")))


def _columns(headings: list[str]) -> tuple[int, int, int]:
    """The positions of the team, of the division and of the short name in a header; -1 where it has none."""
    team_at, division_at, short_at = (
        next((i for i, heading in enumerate(headings) if heading in known), -1)
        for known in (HEADINGS, DIVISION_HEADINGS, SHORT_HEADINGS)
    )
    is_usual = team_at == 0 and len(headings) > 1 and short_at != 1
    if division_at < 0 and is_usual and not ADDRESS_HEADING.search(headings[1]):
        division_at = 1
    return team_at, division_at, short_at


def _team(found: TeamList, by_look: dict[str, Planned], line: int, name: str) -> Planned | None:
    """The team of a line; None if its name is invalid."""
    try:
        tidy = clean_new_name(name) if name else ""
    except ValidationError as error:
        found.problems.append(Problem(line, joined(*error.messages)))
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


def _set_short_name(found: TeamList, team: Planned, line: int, typed: str) -> None:
    try:
        short = clean_short_name(typed)
    except ValidationError as error:
        found.problems.append(Problem(line, joined(*error.messages)))
        return
    if short and team.short_name and short != team.short_name:
        words = _("“%(team)s” has the short name “%(other)s” by line %(line)d — got “%(got)s”.")
        given = {"team": team.name, "other": team.short_name, "line": team.line, "got": short}
        found.problems.append(Problem(line, words % given))
    team.short_name = team.short_name or short


def _divisions(contest: Contest) -> dict[str, Division]:
    """The divisions by all their names."""
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
        known = listed(dict.fromkeys(one.local_title for one in divisions.values()))
        words = _("There is no division “%(name)s” — expected one of: %(known)s.")
        given = {"name": name, "known": known or _("none, this contest has no divisions")}
        found.problems.append(Problem(line, words % given))
    elif team.division is not None and team.division != division:
        words = _("“%(team)s” is in “%(other)s” by line %(line)d — got “%(division)s”.")
        placed: dict[str, Any] = {
            "team": team.name,
            "other": team.division.local_title,
            "line": team.line,
            "division": division.local_title,
        }
        found.problems.append(Problem(line, words % placed))
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
            words = _("“%(address)s” is not an email address.") % {"address": address[:100]}
            found.problems.append(Problem(line, words))
        else:
            good.append(address.lower())
    return good


def _check_teams(contest: Contest, found: TeamList) -> None:
    left = tables.n_teams_left(contest)
    if left is not None and len(found.teams) > left:
        words = _(
            "The list names %(got)d teams — expected at most %(expected)d: each gets its own individuals, and "
            "individuals are left for this many teams."
        )
        found.problems.append(Problem(0, words % {"got": len(found.teams), "expected": left}))
    names = contest.teams.values_list("name", flat=True)
    taken = frozenset[str]().union(*map(looks, names))
    for team in found.teams:
        if looks(team.name) & taken:
            words = _("Another team of this contest already has the name “%(name)s”.")
            found.problems.append(Problem(team.line, words % {"name": team.name}))
        if not team.emails:
            words = _("“%(team)s” has no email address, so nobody could join it.")
            found.problems.append(Problem(team.line, words % {"team": team.name}))
        if len(team.emails) > contest.max_team_size:
            words = _("“%(team)s” has %(got)d members — expected at most %(expected)d.")
            given = {
                "team": team.name,
                "got": len(team.emails),
                "expected": contest.max_team_size,
            }
            found.problems.append(Problem(team.line, words % given))


def _check_short_names(contest: Contest, found: TeamList) -> None:
    """No short name looks like another of the list or the contest, or like what is made from another team's name."""
    having = [team for team in found.teams if team.short_name]
    taken = short_names_of_others(contest) if having else set()
    for team in having:
        others = {base_of(other.name) for other in found.teams if other is not team} - {""}
        others |= {other.short_name for other in having if other is not team}
        if resembles(team.short_name, taken | others):
            words = _("“%(team)s”: another team has the short name “%(got)s”, or a name like it.")
            given = {"team": team.name, "got": team.short_name}
            found.problems.append(Problem(team.line, words % given))


def _check_addresses(contest: Contest, found: TeamList) -> None:
    """No address twice in the list, and none of a current player, judge or organizer."""
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
                found.problems.append(Problem(team.line, named(address, why)))


def known_addresses(contest: Contest) -> dict[str, str]:
    """The reason why an address cannot be invited, by address."""
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
    """Former organizers and judges of the contest."""
    words = _("was an organizer or judge of this contest, and cannot play in it")
    return {person.email: words for person in User.objects.filter(pk__in=left_office(contest))}
