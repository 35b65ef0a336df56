# SPDX-License-Identifier: Apache-2.0
"""The emails that a user wants. There are no events, as this is private."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils import timezone

from pwscup.notices.models import Preference, Visit

if TYPE_CHECKING:
    from pwscup.accounts.models import User
    from pwscup.contests.models import Contest


@transaction.atomic
def choose_mail(*, user: User, contest: Contest, wanted: str, language: str) -> None:
    """Store the emails of the contest that the user wants, and their language."""
    Preference.objects.update_or_create(
        user=user,
        contest=contest,
        defaults={"wanted": wanted, "language": language, "changed_at": timezone.now()},
    )


@transaction.atomic
def unsubscribe(*, user_id: int, contest_id: int, language: str) -> None:
    """Send no more email of this contest."""
    Preference.objects.update_or_create(
        user_id=user_id,
        contest_id=contest_id,
        defaults={"wanted": Preference.Wanted.NONE, "changed_at": timezone.now()},
        create_defaults={"wanted": Preference.Wanted.NONE, "language": language},
    )


@transaction.atomic
def note_visit(*, user: User, contest: Contest, seen_at: datetime) -> None:
    """The news until then are read."""
    Visit.objects.update_or_create(user=user, contest=contest, defaults={"seen_at": seen_at})
