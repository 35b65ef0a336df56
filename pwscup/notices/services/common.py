"""What every change of this app shares: the refusal, and the lock on the contest's row."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from pwscup.contests.models import Contest
from pwscup.core.texts.refusals import Refused


class NoticeRefused(Refused):
    """A change that is not made."""


def lock_published(contest: Contest) -> Contest:
    """Hold the contest's row; refuse where it is a draft, for nobody would learn of it."""
    held = Contest.objects.select_for_update(no_key=True).get(pk=contest.pk)
    if not held.is_published:
        raise NoticeRefused(
            _("The contest is a draft that nobody else sees. Publish it first, then announce.")
        )
    return held
