# SPDX-License-Identifier: Apache-2.0
"""Common parts of all changes of this app: the refusal, and the lock on the contest's row."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from pwscup.contests.models import Contest
from pwscup.core.texts.refusals import Refused


class NoticeRefused(Refused):
    """A refused change."""


def lock_published(contest: Contest) -> Contest:
    """Lock the contest's row; refuse if it is a draft, as nobody would be notified."""
    held = Contest.objects.select_for_update(no_key=True).get(pk=contest.pk)
    if not held.is_published:
        raise NoticeRefused(
            _("The contest is a draft that nobody else sees. Publish it before you announce.")
        )
    return held
