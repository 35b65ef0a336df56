# SPDX-License-Identifier: Apache-2.0
"""Bots play a whole contest on a copy: what organizers see of it, and that nobody else does."""

from __future__ import annotations

from hashlib import sha256

import pytest
from django.urls import reverse
from django.utils import timezone

from pwscup.bots import copies, services
from pwscup.bots.cast import BOTS, BY_NAME, CAST
from pwscup.bots.models import Rehearsal
from pwscup.contests.models import Contest
from pwscup.contests.selectors import dataset_of
from pwscup.contests.services.common import ContestRefused
from pwscup.core import jobs
from pwscup.core.files import storage
from pwscup.core.models import StoredFile
from pwscup.disclosure.models import Answer, BatchRelease
from pwscup.formats.common.bots import Anonymizer, anonymized_files
from pwscup.submissions import evaluation
from pwscup.submissions.models import Release, Submission
from pwscup.submissions.proof.reveals import purposes_of
from pwscup.submissions.states import State
from tests import factories
from tests.web.conftest import hear

pytestmark = pytest.mark.usefixtures("unsent")


def played(contest: Contest, actor) -> Rehearsal:
    rehearsal = services.request_dry_run(actor=actor, contest=contest)
    assert jobs.work_on(Rehearsal, rehearsal.pk)
    rehearsal.refresh_from_db()
    return rehearsal


@pytest.fixture(autouse=True)
def honest_only(request, monkeypatch):
    """The cast of cheaters plays where a test asks for it: it takes longer than all honest bots."""
    if "cheaters" not in request.fixturenames:
        monkeypatch.setattr(copies, "CHEATING", ())


@pytest.fixture
def cheaters():
    """The whole cast."""
    return CAST


@pytest.fixture
def lecture(cast) -> Contest:
    contest = factories.make_lecture_contest(organizer=cast.oscar)
    contest.is_published = False
    contest.save()
    return contest


def test_bots_and_cheaters_play_a_contest_of_one_table_through(cast, cheaters):
    rehearsal = played(cast.contest, cast.oscar)
    assert rehearsal.state == Rehearsal.State.DONE
    copy = rehearsal.played_on
    assert copy.rehearsal_of == cast.contest
    tables, guesses = rehearsal.report
    n = copies.N_BOTS
    assert (tables["n_files"], tables["n_scored"], tables["refused"]) == (n, n, [])
    assert (guesses["n_published"], guesses["n_files"]) == (n, n * (n - 1))
    assert guesses["n_scored"] == n * (n - 1)
    made = Submission.objects.filter(round__contest=copy, state=State.SCORED)
    played_by = set(made.values_list("team__name", flat=True)) - set(BY_NAME)
    assert played_by == {bot.name for bot in cheaters} - {
        "Cheater: verbatim",  # nobody has other records
        "Cheater: sheets-only",  # nor sheets
    }
    assert not Submission.objects.filter(round__contest=cast.contest).exists()
    assert not Release.objects.filter(round__contest=cast.contest).exists()


def test_no_bots_table_is_replayed_with_a_number_that_anybody_knows(cast):
    """It follows from the secret that the contest has committed to: every draw is on record."""
    copy = played(cast.contest, cast.oscar).played_on
    round = copy.rounds.get(key="anonymization")
    made = Submission.objects.filter(round=round).select_related("team")
    for submission in made:
        table, bot = dataset_of(copy), BY_NAME[submission.team.name]
        handed_in = submission.files.get(key="anonymized").file.sha256
        replayed = {
            seed: sha256(anonymized_files(table, bot, seed)["anonymized"][1]).hexdigest()
            for seed in (submission.team.pk, evaluation.bot_seed(submission.team, round))
        }
        known, secret = replayed.values()
        assert secret == handed_in
        if bot.name == "Noise":
            assert known != handed_in
    purposes = {f"bot/{r.key}/{s.team.slug}" for s in made for r in copy.rounds.all()}
    assert purposes <= set(purposes_of(copy))


def test_bots_estimate_a_hidden_table_and_leave_no_answer_behind(cast):
    contest = factories.make_dp_contest(organizer=cast.oscar, phase="before")
    rehearsal = played(contest, cast.oscar)
    assert rehearsal.state == Rehearsal.State.DONE
    n = copies.N_BOTS
    asked = sum(bot.estimates for bot in BOTS[:n])
    lines = [(line["n_files"], line["n_scored"], line["refused"]) for line in rehearsal.report]
    assert lines == [(n, n, []), (asked, asked, [])]
    spent = set(Answer.objects.values_list("round__contest", flat=True))
    assert spent == {rehearsal.played_on_id}
    assert not BatchRelease.objects.filter(round__contest=contest).exists()
    copies.discard(rehearsal.played_on)
    assert not Answer.objects.exists()
    assert not BatchRelease.objects.exists()


@pytest.mark.long
def test_bots_play_a_lecture_contest_through(cast, lecture, as_user):
    rehearsal = played(lecture, cast.oscar)
    assert rehearsal.state == Rehearsal.State.DONE
    kinds = {line["round"]: line for line in rehearsal.report}
    assert all(line["refused"] == [] for line in rehearsal.report)
    attack = next(r for r in rehearsal.played_on.rounds.all() if r.format.has_targets)
    assert kinds[attack.key]["n_scored"] == copies.N_BOTS * (copies.N_BOTS - 1)
    board = as_user(cast.oscar).get(reverse("board", args=[rehearsal.played_on.slug]))
    assert all(bot.name in board.content.decode() for bot in BOTS[: copies.N_BOTS])


