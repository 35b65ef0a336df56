# SPDX-License-Identifier: Apache-2.0
"""Teams that organizers set up: from a list, with a personal invitation for each address."""

from __future__ import annotations

from datetime import timedelta
from functools import partial

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from pwscup.accounts import invitations
from pwscup.accounts.models import Invitation, Team, User
from pwscup.accounts.names.short_names import short_name_of
from pwscup.accounts.policies import is_over
from pwscup.accounts.selectors import taken_slugs
from pwscup.contests.models import Contest
from pwscup.contests.services.common import ContestRefused, lock
from pwscup.contests.teams import lists
from pwscup.contests.teams.lists import TeamList
from pwscup.core import audit_log
from pwscup.core.texts.parts import named

# Personal invitations are valid until the end of the contest, whose date may still move.
VALID = timedelta(days=3650)


class TeamListRefused(ContestRefused):
    """A list with problems; `found` has all of them."""

    def __init__(self, found: TeamList) -> None:
        super().__init__(*(problem.words for problem in found.problems))
        self.found = found


@transaction.atomic
def set_up_teams(
    *, actor: User, contest: Contest, version: int | None = None, text: str
) -> list[Team]:
    """Create all teams of a list with invitations, or none; the emails are sent afterwards."""
    held = lock(contest, version)
    _refuse_when_over(held)
    found = lists.read(held, text)
    if found.problems:
        raise TeamListRefused(found)
    slugs = taken_slugs(held) | {planned.short_name for planned in found.teams} - {""}
    teams = []
    for planned in found.teams:
        slug = planned.short_name or short_name_of(planned.name, slugs)
        slugs.add(slug)
        team = Team.objects.create(
            contest=held, name=planned.name, slug=slug, division=planned.division
        )
        Invitation.objects.bulk_create(
            _invitation(actor, team, address) for address in planned.emails
        )
        audit_log.record(
            "team.set_up",
            actor=actor,
            contest_id=held.pk,
            subject=f"team {slug}",
            name=team.name,
            division=team.division.key if team.division else None,
            n_invitations=len(planned.emails),
        )
        teams.append(team)
    mail_soon()
    return teams


@transaction.atomic
def invite_address(*, actor: User, contest: Contest, team_id: int, email: str) -> Invitation:
    """An additional personal invitation to a team."""
    held = lock(contest)
    _refuse_when_over(held)
    team = held.teams.filter(pk=team_id, is_house=False).first()
    if team is None:
        raise ContestRefused(_("This contest has no such team."))
    address = email.strip().lower()
    if why := lists.known_addresses(held).get(address):
        raise ContestRefused(named(address, why))
    open_ones = team.invitations.filter(used_at=None, revoked_at=None).exclude(email="")
    if team.memberships.count() + open_ones.count() >= held.max_team_size:
        raise ContestRefused(
            _("“%(team)s” has no seat left for another invitation.") % {"team": team.name}
        )
    made = _invitation(actor, team, address)
    made.save()
    _record("team.invited_by_mail", actor, team)
    mail_soon()
    return made


@transaction.atomic
def resend_invitation(*, actor: User, contest: Contest, invitation_id: int) -> None:
    """Send a personal invitation again, with the same link."""
    invitation = _open_invitation(lock(contest), invitation_id)
    invitation.mail_due_at, invitation.mail_tries = timezone.now(), 0
    invitation.save(update_fields=["mail_due_at", "mail_tries"])
    _record("team.invitation_resent", actor, invitation.team)
    mail_soon()


@transaction.atomic
def revoke_invitation(*, actor: User, contest: Contest, invitation_id: int) -> None:
    """Revoke an unused personal invitation."""
    invitation = _open_invitation(lock(contest), invitation_id)
    invitation.revoked_at, invitation.mail_due_at = timezone.now(), None
    invitation.save(update_fields=["revoked_at", "mail_due_at"])
    _record("team.invitation_revoked", actor, invitation.team)


def _open_invitation(contest: Contest, invitation_id: int) -> Invitation:
    found = Invitation.objects.select_for_update(of=("self",)).select_related("team")
    open_ones = found.filter(team__contest=contest, used_at=None, revoked_at=None)
    invitation = open_ones.exclude(email="").filter(pk=invitation_id).first()
    if invitation is None:
        raise ContestRefused(_("This invitation has been used or revoked already."))
    return invitation


def _invitation(actor: User, team: Team, email: str) -> Invitation:
    now = timezone.now()
    return Invitation(
        team=team, email=email, created_by=actor, expires_at=now + VALID, mail_due_at=now
    )


def _refuse_when_over(contest: Contest) -> None:
    if is_over(contest, timezone.now()):
        raise ContestRefused(_("The last round of the contest has closed; teams no longer change."))


def mail_soon() -> None:
    from pwscup.contests import tasks  # the tasks import the services

    transaction.on_commit(partial(invitations.announce, tasks.send_mails))


def _record(kind: str, actor: User, team: Team) -> None:
    """Without the address: the trail is permanent."""
    audit_log.record(kind, actor=actor, contest_id=team.contest_id, subject=f"team {team.slug}")
