# SPDX-License-Identifier: Apache-2.0
"""Publishing: when, what, in which order, and once."""

from __future__ import annotations

import json
import threading
from datetime import timedelta

import pytest
from django.conf import settings
from django.db import connection
from django.http import Http404
from django.utils import timezone

from pwscup.core.files import storage
from pwscup.core.models import Event, StoredFile
from pwscup.submissions import releases, selectors, services, sweeper
from pwscup.submissions.models import Release, Submission
from pwscup.submissions.results import counting
from pwscup.submissions.states import State
from tests import factories
from tests.web import pipeline
from tests.web.pipeline import hand_in, open_attack, scored

pytestmark = pytest.mark.usefixtures("sent")


@pytest.fixture
def handed_in(cast, round):
    """A scored table of either team."""
    return {
        team.name: scored(hand_in(user, team, round))
        for user, team in ((cast.alice, cast.red), (cast.carol, cast.blue))
    }


def lines_of(release) -> list[str]:
    return storage.read(release.table).decode("utf-8-sig").splitlines()


def key_of(release) -> dict:
    return json.loads((settings.PRIVATE_ROOT / release.key.path).read_bytes())


def test_a_release_is_the_counted_table_in_another_order_with_its_key_sealed(cast, handed_in):
    services.annotate(user=cast.alice, submission=handed_in["Red"], note="mine")
    targets = pipeline.publish(cast.contest)

    assert set(targets) == {"Red", "Blue"}
    release = targets["Red"]
    header, *records = factories.NOISY.decode().splitlines()
    assert lines_of(release)[0] == header
    assert sorted(lines_of(release)[1:]) == sorted(records)
    assert (release.table.name, release.n_records) == ("red.csv", 4)
    assert (release.table.area, release.key.area) == ("published", "sealed")
    assert [records[i] for i in key_of(release)["source"]] == lines_of(release)[1:]
    event = Event.objects.get(kind="release.published", data__team="red")
    assert "source" not in event.data
    assert "seed" not in event.data


def test_orders_are_fresh_for_every_team(cast, handed_in):
    seeds = {key_of(release)["seed"] for release in pipeline.publish(cast.contest).values()}
    assert len(seeds) == 2


def test_the_order_is_not_that_of_the_file(cast, round):
    many = b"".join(b"2,1,1,%d,%d\n" % (i, i) for i in range(200))
    header, _, _ = factories.ORIGINAL.partition(b"\n")
    original = header + b"\n" + many
    contest = factories.make_contest("large", original=original)
    team = factories.make_team(contest, "Red", cast.alice)
    rows = b"".join(b"%d\n" % i for i in range(1, 201))
    first = contest.rounds.get(key="anonymization")
    scored(hand_in(cast.alice, team, first, anonymized=original, rows=rows))
    release = pipeline.publish(contest)["Red"]
    kept = sum(i == source for i, source in enumerate(key_of(release)["source"]))
    assert kept < 20
    assert sorted(key_of(release)["source"]) == list(range(200))


def test_what_the_team_chose_is_what_is_published(cast, round, handed_in):
    scored(hand_in(cast.alice, cast.red, round, anonymized=factories.AVERAGED))
    services.choose(user=cast.bob, submission=handed_in["Red"])
    release = pipeline.publish(cast.contest)["Red"]
    assert release.submission == handed_in["Red"]
    assert "110" in "".join(lines_of(release))


def test_teams_without_a_scored_table_have_no_release(cast, round):
    scored(hand_in(cast.alice, cast.red, round))
    scored(hand_in(cast.carol, cast.blue, round, rows=b"1\n"))
    assert set(pipeline.publish(cast.contest)) == {"Red"}


@pytest.mark.parametrize("phase", ["before", "anonymization", "between"])
def test_nothing_is_published_before_the_attack_opens(cast, phase, round):
    scored(hand_in(cast.alice, cast.red, round))
    shifts = {"before": (1, 2, 3, 4), "anonymization": (-1, 1, 2, 3), "between": (-3, -2, 1, 2)}
    now, days = timezone.now(), shifts[phase]
    at = [now + timedelta(days=day) for day in days]
    attack = cast.contest.rounds.get(key="attack")
    pipeline.move(round, at[0], at[1])
    pipeline.move(attack, at[2], at[3])
    assert releases.publish(attack) == []
    assert releases.publish_due() == 0


def test_an_attack_that_opens_early_waits_for_the_tables_to_be_final(cast, round, handed_in):
    attack = open_attack(cast.contest)
    now = timezone.now()
    pipeline.move(round, now - timedelta(hours=2), now + timedelta(minutes=10))
    assert releases.publish(attack) == []
    assert len(releases.publish(attack, now + timedelta(minutes=10))) == 2


def test_uploads_on_their_way_are_given_a_moment(cast, round, handed_in, settings):
    settings.UPLOAD_GRACE_SECONDS = 10
    attack = open_attack(cast.contest)
    now = timezone.now()
    pipeline.move(round, now - timedelta(hours=2), now - timedelta(seconds=5))
    assert releases.publish(attack, now) == []
    assert len(releases.publish(attack, now + timedelta(seconds=5))) == 2


