# SPDX-License-Identifier: Apache-2.0
"""Where each team has its own table: nothing of it, of its decoys or of the organizer's table is anybody else's."""

from __future__ import annotations

import json
import logging
from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.conf import settings
from django.core import serializers
from django.urls import reverse
from django.utils import timezone

from pwscup.audits import services as audit_services
from pwscup.audits.models import Audit
from pwscup.contests.models import Contest
from pwscup.contests.teams.tables import table_of
from pwscup.core import jobs
from pwscup.core.files import storage
from pwscup.core.models import Event, StoredFile
from pwscup.debriefings import services as debriefings
from pwscup.debriefings.models import Debriefing
from pwscup.submissions import draws, evaluation
from pwscup.submissions.models import Evaluation, Release, Submission
from pwscup.trials import services as trials
from pwscup.trials.models import Trial
from tests import factories
from tests.every import some
from tests.web import crawler, lecture, pipeline
from tests.web.api import read_all
from tests.web.pipeline import scored
from tests.web.test_truth import leaks, parameters_of, runs

pytestmark = pytest.mark.usefixtures("sent")


def town(record: list[str]) -> bytes:
    """A value that no other record has."""
    return record[2].encode()


@pytest.fixture
def world(cast, caplog) -> SimpleNamespace:
    """Both teams have handed in what is taken and what is not; jane judges."""
    caplog.set_level(logging.DEBUG)
    evaluation._originals.clear()
    cup = lecture.contest_of(cast)
    cup.contest.has_trials = True
    cup.contest.save()
    factories.commit(cup.contest)
    jane = factories.make_user("jane")
    cup.contest.judges.add(jane)
    for user, team in ((cast.alice, cup.red), (cast.carol, cup.blue)):
        draws.ensure_drawn(team)
        scored(lecture.hand_in(user, team, lecture.own_table(team)))
        lines = lecture.own_table(team).splitlines()
        for wrong in (b"\n".join([*lines[:-1], b"1,town-x,5"]), b"\n".join(lines[:5])):
            assert scored(lecture.hand_in(user, team, wrong)).state == "rejected"
        tried(user, team, "levels", {"quasi_identifiers": 1, "sensitive": 1})
    whole = lecture.records_of(factories.lecture_table())[1:]
    viewers = {"alice": cast.alice, "carol": cast.carol, "eve": cast.eve, "jane": jane}
    return SimpleNamespace(
        **vars(cup),
        whole=whole,
        cast=cast,
        viewers=viewers | {"anonymous": None},
        teams={"alice": cup.red, "carol": cup.blue},
        rows={team.slug: lecture.drawn(team) for team in (cup.red, cup.blue)},
    )


def tried(user, team, key: str, values: dict[str, float]) -> None:
    """A trial of the team, and the work of a worker on it."""
    round = pipeline.round_of(team.contest, "anonymization")
    method = next(m for m in round.format.trying.methods(round) if m.key == key)
    chosen = {"method": method, "values": values, "arrived_at": timezone.now()}
    trial = trials.request_trial(user=user, team=team, round=round, **chosen)
    assert jobs.work_on(Trial, trial.pk)
    trial.refresh_from_db()
    assert trial.state == "done"


def attacked(world) -> None:
    """Publish the tables and guess about each."""
    targets = lecture.publish(world.contest)
    pairs = ((world.cast.alice, world.red, "Blue"), (world.cast.carol, world.blue, "Red"))
    for user, team, name in pairs:
        guess = lecture.guess_file(list(reversed(lecture.key_of(targets[name]))))
        assert scored(pipeline.guess(user, team, targets[name], guess)).state == "scored"
        assert scored(pipeline.guess(user, team, targets[name], b"x\n")).state == "rejected"


def known_to(world, viewer: str, *, published: bool) -> set[int]:
    """The rows of the organizer's table that a viewer may see: its own, and what attackers get."""
    team = world.teams.get(viewer)
    if team is None:
        return set()
    others = [rows["candidates"] for rows in world.rows.values()] if published else []
    return set(world.rows[team.slug]["own"]).union(*others)


