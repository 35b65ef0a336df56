# SPDX-License-Identifier: Apache-2.0
"""Playing a copy: round by round, with the same services and scoring as for teams."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
from django.db.models import Q
from django.utils import timezone

from pwscup.bots.cast import BY_NAME
from pwscup.bots.playing import rounds
from pwscup.core import jobs
from pwscup.core.db import revisions
from pwscup.submissions import releases
from pwscup.submissions.models import JudgeMark, Submission
from pwscup.submissions.states import FINAL, State

if TYPE_CHECKING:
    from pwscup.contests.models import Contest, Round

Line = dict[str, Any]
PATIENCE = timedelta(minutes=10)


class StuckError(RuntimeError):
    """A submission of a bot did not become final in time."""


def play_through(copy: Contest, tell: Callable[[str], object]) -> list[Line]:
    """Play every round; `tell` is called with the key of each before it begins. Return a line for each."""
    lines = []
    for round in copy.rounds.select_related("contest").order_by("position"):
        tell(round.key)
        started = time.perf_counter()
        if round.format.has_targets:
            releases.publish(round)
        rounds.play_round(copy, round)
        if round.format.is_judged:
            _mark(round)
        _score(round)
        lines.append(_line(round, time.perf_counter() - started))
    return lines


def _score(round: Round) -> None:
    """Score the submissions here, unless another worker is faster."""
    until = timezone.now() + PATIENCE
    while open_ones := list(Submission.objects.filter(round=round).exclude(state__in=FINAL)):
        for submission in open_ones:
            jobs.work_on(Submission, submission.pk)
        if timezone.now() > until:
            raise StuckError(f"{len(open_ones)} submissions of round {round.pk}")
        if any(s.state == State.RUNNING for s in open_ones):
            time.sleep(0.2)


def _mark(round: Round) -> None:
    """A grade for each team by each criterion, so that the board has presentation scores."""
    rng = np.random.default_rng(round.pk)
    JudgeMark.objects.bulk_create(
        JudgeMark(round=round, team=team, criterion=criterion.key, points=Decimal(int(points)))
        for team in round.contest.teams.all()
        for criterion, points in zip(
            round.spec.criteria, rng.integers(50, 96, len(round.spec.criteria)), strict=True
        )
    )
    revisions.touch(round.contest_id)


def _line(round: Round, seconds: float) -> Line:
    """The summary of a round for organizers: honest submissions, scored or rejected with reasons, and the time."""
    made = Submission.objects.filter(round=round).select_related("team", "target__team")
    honest = Q(target=None) | Q(target__team__name__in=BY_NAME)
    handed_in = list(made.filter(honest, team__name__in=BY_NAME))
    states = [submission.state for submission in handed_in]
    return {
        "round": round.key,
        "n_files": len(handed_in),
        "n_scored": states.count(State.SCORED),
        "n_published": round.releases.filter(team__name__in=BY_NAME).count(),
        "seconds": round_to_tenths(seconds),
        "refused": [
            {
                "team": submission.team.name,
                "target": submission.target.team.name if submission.target else "",
                "state": submission.state,
                "reference": submission.reference,
                "problems": submission.problems[:3],
            }
            for submission in handed_in
            if submission.state in (State.REJECTED, State.FAILED)
        ],
    }


def round_to_tenths(seconds: float) -> float:
    return round(seconds, 1)