@pytest.mark.parametrize("state", ["waiting", "running"])
def test_publishing_waits_for_what_arrived_in_time(cast, round, handed_in, state):
    last = hand_in(cast.alice, cast.red, round, anonymized=factories.AVERAGED)
    Submission.objects.filter(pk=last.pk).update(state=state)
    attack = open_attack(cast.contest)
    assert releases.publish(attack) == []
    Submission.objects.filter(pk=last.pk).update(state=State.WAITING)
    scored(last)
    targets = {r.team.name: r for r in releases.publish(attack)}
    assert targets["Red"].submission == last


def test_publishing_twice_changes_nothing(cast, handed_in):
    first = pipeline.publish(cast.contest)
    files = StoredFile.objects.count()
    assert releases.publish(open_attack(cast.contest)) == []
    sweeper.sweep()
    assert Release.objects.count() == len(first) == 2
    assert StoredFile.objects.count() == files


def test_drafts_are_not_published(cast, handed_in):
    open_attack(cast.contest)
    cast.contest.is_published = False
    cast.contest.save()
    assert releases.publish_due() == 0


def test_the_sweeper_publishes_what_is_due(cast, handed_in):
    open_attack(cast.contest)
    sweeper.sweep()
    assert Release.objects.count() == 2


@pytest.mark.django_db(transaction=True)
def test_two_workers_at_once_publish_once_and_leave_no_bytes(cast, handed_in):
    attack = open_attack(cast.contest)
    barrier, published = threading.Barrier(2), []

    def work():
        try:
            barrier.wait()
            published.append(len(releases.publish(attack)))
        finally:
            connection.close()

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(published) == [0, 2]
    assert Release.objects.count() == 2
    on_disk = {
        str(path.relative_to(settings.PRIVATE_ROOT))
        for path in settings.PRIVATE_ROOT.rglob("*")
        if path.is_file()
    }
    assert on_disk == set(StoredFile.objects.values_list("path", flat=True))


def test_a_publication_that_fails_leaves_nothing(cast, handed_in, monkeypatch):
    def fail(*_, **__):
        raise RuntimeError

    attack = open_attack(cast.contest)
    before = {path for path in settings.PRIVATE_ROOT.rglob("*") if path.is_file()}
    monkeypatch.setattr(releases.audit_log, "record", fail)
    with pytest.raises(RuntimeError):
        releases.publish(attack)
    after = {path for path in settings.PRIVATE_ROOT.rglob("*") if path.is_file()}
    assert after == before
    assert not Release.objects.exists()


# Who may have it


def test_who_may_download_a_release(cast, handed_in):
    release = pipeline.publish(cast.contest)["Blue"]
    now = timezone.now()

    def may(user, now=now):
        try:
            return selectors.get_visible_release(user, release.public_id, now) == release
        except Http404:
            return False

    assert all(may(user) for user in (cast.alice, cast.bob, cast.carol, cast.oscar))
    assert not may(cast.eve)
    early = release.round.opens_at - timedelta(seconds=1)
    assert not may(cast.alice, early)
    assert may(cast.oscar, early)


# Reading costs the same for many teams


def grow(cast, n_teams: int) -> None:
    """A contest of `n_teams` teams, each with tables, a choice, and guesses about everyone else."""
    first, attack = cast.contest.rounds.all()
    now = timezone.now()
    file = StoredFile.objects.first()
    common = {"state": State.SCORED, "arrived_at": now}
    scored = {"fence": 1, "input_hashes": {}, "seconds": 0, "seed": "", "scoring_version": "1"}
    for number in range(n_teams):
        team = factories.make_team(cast.contest, f"Team {number}")
        for k in (1, 2):
            submission = Submission.objects.create(team=team, round=first, number=k, **common)
            submission.evaluations.create(values={"U1": k}, **scored)
        submission.choices.create(team=team, round=first)
        Release.objects.create(
            round=attack, team=team, submission=submission, table=file, key=file, n_records=4
        )
    for release in list(attack.releases.all()):
        for team in cast.contest.teams.exclude(pk=release.team_id):
            guess = Submission.objects.create(
                team=team, round=attack, number=release.pk, target=release, **common
            )
            guess.evaluations.create(values={"rate": 0.5}, **scored)


@pytest.mark.parametrize("n_teams", [3, 12])
def test_what_counts_takes_a_constant_number_of_queries(cast, n_teams, django_assert_num_queries):
    grow(cast, n_teams)
    first, attack = cast.contest.rounds.select_related("contest")
    with django_assert_num_queries(4):
        counted = selectors.counted_submissions(first)
        values = [selectors.latest_evaluation(s).values for s in counted.values()]
    assert values == [{"U1": 2}] * n_teams
    for n_queries in (4, 3):  # the second time the guesses are known
        with django_assert_num_queries(n_queries):
            rates = counting.counted_rates(attack)
    assert len(rates) == (n_teams + 2) * n_teams - n_teams
    with django_assert_num_queries(1):
        assert len([(r.team.name, r.table.name) for r in selectors.releases(attack)]) == n_teams


def test_the_last_scored_guess_counts(cast, handed_in):
    target = pipeline.publish(cast.contest)["Blue"]
    first, second, third = (
        pipeline.guess(cast.alice, cast.red, target, rows)
        for rows in (b"1\n2\n3\n4\n", b"4\n3\n2\n1\n", b"not a number\n")
    )
    for rate, submission in ((0.25, first), (0.75, second), (None, third)):
        scored(submission)
        submission.evaluations.filter(values__isnull=False).update(values={"rate": rate})
    assert counting.counted_rates(target.round) == {(cast.red.pk, cast.blue.pk): 0.75}
