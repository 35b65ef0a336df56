# SPDX-License-Identifier: Apache-2.0
"""Guesses about several targets that arrive together: each is a submission of its own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from pwscup.core.http import unavailable
from pwscup.submissions import selectors, services
from pwscup.submissions.intake import limits
from pwscup.submissions.intake.gates import used_today
from pwscup.submissions.services import SubmissionRefused

if TYPE_CHECKING:
    from pwscup.accounts.models import Team
    from pwscup.contests.models import Round
    from pwscup.core.http.requests import SignedIn
    from pwscup.submissions.intake.uploads import Part
    from pwscup.submissions.models import Release, Submission

Guesses = dict["Release", dict[str, "Part"]]
"""The files for each target, by their key."""


@dataclass(slots=True)
class Outcome:
    """The submissions by target; and, if one was not taken, that target with the refusal, or with the status of an
    unavailable platform."""

    taken: dict[Release, Submission] = field(default_factory=dict)
    failed: Release | None = None
    refusal: SubmissionRefused | None = None
    status: int | None = None


def files_of(parts: Mapping[str, Part]) -> dict[str, services.Upload]:
    return {key: (part.name, part.chunks()) for key, part in parts.items()}


def refused_in_advance(
    request: SignedIn,
    round: Round,
    team: Team,
    guesses: Guesses,
    arrived_at: datetime,
    nonce: str,
) -> list[ValidationError]:
    """The targets whose attempts are used, found before anything is submitted; not those that were sent before."""
    return [
        error
        for target, error in _used_up(team, round, guesses, arrived_at).items()
        if not _sent_before(request, round, team, target, guesses, nonce)
    ]


def _sent_before(
    request: SignedIn, round: Round, team: Team, target: Release, guesses: Guesses, nonce: str
) -> bool:
    files = files_of(guesses[target])
    return services.sent_before(request.user, team, round, target, files, nonce) is not None


def _used_up(
    team: Team, round: Round, guesses: Iterable[Release], arrived_at: datetime
) -> dict[Release, ValidationError]:
    """The targets whose attempts are used, in total or for today."""
    left = selectors.tries_left_by_target(team, round)
    today = limits.left_today_by_target(team, round, arrived_at)
    over = _("%(team)s: all %(n)s attempts against this target are used")
    later = f"%(team)s: {used_today(round, arrived_at)}"
    errors = {}
    in_all = limits.left_in_all(team, round)
    too_many = _("%(team)s: only %(left)s of %(n)s attempts in the whole round are left")
    for n_before, target in enumerate(guesses):
        if in_all is not None and n_before >= in_all:
            shown = {"team": target.team.name, "left": in_all, "n": round.spec.tries_in_all}
            errors[target] = ValidationError(too_many, "tries.none_in_all", shown)
            continue
        shown = {"team": target.team.name, "n": round.tries}
        if not left.get(target.pk):
            errors[target] = ValidationError(over, "tries.none_left", shown)
        elif today is not None and not today.get(target.pk):
            errors[target] = ValidationError(later, "tries.none_today", shown)
    return errors


def submit_each(
    request: SignedIn,
    round: Round,
    team: Team,
    guesses: Guesses,
    arrived_at: datetime,
    nonce: str,
    said: Mapping[str, Any],
) -> Outcome:
    """Submit the guesses in order, until one is not taken.

    There is no transaction around them: the files are written in between, and others write too.
    """
    outcome = Outcome()
    for target, files in guesses.items():
        try:
            outcome.taken[target] = services.submit(
                user=request.user,
                team=team,
                round=round,
                files=files_of(files),
                arrived_at=arrived_at,
                target=target,
                **said,
                nonce=nonce,
            )
        except SubmissionRefused as refusal:
            outcome.failed, outcome.refusal = target, refusal
            break
        except Exception as error:
            status = unavailable.status_of(request, error) if outcome.taken else None
            if status is None:
                raise
            outcome.failed, outcome.status = target, status
            break
    return outcome
