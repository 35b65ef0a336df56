# SPDX-License-Identifier: Apache-2.0
"""Who may submit is asked again under the team's lock: nobody gets two teams, however fast they are.

Runs on SQLite here, and on PostgreSQL from `tests/distributed`.
"""

from __future__ import annotations

import threading

import pytest
from django.db import connection
from django.utils import timezone

from pwscup.accounts import services as accounts
from pwscup.accounts.models import Membership
from pwscup.core.texts.refusals import RefusedByCode
from pwscup.submissions import services
from pwscup.submissions.decisions import rulings
from pwscup.submissions.jobs import withdraw
from pwscup.submissions.models import Choice, Submission
from pwscup.submissions.services import SubmissionRefused
from tests import factories
from tests.web.pipeline import hand_in, scored

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("sent")]
N_RACES = 6


def meanwhile(action, data):
    """The bytes of a file that something else happens during."""
    yield data[:10]
    action()
    yield data[10:]


def submit_while(cast, round, action):
    files = {
        "anonymized": ("y.csv", meanwhile(action, factories.NOISY)),
        "rows": ("rows.csv", factories.ROWS),
    }
    return services.submit(
        user=cast.carol, team=cast.blue, round=round, files=files, arrived_at=timezone.now()
    )


def leave_for_another_team(cast, user, team):
    accounts.leave_team(user=user, team=team)
    return accounts.create_team(user=user, contest=cast.contest, name="Second")


def test_whoever_leaves_while_the_file_is_written_submits_nothing(cast, round):
    with pytest.raises(SubmissionRefused) as refused:
        submit_while(cast, round, lambda: leave_for_another_team(cast, cast.carol, cast.blue))
    assert refused.value.code == "not_allowed"
    assert not Submission.objects.exists()


def test_a_team_disqualified_while_the_file_is_written_submits_nothing(cast, round):
    with pytest.raises(SubmissionRefused) as refused:
        submit_while(
            cast,
            round,
            lambda: rulings.disqualify(actor=cast.oscar, team=cast.blue, reason="shared a table"),
        )
    assert refused.value.code == "team.disqualified"
    assert not Submission.objects.exists()


def test_a_round_that_was_moved_while_the_file_is_written_takes_nothing(cast, round):
    def move():
        type(round).objects.filter(pk=round.pk).update(closes_at=timezone.now())

    with pytest.raises(SubmissionRefused) as refused:
        services.submit(
            user=cast.carol,
            team=cast.blue,
            round=round,
            files={
                "anonymized": ("y.csv", meanwhile(move, factories.NOISY)),
                "rows": ("rows.csv", factories.ROWS),
            },
            arrived_at=round.closes_at - (round.closes_at - timezone.now()) / 2,
        )
    assert refused.value.code == "round.closed"
    assert not Submission.objects.exists()


@pytest.mark.parametrize("race", range(N_RACES))
def test_of_an_upload_and_a_new_team_at_once_one_is_refused(cast, round, race):
    team = accounts.create_team(user=cast.eve, contest=cast.contest, name="First")
    gate, outcomes = threading.Barrier(2), {}

    def run(name, action):
        try:
            gate.wait()
            outcomes[name] = action()
        except RefusedByCode as refusal:
            outcomes[name] = refusal.code
        finally:
            connection.close()

    actions = {
        "upload": lambda: hand_in(cast.eve, team, round),
        "team": lambda: leave_for_another_team(cast, cast.eve, team),
    }
    threads = [threading.Thread(target=run, args=pair) for pair in actions.items()]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    refused = {name: code for name, code in outcomes.items() if isinstance(code, str)}
    assert refused in ({"upload": "not_allowed"}, {"team": "has_played"}), outcomes
    teams = set(Membership.objects.filter(user=cast.eve).values_list("team", flat=True))
    uploaded = set(Submission.objects.filter(submitted_by=cast.eve).values_list("team", flat=True))
    assert len(teams | uploaded) == 1


@pytest.mark.parametrize(
    "change",
    [
        lambda user, submission: services.cancel(user=user, submission=submission),
        lambda user, submission: services.choose(user=user, submission=submission),
        lambda user, submission: services.annotate(user=user, submission=submission, note="n"),
    ],
    ids=["cancel", "choose", "annotate"],
)
@pytest.mark.parametrize("how", ["left", "disqualified"])
def test_what_belongs_to_a_team_is_changed_by_its_members_alone(
    cast, round, monkeypatch, change, how
):
    """Bob is out between the first look at the submission and the lock."""
    submission = hand_in(cast.alice, cast.red, round)
    if "choose" in str(change.__code__.co_names):
        scored(submission)
    before = Submission.objects.values("state", "note").get(pk=submission.pk)
    lock = services._lock

    def late(team):
        if how == "left":
            Membership.objects.filter(team=team, user=cast.bob).delete()
        else:
            rulings.disqualify(actor=cast.oscar, team=team, reason="shared a table")
        lock(team)

    monkeypatch.setattr(services, "_lock", late)
    with pytest.raises(SubmissionRefused) as refused:
        change(cast.bob, submission)
    expected = {"left": "not_allowed", "disqualified": "team.disqualified"}
    assert refused.value.code == expected[how]
    assert Submission.objects.values("state", "note").get(pk=submission.pk) == before
    assert not Choice.objects.exists()
    assert withdraw(submission.pk) == (before["state"] == "waiting")
