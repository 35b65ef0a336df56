# SPDX-License-Identifier: Apache-2.0
"""Organizers and judges of a contest: users who accepted an invitation, and never players of the contest."""

from __future__ import annotations

from datetime import timedelta

from django.contrib.auth.models import AnonymousUser
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from pwscup.accounts.addresses import normalized
from pwscup.accounts.models import OfficeInvitation, User
from pwscup.accounts.policies import has_taken_part
from pwscup.contests.models import Contest
from pwscup.contests.services.common import ContestRefused, lock
from pwscup.contests.services.teams import mail_soon
from pwscup.core import audit_log

Office = OfficeInvitation.Office
VALID = timedelta(days=14)
MOST_OPEN = 50
REFUSALS = {
    "used": _("This invitation has been used."),
    "revoked": _("The organizers have withdrawn this invitation."),
    "expired": _("This invitation has expired. Ask the organizers for another one."),
    "address": _(
        "This invitation was sent to another address than that of your account. Log in with the account of that "
        "address, or ask the organizers for an invitation to yours."
    ),
    "organizer_plays": _(
        "You play or have played in a team of the contest and therefore cannot organize it."
    ),
    "judge_plays": _(
        "You play or have played in a team of the contest and therefore cannot judge it."
    ),
    "organizes": _("You organize this contest already, and can give grades as an organizer."),
}


# Invitations


@transaction.atomic
def invite_to_office(*, actor: User, contest: Contest, office: str, email: str) -> OfficeInvitation:
    """Invite a user by email to organize or judge the contest; the response is the same with an account and
    without."""
    held, address = lock(contest), email.strip().lower()
    people = held.organizers if office == Office.ORGANIZER else held.judges
    if people.filter(email=address).exists() or held.organizers.filter(email=address).exists():
        raise ContestRefused(
            _("The person with this address organizes or judges the contest already.")
        )
    waiting = open_invitations(held)
    if waiting.filter(office=office, email=address).exists():
        raise ContestRefused(_("The person with this address is invited already."))
    if waiting.count() >= MOST_OPEN:
        numbers = {"most": MOST_OPEN}
        raise ContestRefused(
            _("%(most)d invitations are already waiting for an answer. Withdraw some of them.")
            % numbers
        )
    now = timezone.now()
    made = OfficeInvitation.objects.create(
        contest=held,
        office=office,
        email=address,
        created_by=actor,
        expires_at=now + VALID,
        mail_due_at=now,
    )
    _record_invitation("contest.office_invited", actor, made)
    mail_soon()
    return made


@transaction.atomic
def withdraw_office_invitation(*, actor: User, contest: Contest, invitation_id: int) -> None:
    """Withdraw an invitation that nobody has accepted."""
    found = open_invitations(lock(contest)).filter(pk=invitation_id).first()
    if found is None:
        raise ContestRefused(_("This invitation has been used or withdrawn already."))
    _withdraw(actor, found)


def _withdraw(actor: User, invitation: OfficeInvitation) -> None:
    invitation.revoked_at, invitation.mail_due_at = timezone.now(), None
    invitation.save(update_fields=["revoked_at", "mail_due_at"])
    _record_invitation("contest.office_withdrawn", actor, invitation)


def open_invitations(contest: Contest) -> QuerySet[OfficeInvitation]:
    """The invitations that can still be accepted, the oldest first."""
    unused = contest.office_invitations.filter(used_at=None, revoked_at=None)
    return unused.filter(expires_at__gt=timezone.now()).order_by("id")


def refusal_of_office(user: User | AnonymousUser, invitation: OfficeInvitation) -> str | None:
    """The reason (a code of `REFUSALS`) why this user cannot accept it, or None."""
    if invitation.used_at is not None:
        return "used"
    if invitation.revoked_at is not None:
        return "revoked"
    if invitation.expires_at <= timezone.now():
        return "expired"
    if not user.is_authenticated:
        return None
    if normalized(user.email) != normalized(invitation.email):
        return "address"
    contest, office = invitation.contest, invitation.office
    if office == Office.JUDGE and contest.organizers.filter(pk=user.pk).exists():
        return "organizes"
    return f"{office}_plays" if has_taken_part(user, contest) else None


@transaction.atomic
def accept_office(*, user: User, invitation: OfficeInvitation) -> Contest:
    """Become an organizer or a judge of the contest; a judge sees neither the answer key nor organizers' pages."""
    person = User.objects.select_for_update().get(
        pk=user.pk
    )  # the user cannot join a team in the meantime
    held = lock(invitation.contest)
    invitation = OfficeInvitation.objects.select_related("contest").get(pk=invitation.pk)
    if code := refusal_of_office(person, invitation):
        raise ContestRefused(REFUSALS[code])
    invitation.used_at, invitation.mail_due_at = timezone.now(), None
    invitation.save(update_fields=["used_at", "mail_due_at"])
    people = held.organizers if invitation.office == Office.ORGANIZER else held.judges
    people.add(person)
    kind = f"contest.{invitation.office}_added"
    _record(kind, person, held, person, invited_by=invitation.created_by_id)
    return held


# Removal


@transaction.atomic
def remove_organizer(*, actor: User, contest: Contest, user_id: int) -> None:
    """Remove an organizer, and withdraw that user's invitations; at least one organizer stays."""
    held = lock(contest)
    person = held.organizers.filter(pk=user_id).first()
    if person is None:
        return
    if held.organizers.count() == 1:
        raise ContestRefused(_("A contest has at least one organizer. Add another one first."))
    held.organizers.remove(person)
    for invitation in open_invitations(held).filter(created_by=person):
        _withdraw(actor, invitation)
    _record("contest.organizer_removed", actor, contest, person)


@transaction.atomic
def remove_judge(*, actor: User, contest: Contest, user_id: int) -> None:
    """Remove a judge; the grades stay."""
    held = lock(contest)
    person = held.judges.filter(pk=user_id).first()
    if person is None:
        return
    held.judges.remove(person)
    _record("contest.judge_removed", actor, contest, person)


def _record(kind: str, actor: User, contest: Contest, person: User, **data: object) -> None:
    """By number: a name in the trail would outlive the account."""
    subject = f"user {person.pk}"
    audit_log.record(
        kind, actor=actor, contest_id=contest.pk, subject=subject, user_id=person.pk, **data
    )


def _record_invitation(kind: str, actor: User, invitation: OfficeInvitation) -> None:
    """Without the address: the trail is permanent."""
    subject = f"invitation {invitation.pk}"
    contest_id = invitation.contest_id
    audit_log.record(
        kind, actor=actor, contest_id=contest_id, subject=subject, office=invitation.office
    )
