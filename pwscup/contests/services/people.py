"""Who organizes a contest and who judges it: never anybody who plays in it."""

from __future__ import annotations

from django.db import transaction
from django.utils.translation import gettext_lazy as _

from pwscup.accounts.models import User
from pwscup.accounts.policies import has_played, plays_in
from pwscup.contests.models import Contest
from pwscup.contests.services.common import ContestRefused, lock
from pwscup.core import audit


@transaction.atomic
def add_organizer(*, actor: User, contest: Contest, email: str) -> User:
    """Let another account organize this contest."""
    person = _account(email)
    held = lock(contest)
    if plays_in(person, held):
        raise ContestRefused(
            _("This person plays in a team of the contest and therefore cannot organize it.")
        )
    held.organizers.add(person)
    _record("contest.organizer_added", actor, contest, person)
    return person


@transaction.atomic
def remove_organizer(*, actor: User, contest: Contest, user_id: int) -> None:
    """Take the contest out of an organizer's hands; one always stays."""
    held = lock(contest)
    person = held.organizers.filter(pk=user_id).first()
    if person is None:
        return
    if held.organizers.count() == 1:
        raise ContestRefused(_("A contest has at least one organizer. Add another one first."))
    held.organizers.remove(person)
    _record("contest.organizer_removed", actor, contest, person)


@transaction.atomic
def add_judge(*, actor: User, contest: Contest, email: str) -> User:
    """Let another account mark the presentations; a judge sees neither the answer key nor these pages."""
    person = _account(email)
    held = lock(contest)
    if plays_in(person, held) or has_played(person, held):
        raise ContestRefused(
            _(
                "This person plays or has played in a team of the contest and therefore cannot judge it."
            )
        )
    if held.organizers.filter(pk=person.pk).exists():
        raise ContestRefused(
            _("Organizers can give marks as they are; add other people as judges.")
        )
    if not held.judges.filter(pk=person.pk).exists():
        held.judges.add(person)
        _record("contest.judge_added", actor, contest, person)
    return person


@transaction.atomic
def remove_judge(*, actor: User, contest: Contest, user_id: int) -> None:
    """Let somebody mark no more; the marks that were given stay."""
    held = lock(contest)
    person = held.judges.filter(pk=user_id).first()
    if person is None:
        return
    held.judges.remove(person)
    _record("contest.judge_removed", actor, contest, person)


def _account(email: str) -> User:
    """The account, held: meanwhile the person joins no team."""
    people = User.objects.select_for_update().filter(email=email.strip().lower(), is_active=True)
    person = people.first()
    if person is None:
        raise ContestRefused(
            _("There is no account with this address. Ask the person to sign up first.")
        )
    return person


def _record(kind: str, actor: User, contest: Contest, person: User) -> None:
    """By number: a name written here would outlive the account."""
    subject = f"user {person.pk}"
    audit.record(kind, actor=actor, contest_id=contest.pk, subject=subject, user_id=person.pk)
