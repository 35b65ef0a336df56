# SPDX-License-Identifier: Apache-2.0
"""Common parts of all changes of a contest: the lock, the version counter, and the refusal."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from pwscup.contests.models import Contest
from pwscup.core.texts.refusals import Refused


class ContestRefused(Refused):
    """A refused change of a contest."""


class ChangedMeanwhile(ContestRefused):
    """Somebody else changed the contest after this page was loaded."""

    def __init__(self) -> None:
        super().__init__(
            _(
                "Another organizer changed this contest after you opened the page, so nothing was saved. "
                "Check the current state below and make your change again."
            )
        )


def lock(contest: Contest, version: int | None = None) -> Contest:
    """Lock the contest's row and increment its version; refuse a change from an older page."""
    held = Contest.objects.select_for_update(no_key=True).get(pk=contest.pk)
    if version is not None and held.version != version:
        raise ChangedMeanwhile
    held.version += 1
    held.save(update_fields=["version"])
    contest.version = held.version
    return held
