# SPDX-License-Identifier: Apache-2.0
"""Requesting a trial, and submitting its files."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext_lazy as _

from pwscup.accounts.models import Team
from pwscup.core import jobs
from pwscup.core.files import storage
from pwscup.core.texts.refusals import RefusedByCode
from pwscup.submissions import services as submissions
from pwscup.trials import selectors
from pwscup.trials.models import Trial
from pwscup.trials.texts import methods_of, note_of

if TYPE_CHECKING:
    from pwscup.accounts.models import User
    from pwscup.contests.models import Round
    from pwscup.formats.trying import Method
    from pwscup.submissions.models import Release, Submission

KEPT = 20
MOST_STEPS = 5
SEED_BITS = 128
REFUSALS = {
    "off": _("The organizers have switched off trials in this contest."),
    "busy": _("Another trial of your team is not done yet. Wait for its result."),
    "too_many": _("%(expected)s trials per minute are possible. Wait a minute."),
    "too_long": _("A trial may continue at most %(expected)s others. Start from the original."),
    "base_other": _("The trial to continue was made from original %(expected)s: choose that one."),
    "base_gone": _("The trial to continue is no longer kept. Start from the original."),
    "no_target": _("No table of another team is published yet."),
    "not_done": _("Only a trial that is done can be submitted."),
}


class TrialRefused(RefusedByCode):
    """A refused trial."""

    TEXTS = REFUSALS


def request_trial(
    *,
    user: User,
    team: Team,
    round: Round,
    method: Method,
    values: Mapping[str, float],
    arrived_at: datetime,
    target: Release | None = None,
    base: int | None = None,
    original: int | None = None,
) -> Trial:
    """Let a worker try a method on the team's table, or an attack on a target.

    `base` is the number of an earlier trial whose table the method is applied to; `original` is that of one of the
    team's tables, if it has several.

    Raises
    ------
    TrialRefused, pwscup.submissions.services.SubmissionRefused
        With the first reason.
    """
    submissions.check_round(user, team, round, arrived_at)
    original = submissions.checked_original(team, round, original)
    with transaction.atomic():
        Team.objects.select_for_update(no_key=True).get(pk=team.pk)
        _check(team, round, arrived_at)
        if round.format.has_targets and target is None:
            raise TrialRefused("no_target")
        step = {"method": method.key, "values": dict(values), "seed": new_seed()}
        trials = selectors.trials_of(team, round)
        trial = Trial.objects.create(
            team=team,
            round=round,
            target=target,
            number=1 + (trials.values_list("number", flat=True).first() or 0),
            original=original,
            steps=[*_steps_before(team, round, base, original), step],
            requested_by=user,
            requested_at=arrived_at,
            sent_at=arrived_at,
        )
        _drop(list(trials[KEPT:]))
        transaction.on_commit(partial(jobs.announce, Trial, trial.pk))
    return trial


def new_seed() -> str:
    """A seed that nobody can guess, as text: JSON has no integers of 128 bits."""
    return str(secrets.randbits(SEED_BITS))


def _check(team: Team, round: Round, now: datetime) -> None:
    if not round.has_trials:
        raise TrialRefused("off")
    if Trial.objects.filter(team=team, state__in=Trial.UNFINISHED).exists():
        raise TrialRefused("busy")
    if selectors.n_within_a_minute(team, now) >= settings.TRIALS_PER_MINUTE:
        raise TrialRefused("too_many", expected=settings.TRIALS_PER_MINUTE)


def _steps_before(
    team: Team, round: Round, base: int | None, original: int | None
) -> list[dict[str, Any]]:
    """The steps of the trial to continue, which began with the same original."""
    trying = round.format.trying
    if base is None or trying is None or not trying.chains:
        return []
    trial = selectors.trials_of(team, round).filter(number=base, state=Trial.State.DONE).first()
    if trial is None:
        raise TrialRefused("base_gone")
    if trial.original != original:
        raise TrialRefused("base_other", expected=trial.original)
    if len(trial.steps) >= MOST_STEPS:
        raise TrialRefused("too_long", expected=MOST_STEPS - 1)
    return list(trial.steps)


def _drop(trials: list[Trial]) -> None:
    """Delete trials with their files; what was submitted of them is a file of its own."""
    files = [entry.file for trial in trials for entry in trial.files.select_related("file")]
    for trial in trials:
        trial.delete()
    storage.forget(files)


def submit_trial(*, user: User, trial: Trial, arrived_at: datetime) -> Submission:
    """Submit the files of a trial as the team's own: the same limits, and the same submission when sent twice.

    Raises
    ------
    TrialRefused, pwscup.submissions.services.SubmissionRefused
        With the first reason.
    """
    if trial.state != Trial.State.DONE:
        raise TrialRefused("not_done")
    files = {
        entry.key: (entry.file.name, file_of(trial, entry.key, user, "submitting"))
        for entry in trial.files.select_related("file")
    }
    submission = submissions.submit(
        user=user,
        team=trial.team,
        round=trial.round,
        files=files,
        target=trial.target,
        note=note_of(trial),
        arrived_at=arrived_at,
        nonce=trial.public_id.hex,
        original=trial.original,
    )
    Trial.objects.filter(pk=trial.pk).update(submission=submission)
    return submission


def try_next(*, user: User, trial: Trial, arrived_at: datetime) -> Trial | None:
    """The same attack on the next target that the team has submitted nothing about; None without one.

    Raises
    ------
    TrialRefused, pwscup.submissions.services.SubmissionRefused
        With the first reason.
    """
    target = selectors.next_target(trial.team, trial.round, arrived_at, but=trial.target)
    step = trial.steps[-1]
    method = methods_of(trial).get(step["method"])
    if target is None or method is None:
        return None
    return request_trial(
        user=user,
        team=trial.team,
        round=trial.round,
        method=method,
        values=step["values"],
        target=target,
        arrived_at=arrived_at,
    )


def file_of(trial: Trial, key: str, user: User, purpose: str) -> bytes:
    """The bytes of a file of the trial, for a member of its team; LookupError if there is none."""
    from pwscup.submissions import evaluation  # imports pandas, which no other page needs

    entry = trial.files.select_related("file").filter(key=key).first()
    if entry is None:
        raise LookupError(f"trial {trial.pk} has no file {key}")
    reason = f"{purpose} trial {trial.public_id}"
    contest_id = trial.round.contest_id
    return evaluation.file_of_trial(entry.file, reason=reason, contest_id=contest_id, actor=user)
