# SPDX-License-Identifier: Apache-2.0
"""Guests: accounts without an email address, which play in the one contest whose class code they had.

They return by a sign-in link, shown once and recognized by its hash. With a confirmed address a guest's account is
an ordinary one.
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from pwscup.accounts.models import ClassCode, SignInLink, Team, User
from pwscup.accounts.services import RefusedError, delete_account, transfer_captaincy
from pwscup.accounts.tokens import digest_of
from pwscup.core.audit_log import record

if TYPE_CHECKING:
    from pwscup.contests.models import Contest

ALPHABET = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
"""Without I, L, O, 0 and 1, which people confuse: a code has 31^8 or about 2^40 values."""
LENGTH = 8
PLACEHOLDER = "@guest.invalid"
"""Ends what stands in the place of an address; RFC 2606 keeps the domain from ever existing."""


def is_placeholder(address: str) -> bool:
    """The address belongs to nobody, so no email is sent to it."""
    return address.lower().endswith(".invalid")


# Class codes


def tidy_code(typed: str) -> str:
    """A code as it is stored: upper case, without spaces and hyphens.

    >>> tidy_code(" abcd-2345 ")
    'ABCD2345'
    """
    return "".join(typed.split()).replace("-", "").upper()


def class_code(contest: Contest) -> ClassCode | None:
    """The code by which people join this contest, if its organizers created one."""
    return ClassCode.objects.filter(contest=contest).first()


def code_by_text(typed: str) -> ClassCode | None:
    """The code that somebody typed, or None."""
    return ClassCode.objects.select_related("contest").filter(code=tidy_code(typed)).first()


@transaction.atomic
def create_code(*, actor: User, contest: Contest, seats: int) -> ClassCode:
    """Create a code for so many people; it replaces an earlier one, which no longer works."""
    ClassCode.objects.filter(contest=contest).delete()
    text = "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))
    made = ClassCode.objects.create(contest=contest, code=text, seats=seats, created_by=actor)
    _record("contest.class_code_created", actor, contest, seats=seats)
    return made


@transaction.atomic
def revoke_code(*, actor: User, contest: Contest) -> None:
    """Revoke the code; those who joined by it stay."""
    if ClassCode.objects.filter(contest=contest).delete()[0]:
        _record("contest.class_code_revoked", actor, contest)


@transaction.atomic
def admit(*, user: User | None, name: str, contest: Contest, code: str | None = None) -> User:
    """Take a place of the class code; a visitor becomes a guest with that name.

    Without `code` the place is that of somebody with a captain's link, which works for visitors while there is a code.
    """
    if user is not None:  # locks are taken in one order, user before contest
        user = User.objects.select_for_update().get(pk=user.pk)
    type(contest).objects.select_for_update(no_key=True).get(pk=contest.pk)
    held = class_code(contest)
    if held is None or code not in (None, held.code):
        raise RefusedError("code_gone")
    if held.n_joined >= held.seats:
        raise RefusedError("code_used_up")
    ClassCode.objects.filter(pk=held.pk).update(n_joined=F("n_joined") + 1)
    return user or _new_guest(name, contest)


def _new_guest(name: str, contest: Contest) -> User:
    guest = User(
        email=f"guest-{secrets.token_hex(16)}{PLACEHOLDER}", display_name=name, guest_of=contest
    )
    guest.set_unusable_password()
    guest.save()
    _record("account.guest_created", guest, contest)
    return guest


# Sign-in links


@transaction.atomic
def new_link(*, actor: User, user: User) -> str:
    """The token of a new link, which cannot be shown again; it replaces an earlier link, and ends all sessions:
    somebody else may have begun one by that link.
    """
    person = User.objects.select_for_update().get(pk=user.pk)
    if not may_have_link(person):
        raise RefusedError("link_needless")
    person.set_unusable_password()  # another one, and so another hash in sessions
    person.save(update_fields=["password"])
    token = secrets.token_urlsafe(24)
    SignInLink.objects.update_or_create(
        user=person, defaults={"digest": digest_of(token), "created_at": timezone.now()}
    )
    contest = {"contest_id": person.guest_of_id} if person.is_guest else {}
    record("account.link_created", actor=actor, subject=f"user {person.pk}", **contest)
    return token


def may_have_link(user: User) -> bool:
    """The account has no other way to sign in: no password was set."""
    return user.is_active and user.is_guest and not user.has_usable_password()


def user_by_link(token: str) -> User | None:
    """The guest whom this link signs in, or None."""
    found = SignInLink.objects.select_related("user").filter(
        digest=digest_of(token), user__is_active=True
    )
    link = found.first()
    return link.user if link else None


def revoke_link(user: User) -> None:
    """Revoke the sign-in link of an account."""
    SignInLink.objects.filter(user=user).delete()


# The end of being a guest


def become_ordinary(user: User) -> None:
    """The account has a confirmed address, so the rules of all accounts hold for it."""
    user.guest_of = None
    user.save(update_fields=["guest_of"])
    revoke_link(user)
    record("account.address_added", actor=user, subject=f"user {user.pk}")


def delete_guests(contest: Contest) -> int:
    """Delete the accounts of all guests of a contest; return their number. Captains pass the team to other accounts."""
    guests = list(User.objects.filter(guest_of=contest, deleted_at=None))
    for team in Team.objects.filter(captain__in=guests):
        others = team.memberships.exclude(user__in=guests).order_by("joined_at", "id")
        if team.captain is not None and (heir := others.first()) is not None:
            transfer_captaincy(user=team.captain, team=team, to=heir.user)
    captains = set(Team.objects.filter(captain__in=guests).values_list("captain", flat=True))
    for guest in sorted(guests, key=lambda guest: guest.pk in captains):  # captains leave last
        delete_account(user=guest)
    return len(guests)


def _record(kind: str, actor: User, contest: Contest, **data: object) -> None:
    subject = f"user {actor.pk}" if kind.startswith("account.") else contest.slug
    record(kind, actor=actor, contest_id=contest.pk, subject=subject, **data)