def hidden_from(world, viewer: str, *, published: bool) -> dict[str, list[bytes]]:
    known = known_to(world, viewer, published=published)
    draws_of_all = [rows for drawn in world.rows.values() for rows in drawn.values()]
    keys = [lecture.key_of(release) for release in Release.objects.all()]
    sealed = StoredFile.objects.filter(area="sealed").values_list("path", flat=True)
    return {
        "identifiers": [record[0].encode() for record in world.whole],
        "values": [town(record) for row, record in enumerate(world.whole) if row not in known],
        "draws": [run for rows in draws_of_all for run in runs(rows)],
        "keys": [run for key in keys for run in runs(key)],
        "sealed paths": [path.encode() for path in sealed],
    }


def test_the_canary_sings(world):
    attacked(world)
    hidden = hidden_from(world, "anonymous", published=True)
    sealed = StoredFile.objects.filter(area="sealed")
    everything = b"\n".join((settings.PRIVATE_ROOT / file.path).read_bytes() for file in sealed)
    assert leaks(everything, hidden) == set(hidden) - {"sealed paths"}
    own = lecture.own_table(world.red)
    assert leaks(own, hidden_from(world, "carol", published=False)) == {"values"}
    assert leaks(own, hidden_from(world, "alice", published=False)) == set()


@pytest.mark.parametrize(
    ("viewer", "published"),
    # Now: who is attacked and attacks. That who is in no team sees less than a team, test_permissions
    # shows for every address, and the crawl of test_truth for the words.
    some(
        1,
        [
            ("alice", True),
            ("carol", False),
            ("jane", True),
            ("eve", True),
            ("alice", False),
            ("carol", True),
            ("eve", False),
            ("jane", False),
            ("anonymous", False),
            ("anonymous", True),
        ],
    ),
)
def test_nothing_hidden_is_on_any_page(world, as_user, viewer, published, caplog):
    if published:
        attacked(world)
    hidden = hidden_from(world, viewer, published=published)
    own = world.teams.get(viewer)
    start = crawler.addresses(parameters_of(world.contest, world.cast.bob, own))
    seen = list(crawler.crawl(as_user(world.viewers[viewer]), start))
    assert {address: found for address, _, text in seen if (found := leaks(text, hidden))} == {}
    assert [address for address, status, _ in seen if status >= 500] == []
    table = f"/c/lecture/data/team/{(own or world.red).slug}/original.csv"
    status = next(status for address, status, _ in seen if address == table)
    assert (status == 200) == (viewer in world.teams)
    everything = hidden_from(world, "anonymous", published=True)
    assert leaks(caplog.text.encode(), everything) == set()


@pytest.mark.long
@pytest.mark.parametrize("viewer", some(1, ["carol", "jane", "alice", "eve"]))
@pytest.mark.parametrize("published", some(1, [True, False]))
def test_nothing_hidden_is_in_an_answer_of_the_api(world, viewer, published, settings):
    settings.API_REQUESTS_PER_MINUTE = 10_000
    if published:
        attacked(world)
    hidden = hidden_from(world, viewer, published=published)
    parameters = parameters_of(world.contest, world.cast.bob, world.teams.get(viewer))
    told = read_all(world.viewers[viewer], parameters)
    found = {address: leaks(text, hidden) for address, (_, text) in told.items()}
    assert {address: what for address, what in found.items() if what} == {}
    assert [address for address, (status, _) in told.items() if status >= 500] == []
    status, _text = told["/contests/lecture/files/original.csv"]
    assert (status == 200) == (viewer in world.teams)


def test_rows_that_pages_show_hold_nothing_hidden(world):
    attacked(world)
    hidden = hidden_from(world, "anonymous", published=True)
    rows = [*Event.objects.all(), *Submission.objects.all()]
    assert leaks(serializers.serialize("json", rows).encode(), hidden) == set()
    results = list(Evaluation.objects.values_list("values", "input_hashes", "seed"))
    assert leaks(json.dumps(results).encode(), hidden) == set()


def test_candidates_do_not_say_which_are_decoys(world):
    """Neither by their form nor by their order, and the tables hold no record twice."""
    attacked(world)
    for release in Release.objects.all():
        lines = storage.read(release.candidates).decode().splitlines()[1:]
        rows = world.rows[release.team.slug]
        table = [",".join(world.whole[row][1:]) for row in rows["candidates"]]
        assert lines == table
        is_own = [row in rows["own"] for row in rows["candidates"]]
        assert is_own != sorted(is_own)
        assert is_own != sorted(is_own, reverse=True)


