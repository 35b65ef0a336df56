# SPDX-License-Identifier: Apache-2.0
"""Terms of participation: their text, and who accepted them."""

from __future__ import annotations

from django.db import transaction
from django.utils.translation import gettext_lazy as _

from pwscup.accounts.models import User
from pwscup.contests import policies
from pwscup.contests.models import Contest, TermsAcceptance
from pwscup.contests.services.common import ContestRefused, lock
from pwscup.contests.terms import digest_of, has_terms
from pwscup.core import audit_log


@transaction.atomic
def update_terms(
    *, actor: User, contest: Contest, version: int | None = None, terms: str, terms_ja: str
) -> None:
    """Set the terms; after a change everybody must accept them again."""
    held = lock(contest, version)
    before = digest_of(held)
    held.terms = contest.terms = _tidy(terms)
    held.terms_ja = contest.terms_ja = _tidy(terms_ja)
    if digest_of(held) == before:
        return
    held.save(update_fields=["terms", "terms_ja"])
    audit_log.record(
        "contest.terms_changed",
        actor=actor,
        contest_id=contest.pk,
        subject=contest.slug,
        digest=[before, digest_of(held)],
    )


def _tidy(text: str) -> str:
    """Normalize line ends, so that the digest depends on the text only."""
    return "\n".join(line.rstrip() for line in text.splitlines()).strip()


@transaction.atomic
def accept_terms(*, user: User, contest: Contest, digest: str) -> None:
    """Accept the terms that were shown, once; refused if they were changed in the meantime."""
    if not policies.may_accept_terms(user, contest):
        raise ContestRefused(_("Terms are accepted by members of a team. Join a team first."))
    present = Contest.objects.select_for_update(no_key=True).get(pk=contest.pk)
    if not has_terms(present):
        return
    if digest != digest_of(present):
        raise ContestRefused(
            _("The organizers changed the terms while you read them. Read them again below.")
        )
    _acceptance, is_new = TermsAcceptance.objects.get_or_create(
        contest=present, user=user, digest=digest
    )
    if is_new:
        audit_log.record(
            "terms.accepted",
            actor=user,
            contest_id=contest.pk,
            subject=f"user {user.pk}",
            digest=digest,
        )
