# SPDX-License-Identifier: Apache-2.0
"""Trials as jobs: the format's methods on the team's own table, or its attackers on a target."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import transaction

from pwscup.contests.materials import content_of
from pwscup.contests.rules.measures import visible_measures
from pwscup.contests.selectors import dataset_of
from pwscup.core import jobs
from pwscup.core.files import storage
from pwscup.core.jobs import Claim, job
from pwscup.formats.trying import Attempt, Step
from pwscup.submissions import draws
from pwscup.submissions.models import TOO_SLOW
from pwscup.trials.models import Trial, TrialFile
from scoring.errors import Problem, ProblemsFound

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pwscup.accounts.models import User
    from pwscup.contests.models import Contest, Dataset
    from pwscup.core.models import StoredFile
    from pwscup.formats.playing import Files

logger = logging.getLogger(__name__)


def give_up(claim: Claim, reference: str, is_busy: bool) -> bool:
    """End a trial that exceeded its time limit: the method is too slow on this table, or the machine was busy."""
    if not is_busy:
        return jobs.fail(claim, reference)
    problem = Problem(TOO_SLOW, {"expected": round(settings.TRIAL_TIME_LIMIT), "n": 1})
    return jobs.finish(claim, Trial.State.REFUSED, problems=[problem.to_dict()])


@job(Trial, queue="trials", limit="TRIAL_TIME_LIMIT", overdue=give_up)
def run(claim: Claim) -> bool:
    """Carry out the trial and keep its files."""
    trial = Trial.objects.select_related(
        "team", "round__contest", "requested_by", "target__team", "target__table"
    ).get(pk=claim.pk)
    trying = trial.round.format.trying
    if trying is None:
        raise LookupError(f"nothing to try in round {trial.round_id}")
    try:
        found = trying.run(attempt_of(trial))
    except ProblemsFound as refused:
        problems = [problem.to_dict() for problem in refused.problems]
        return jobs.finish(claim, Trial.State.REFUSED, problems=problems)
    return _keep(claim, found.files, values=dict(found.values), facts=dict(found.facts))


def attempt_of(trial: Trial) -> Attempt:
    """The trial for formats, with the table of the team, or of all teams."""
    contest, user = trial.round.contest, trial.requested_by
    return Attempt(
        team=trial.team,
        round=trial.round,
        steps=[Step(step["method"], step["values"], int(step["seed"])) for step in trial.steps],
        measures=[] if user is None else _measures(contest, user),
        table=_table_of(trial) if trial.target is None else None,
        target=trial.target,
        hierarchies=content_of(contest),
    )


def _measures(contest: Contest, user: User) -> list[str]:
    """The measures that the team may see; programs score submissions only."""
    computed = contest.ruleset.computed
    return [id_ for id_ in visible_measures(contest, user) if id_ in computed]


def _table_of(trial: Trial) -> Dataset | None:
    if trial.round.contest.format.own_tables:
        return draws.ensure_drawn(trial.team, number=trial.original)
    return dataset_of(trial.round.contest)


def _keep(claim: Claim, files: Files, **result: Mapping[str, object]) -> bool:
    """Store the files, then the result, if the claim is still valid."""
    written = {
        key: storage.write(data, area=storage.Area.SEALED, name=name)
        for key, (name, data) in files.items()
    }
    kept = False
    try:
        with transaction.atomic():
            kept = jobs.finish(
                claim, Trial.State.DONE, lambda claim: _attach(claim, written), **result
            )
    finally:
        if not kept:
            for file in written.values():
                storage.discard(file)
    return kept


def _attach(claim: Claim, written: Mapping[str, StoredFile]) -> None:
    for key, file in written.items():
        file.save()
        TrialFile.objects.create(trial_id=claim.pk, key=key, file=file)