@pytest.mark.usefixtures("announced")
def test_a_debriefing_holds_nothing_of_others(world, as_user):
    attacked(world)
    now = timezone.now()
    for round in world.contest.rounds.all():
        opens_at = min(round.opens_at, now - timedelta(hours=9))
        pipeline.move(round, opens_at, now - timedelta(hours=1))
    contest = Contest.objects.get(pk=world.contest.pk)
    jobs.work_on(Debriefing, debriefings.ensure(contest, now).pk)
    found = Debriefing.objects.get()
    assert found.state == "done"
    attack = pipeline.round_of(contest, "attack").pk
    examples = {(team.pk, attack): team == world.red for team in (world.red, world.blue)}
    debriefings.choose_examples(actor=world.cast.oscar, contest=contest, examples=examples)
    stored = json.dumps(list(found.parts.values_list("values", flat=True))).encode()
    assert leaks(stored, hidden_from(world, "anonymous", published=True)) == set()
    for viewer, user in world.viewers.items():
        text = as_user(user).get("/c/lecture/debriefing/").content
        assert b"Red \xc2\xb7" in text
        assert (b"Found records" in text) <= (viewer in world.teams)
        assert leaks(text, hidden_from(world, viewer, published=True)) == set()


def test_only_its_team_and_the_organizers_get_a_table(world, as_user):
    for name in ("original.csv", "sample-anonymized.csv"):
        where = f"/c/lecture/data/team/red/{name}"
        people = (None, world.cast.eve, world.cast.alice, world.cast.bob, world.cast.carol)
        assert [as_user(p).get(where).status_code for p in people] == [404, 404, 200, 200, 404]
        answer = as_user(world.cast.oscar).get(where)
        assert answer.status_code == 200
        assert answer["Cache-Control"] == "private, no-store"
    alice = as_user(world.cast.alice)
    assert alice.get("/c/lecture/data/original.csv").status_code == 404
    assert alice.get("/c/lecture/data/sample/anonymized.csv").status_code == 404
    assert alice.get("/c/lecture/data/schema.toml").status_code == 200
    assert alice.get("/c/lecture/data/team/red/draw.csv").status_code == 404


def test_the_overview_offers_the_own_table_alone(world, as_user):
    text = as_user(world.cast.alice).get("/c/lecture/").text
    assert "lecture-teamred_original.csv" in text
    assert "teamblue" not in text
    assert "lecture-original.csv" not in text
    assert "10 records" in text
    oscar = as_user(world.cast.oscar).get("/c/lecture/").text
    assert "lecture-original.csv" in oscar
    eve = as_user(world.cast.eve).get("/c/lecture/").text
    assert "Every team gets its own table of 10 records" in eve


def test_the_table_is_drawn_when_a_member_downloads_it_or_opens_the_round(cast, as_user):
    cup = lecture.contest_of(cast)
    assert "/c/lecture/data/team/blue/original.csv" in as_user(cast.carol).get("/c/lecture/").text
    assert table_of(cup.blue) is None
    text = as_user(cast.alice).get(f"/c/lecture/round/{cup.contest.rounds.first().key}/").text
    assert "lecture-teamred_original.csv" in text
    assert lecture.drawn(cup.red)
    assert as_user(cast.carol).get("/c/lecture/data/team/blue/original.csv").status_code == 200


def test_the_sample_is_the_teams_own_and_is_accepted(world, as_user):
    sample = as_user(world.cast.alice).get("/c/lecture/data/team/red/sample-anonymized.csv").content
    submission = scored(lecture.hand_in(world.cast.alice, world.red, sample))
    assert submission.state == "scored"
    loss = submission.evaluations.get().values["LOSS"]
    assert 0 < loss < 1
    assert leaks(sample, hidden_from(world, "alice", published=False)) == set()


def test_an_audit_of_an_own_table_tells_nothing_of_its_decoys(world, as_user):
    submission = Submission.objects.get(team=world.red, state="scored")
    audit = audit_services.request_audit(user=world.cast.alice, submission=submission)
    jobs.work_on(Audit, audit.pk)
    audit.refresh_from_db()
    assert audit.state == "done", audit.reference
    hidden = hidden_from(world, "alice", published=False)
    alice = as_user(world.cast.alice)
    page, report = (
        alice.get(reverse(name, args=[submission.public_id])) for name in ("audit", "audit-report")
    )
    assert (page.status_code, report.status_code) == (200, 200)
    assert leaks(page.content + report.content, hidden) == set()
    assert "disclosures" in audit.values
    assert audit.values["disclosures"]