def test_nobody_but_its_organizers_knows_of_the_copy(cast, as_user, oscar):
    copy = played(cast.contest, cast.oscar).played_on
    submission = Submission.objects.filter(round__contest=copy).first()
    release = Release.objects.filter(round__contest=copy).first()
    addresses = [
        reverse("contest", args=[copy.slug]),
        reverse("board", args=[copy.slug]),
        reverse("board-csv", args=[copy.slug]),
        reverse("submission", args=[submission.public_id]),
        reverse("release", args=[release.public_id]),
    ]
    for address in addresses:
        assert oscar.get(address).status_code == 200, address
        for stranger in (None, cast.alice, cast.eve):
            assert as_user(stranger).get(address).status_code == 404, address
    for page in (reverse("home"), reverse("organize")):
        assert copy.slug not in oscar.get(page).content.decode()


@pytest.mark.django_db(transaction=True)
def test_the_copy_is_removed_with_its_bytes_and_the_organizers_table_stays(monkeypatch):
    oscar = factories.make_user("oscar", is_organizer=True)
    contest = factories.make_contest(organizer=oscar)
    hear(monkeypatch, Submission)
    before = storage.paths_on_disk()
    rows = set(StoredFile.objects.values_list("pk", flat=True))
    played(contest, oscar)
    assert len(storage.paths_on_disk()) > len(before)
    services.discard_dry_run(actor=oscar, contest=contest)
    kept = {contest.secret.path} if Contest.objects.get(pk=contest.pk).secret else set()
    assert storage.paths_on_disk() - kept == before
    assert rows <= set(StoredFile.objects.values_list("pk", flat=True))
    assert not Contest.objects.filter(rehearsal_of=contest).exists()
    assert contest.dry_runs.get().state == Rehearsal.State.DONE
    with pytest.raises(ContestRefused, match="no dry run"):
        services.discard_dry_run(actor=oscar, contest=contest)


@pytest.mark.long
def test_another_dry_run_replaces_the_one_before(cast):
    first = played(cast.contest, cast.oscar).played_on
    second = played(cast.contest, cast.oscar).played_on
    assert list(Contest.objects.filter(rehearsal_of=cast.contest)) == [second]
    assert first.pk != second.pk


def test_one_at_a_time_and_not_without_a_table(cast, draft):
    services.request_dry_run(actor=cast.oscar, contest=cast.contest)
    with pytest.raises(ContestRefused, match="already"):
        services.request_dry_run(actor=cast.oscar, contest=cast.contest)
    with pytest.raises(ContestRefused, match="original data is missing"):
        services.request_dry_run(actor=cast.oscar, contest=draft)


def test_a_contest_itself_is_never_discarded(cast):
    with pytest.raises(ValueError, match="no copy"):
        copies.discard(cast.contest)


def test_a_worker_that_went_silent_leaves_nothing_behind(cast):
    rehearsal = services.request_dry_run(actor=cast.oscar, contest=cast.contest)
    lost = jobs.claim(Rehearsal, rehearsal.pk)
    copy = copies.copy_for_bots(cast.contest, actor=cast.oscar)
    jobs.note(lost, played_on=copy)
    Rehearsal.objects.filter(pk=rehearsal.pk).update(lease_until=timezone.now())
    jobs.sweep()
    assert jobs.work_on(Rehearsal, rehearsal.pk)
    rehearsal.refresh_from_db()
    assert list(Contest.objects.filter(rehearsal_of=cast.contest)) == [rehearsal.played_on]
    assert not jobs.finish(lost, Rehearsal.State.DONE, report=[], seconds=0)


def test_what_is_refused_is_told_with_its_reason(cast, monkeypatch, oscar):
    files = Anonymizer.files

    def broken(player, turn):
        made = files(player, turn)
        wrong = made | {"rows": ("rows.csv", b"row\n1\n1\n1\n1\n")}
        return wrong if turn.bot.name == "Swap" else made

    monkeypatch.setattr(Anonymizer, "files", broken)
    rehearsal = played(cast.contest, cast.oscar)
    assert [one["state"] for one in rehearsal.report[0]["refused"]] == [State.REJECTED]
    page = oscar.get(reverse("organize-dry-run", args=["cup"])).content.decode()
    assert "Swap" in page
    assert "row" in page


def test_the_page_asks_for_a_dry_run_and_shows_how_far_it_is(cast, oscar):
    address = reverse("organize-dry-run", args=["cup"])
    assert oscar.post(address).status_code == 302
    rehearsal = cast.contest.dry_runs.get()
    status = reverse("organize-dry-run-status", args=["cup"])
    assert "waiting" in oscar.get(status).content.decode()
    jobs.work_on(Rehearsal, rehearsal.pk)
    done = oscar.get(status, headers={"HX-Request": "true"})
    assert done["HX-Refresh"] == "true"
    assert (
        reverse("board", args=[Rehearsal.objects.get().played_on.slug])
        in oscar.get(address).content.decode()
    )
