# SPDX-License-Identifier: Apache-2.0
"""Joining by a class code or a captain's link, with a name only: account, seat and terms in one transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction

from pwscup.accounts import guests
from pwscup.accounts import services as accounts
from pwscup.contests.services.terms import accept_terms

if TYPE_CHECKING:
    from pwscup.accounts.models import ClassCode, Invitation, Team, User
    from pwscup.contests.models import Contest, Division


@transaction.atomic
def join_class(
    *,
    code: ClassCode,
    user: User | None,
    name: str = "",
    team: Team | None = None,
    team_name: str = "",
    short_name: str = "",
    division: Division | None = None,
    digest: str = "",
    source: str = "",
) -> tuple[User, Team]:
    """Join a team, or create one with `team_name` and perhaps `short_name`.

    `user` is None for a visitor, who becomes a guest called `name`.
    `digest` is that of the terms that were shown, all of which the person accepts. Raises `accounts.RefusedError`,
    and `ContestRefused` if the terms were changed meanwhile; then nothing was created.
    """
    contest = code.contest
    person = guests.admit(user=user, name=name, contest=contest, code=code.code)
    if team is not None:
        joined = accounts.join_open_team(user=person, team=team, source=source)
    else:
        joined = accounts.create_team(
            user=person,
            contest=contest,
            name=team_name,
            short_name=short_name,
            division=division,
            source=source,
        )
    accept_terms(user=person, contest=contest, digest=digest)
    return person, joined


@transaction.atomic
def join_as_guest(
    *, invitation: Invitation, name: str, digest: str = "", source: str = ""
) -> tuple[User, Team]:
    """Join through a captain's link as a guest, while the contest has a class code."""
    contest: Contest = invitation.team.contest
    person = guests.admit(user=None, name=name, contest=contest)
    joined = accounts.join_team(user=person, invitation=invitation, source=source)
    accept_terms(user=person, contest=contest, digest=digest)
    return person, joined
