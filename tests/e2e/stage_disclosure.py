# SPDX-License-Identifier: Apache-2.0
"""What a person has done about hidden tables, for the tests of looks: asked, estimated, experimented."""

from __future__ import annotations

from datetime import timedelta
from urllib.parse import urlencode

from django.urls import reverse

from pwscup.accounts.models import Team, User
from pwscup.demo import create
from pwscup.disclosure.services import ask
from pwscup.experiments.models import Experiment
from pwscup.formats.hidden.disclosed import spec_of, target_attributes
from pwscup.submissions import services
from pwscup.submissions.models import Submission
from scoring.formats.disclosure.estimates import template
from tests.services import wait_until
from tests.web.experiments import requested

EXPERIMENT_SECONDS = 240
AGES = ["30-39", "40-49", "50-59"]


def ask_and_estimate(player: User) -> list[Submission]:
    """Two answers in the open round; an estimate that is scored, and one with problems."""
    team = Team.objects.get(contest__slug=create.HIDDEN, captain=player)
    round = team.contest.rounds.get(kind="interactive")
    target = list(spec_of(team.contest).target)
    for query in ({"columns": target}, {"columns": ["sex"], "where": {"age_class": AGES}}):
        ask(user=player, team=team, round=round, query=query, epsilon="0.5")
    zeros = template(target_attributes(team.contest))
    return [
        services.submit(
            user=player,
            team=team,
            round=round,
            files={"estimate": ("estimate.csv", content)},
            target=None,
            note="",
            arrived_at=round.opens_at + timedelta(hours=1),
        )
        for content in (zeros, zeros.replace(b",0", b",-1"))
    ]


def compare(first: Experiment) -> str:
    """A second experiment beside the first one; the address at which they are compared."""
    wait_until(lambda: is_done(first), "the first experiment is done", EXPERIMENT_SECONDS)
    second = requested(first.owner)
    wait_until(lambda: is_done(second), "the second experiment is done", EXPERIMENT_SECONDS)
    both = [("with", first.public_id), ("with", second.public_id)]
    return f"{reverse('experiments-compare')}?{urlencode(both)}"


def is_done(experiment: Experiment) -> bool:
    experiment.refresh_from_db()
    assert experiment.state != Experiment.State.FAILED, experiment.reference
    return experiment.state == Experiment.State.DONE
