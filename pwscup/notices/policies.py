# SPDX-License-Identifier: Apache-2.0
"""Predicates about who may ask, read and answer."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from pwscup.accounts.models import Membership
from pwscup.accounts.policies import is_organizer, plays_in

if TYPE_CHECKING:
    from pwscup.accounts.models import Team
    from pwscup.contests.models import Contest
    from pwscup.contests.policies import Person
    from pwscup.notices.models import Question


def may_ask(user: Person, contest: Contest) -> bool:
    """Members of its teams, after publication."""
    return user.is_authenticated and contest.is_published and plays_in(user, contest)


def may_read(user: Person, question: Question) -> bool:
    """The team that asked, and the organizers."""
    if not user.is_authenticated:
        return False
    member = Membership.objects.filter(user=user, team=question.team_id).exists()
    return member or is_organizer(user, question.contest)


def gets_mail(user: Person, contest: Contest) -> bool:
    """Players and organizers can choose their emails."""
    if not user.is_authenticated:
        return False
    return is_organizer(user, contest) or (contest.is_published and plays_in(user, contest))


def names_team(texts: list[str], team: Team) -> bool:
    """One of the texts contains the team's name as words, in any width and case."""
    name = _plain(team.name)
    # Scripts without spaces have no word boundaries: there the name counts anywhere.
    bounds = (
        (r"\b", r"\b")
        if name.isascii() and name[:1].isalnum() and name[-1:].isalnum()
        else ("", "")
    )
    pattern = re.compile(bounds[0] + re.escape(name) + bounds[1])
    return any(pattern.search(_plain(text)) for text in texts)


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
