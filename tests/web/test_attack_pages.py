# SPDX-License-Identifier: Apache-2.0
"""The attack round through the pages: targets, downloads, guesses one by one and together."""

from __future__ import annotations

import errno
import io
import sqlite3
import zipfile

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import OperationalError
from django.urls import reverse

from pwscup.contests.models import Round
from pwscup.core.files import storage
from pwscup.core.http import unavailable
from pwscup.submissions.intake import receiving
from pwscup.submissions.models import Release, Submission, SubmissionFile
from pwscup.submissions.services import SubmissionRefused
from pwscup.submissions.states import State
from tests import factories
from tests.web import pipeline
from tests.zips import zipped, zipped_raw

GUESS = b"row\n1\n2\n3\n4\n"
NONE = b"0\n0\n0\n0\n"


def file(name: str, data: bytes = GUESS) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, data)


def text(response) -> str:
    return " ".join(response.content.decode().split())


@pytest.fixture
def green(cast):
    """A third team, so that red has two targets."""
    cast.grace = factories.make_user("grace")
    return factories.make_team(cast.contest, "Green", cast.grace)


@pytest.fixture
def tables(cast, green) -> dict[str, Release]:
    """The attack round is open, and each team's table is published."""
    round = cast.contest.rounds.get(key="anonymization")
    for user, team in ((cast.alice, cast.red), (cast.carol, cast.blue), (cast.grace, green)):
        pipeline.scored(pipeline.hand_in(user, team, round))
    return pipeline.publish(cast.contest)


def attack_url(cast) -> str:
    return reverse("round", args=[cast.contest.slug, "attack"])


def send(cast, client, *files, **fields):
    return client.post(attack_url(cast), {"guess": list(files), "note": "", **fields})


def guesses() -> set[tuple[str, str]]:
    found = Submission.objects.filter(round__key="attack").exclude(state=State.CANCELLED)
    return set(found.values_list("team__slug", "target__team__slug"))


def feedback(cast, mode: str) -> None:
    Round.objects.filter(contest=cast.contest, key="attack").update(feedback=mode)


# The list of targets


def test_before_the_tables_are_published_they_are_being_prepared(cast, as_user):
    round = cast.contest.rounds.get(key="anonymization")
    pipeline.scored(pipeline.hand_in(cast.alice, cast.red, round))
    pipeline.open_attack(cast.contest)

    body = text(as_user(cast.alice).get(attack_url(cast)))

    assert "being prepared" in body
    assert 'type="file"' not in body


def test_without_a_single_table_nothing_is_promised(cast, as_user):
    pipeline.open_attack(cast.contest)

    assert "No table was published" in text(as_user(cast.alice).get(attack_url(cast)))


def test_the_targets_are_the_other_teams_and_outsiders_see_no_links_to_tables(
    cast, as_user, tables
):
    response = as_user(cast.alice).get(attack_url(cast))

    body = text(response)
    assert [t.release.team.name for t in response.context["targets"]] == ["Blue", "Green"]
    assert body.count("3 of 3") == 2
    assert reverse("release", args=[tables["Blue"].public_id]) in body
    assert reverse("targets-zip", args=[cast.contest.slug, "attack"]) in body
    assert "Your own published table is not a target" in body
    for stranger in (cast.eve, None):
        seen = text(as_user(stranger).get(attack_url(cast)))
        assert "Blue" in seen
        assert "/r/" not in seen
        assert "targets.zip" not in seen


def test_more_targets_cost_no_more_queries(cast, as_user, tables, django_assert_max_num_queries):
    client = as_user(cast.alice)
    pipeline.scored(pipeline.guess(cast.alice, cast.red, tables["Blue"], GUESS))
    with django_assert_max_num_queries(40) as few:
        client.get(attack_url(cast))
    model = tables["Blue"]
    for n in range(8):
        team = factories.make_team(cast.contest, f"Team {n}")
        release = Release.objects.create(
            round=model.round,
            team=team,
            submission=model.submission,
            table=model.table,
            key=model.key,
            n_records=4,
        )
        pipeline.scored(pipeline.guess(cast.alice, cast.red, release, GUESS))

    with django_assert_max_num_queries(len(few)):
        client.get(attack_url(cast))


# Downloads


def test_published_tables_come_one_by_one_and_all_in_one_archive(cast, as_user, tables):
    assert_a_table_is_called_as_its_guess_should_be(cast, as_user, tables)
    assert_the_tables_of_all_others_come_in_one_archive(cast, as_user, tables)


def assert_a_table_is_called_as_its_guess_should_be(cast, as_user, tables):
    url = reverse("release", args=[tables["Blue"].public_id])

    response = as_user(cast.alice).get(url)

    assert response["Content-Disposition"] == 'attachment; filename="blue.csv"'
    assert b"".join(response.streaming_content) == storage.read(tables["Blue"].table)
    assert as_user(cast.oscar).get(url).status_code == 200
    for stranger in (cast.eve, None):
        assert as_user(stranger).get(url).status_code == 404


def assert_the_tables_of_all_others_come_in_one_archive(cast, as_user, tables):
    url = reverse("targets-zip", args=[cast.contest.slug, "attack"])

    response = as_user(cast.alice).get(url)

    with zipfile.ZipFile(io.BytesIO(b"".join(response.streaming_content))) as archive:
        assert archive.testzip() is None
        assert sorted(archive.namelist()) == ["blue.csv", "green.csv"]
        assert archive.read("blue.csv") == storage.read(tables["Blue"].table)
    for stranger in (cast.eve, None):
        assert as_user(stranger).get(url).status_code == 404


def test_there_is_no_archive_before_the_tables_are_published(cast, as_user):
    url = reverse("targets-zip", args=[cast.contest.slug, "attack"])

    assert as_user(cast.oscar).get(url).status_code == 404


# Handing in


def test_one_file_for_one_target_may_be_called_anything(cast, as_user, tables):
    response = send(cast, as_user(cast.alice), file("my best.csv"), target="blue")

    submission = Submission.objects.get(round__key="attack")
    assert response.url == reverse("submission", args=[submission.public_id])
    assert guesses() == {("red", "blue")}
    assert submission.files.get().file.name == "my best.csv"


def test_several_files_find_their_targets(cast, as_user, tables):
    client = as_user(cast.alice)

    response = send(cast, client, file("attack_blue.csv"), file("green.csv"), note="E2")

    assert response.url == attack_url(cast)
    assert "2 files were received" in text(client.get(response.url))
    assert guesses() == {("red", "blue"), ("red", "green")}
    assert set(Submission.objects.filter(target__isnull=False).values_list("note", flat=True)) == {
        "E2"
    }


def test_an_archive_finds_its_targets(cast, as_user, tables):
    data = zipped(("g/attack_blue.csv", GUESS), ("g/green.csv", NONE), ("__MACOSX/g/._x", b"x"))

    send(cast, as_user(cast.alice), file("guesses.zip", data))

    assert guesses() == {("red", "blue"), ("red", "green")}
    blue = Submission.objects.get(target=tables["Blue"])
    assert pipeline.scored(blue).evaluations.get().values["n_records"] == 4


@pytest.mark.parametrize("encoding", ["cp932", "utf-8"])
@pytest.mark.parametrize("folder", ["表", "ソ", "能", "推定結果"])
def test_an_archive_may_have_folders_with_japanese_names(cast, as_user, tables, folder, encoding):
    """Windows and macOS write names without a declared encoding; in CP932 the second byte of 表 is a backslash."""
    names = (f"{folder}/attack_blue.csv", f"{folder}/green.csv")
    data = zipped_raw(*((name.encode(encoding), GUESS) for name in names))

    send(cast, as_user(cast.alice), file("guesses.zip", data))

    assert guesses() == {("red", "blue"), ("red", "green")}
    kept = SubmissionFile.objects.filter(submission__round__key="attack")
    assert set(kept.values_list("file__name", flat=True)) == {n.split("/")[1] for n in names}


@pytest.mark.parametrize("encoding", ["cp932", "utf-8"])
def test_a_japanese_name_that_fits_no_target_is_shown_as_it_was_typed(
    cast, as_user, tables, encoding
):
    data = zipped_raw(("予測/表.csv".encode(encoding), GUESS))

    response = send(cast, as_user(cast.alice), file("guesses.zip", data))

    assert response.status_code == 422
    assert "“予測/表.csv” matches no target" in text(response)


@pytest.mark.parametrize(
    ("error", "status", "says"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), 507, "The platform has no space left"),
        (OSError(errno.EDQUOT, "Quota exceeded"), 507, "The platform has no space left"),
        (OperationalError("locked"), 503, "The platform is busy"),
    ],
)
def test_what_fails_in_the_middle_says_what_was_received(
    cast, as_user, tables, monkeypatch, error, status, says
):
    """The first guess is received; the same form brings the others later, and the first not a second time."""
    if status == 503:
        error.__cause__ = sqlite3.OperationalError("locked")
        error.__cause__.sqlite_errorcode = unavailable.SQLITE_BUSY
    client = as_user(cast.alice)
    archive = zipped(("blue.csv", GUESS), ("green.csv", NONE))
    calls, write = [], storage.write

    def write_once(*args, **kwargs):
        calls.append(args)
        if len(calls) == 2:
            raise error
        return write(*args, **kwargs)

    monkeypatch.setattr(storage, "write", write_once)
    response = send(cast, client, file("guesses.zip", archive), nonce="n1")

    assert response.status_code == status
    for words in (f"Green: {says}", "Received: Blue", "Not received: Green", 'value="n1"'):
        assert words in text(response), words
    assert guesses() == {("red", "blue")}

    again = send(cast, client, file("guesses.zip", archive), nonce="n1")
    assert again.status_code == 302
    assert Submission.objects.filter(round__key="attack").count() == 2


def test_what_fails_at_first_is_answered_as_a_whole(cast, as_user, tables, monkeypatch):
    def no_space(*_args, **_kwargs):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(storage, "write", no_space)
    response = send(cast, as_user(cast.alice), file("blue.csv"), file("green.csv"))
    assert response.status_code == 507
    assert "was not completed" in text(response)
    assert guesses() == set()


def test_a_fault_of_ours_in_the_middle_stays_a_fault(cast, as_user, tables, monkeypatch):
    calls, write = [], storage.write

    def broken(*args, **kwargs):
        calls.append(args)
        if len(calls) == 2:
            raise OSError(errno.EIO, "Input/output error")
        return write(*args, **kwargs)

    monkeypatch.setattr(storage, "write", broken)
    with pytest.raises(OSError, match="Input/output"):
        send(cast, as_user(cast.alice), file("blue.csv"), file("green.csv"))


def test_a_last_try_that_is_gone_meanwhile_says_what_was_received(
    cast, as_user, tables, monkeypatch
):
    """A team mate is faster: the guesses after the refused one are not received either."""
    client, submit = as_user(cast.alice), receiving.services.submit

    def refused(*, target, **arguments):
        if target == tables["Green"]:
            raise SubmissionRefused("tries.none_left", expected=3)
        return submit(target=target, **arguments)

    monkeypatch.setattr(receiving.services, "submit", refused)
    response = send(cast, client, file("blue.csv"), file("green.csv"))

    assert response.status_code == 422
    for words in ("Green: No attempts are left", "Received: Blue.", "Not received: Green."):
        assert words in text(response), words


FIT_NO_TARGET = [
    (["blue.csv", "grene.csv"], ["grene.csv", "green.csv"]),
    (["blue.csv", "attack_blue.csv"], ["Blue", "attack_blue.csv"]),
    (["blue.csv", "red.csv"], ["red.csv", "your own team"]),
    (["blue.csv", "green.xlsx"], ["green.xlsx"]),
]


def test_if_one_file_fits_no_target_or_the_target_is_none_nothing_is_handed_in(
    cast, as_user, tables
):
    client = as_user(cast.alice)
    for names, says in FIT_NO_TARGET:
        response = send(cast, client, *map(file, names), note="kept")

        body = text(response)
        assert response.status_code == 422, names
        for words in (*says, 'value="kept"', "choose the files again"):
            assert words in body, names
        assert guesses() == set(), names
    for target in ("red", "nobody", "../blue"):
        response = send(cast, client, file("x.csv"), target=target)
        assert response.status_code == 422, target
        assert guesses() == set(), target


def test_targets_without_tries_are_named_and_nothing_is_handed_in(cast, as_user, tables):
    for _ in range(3):
        pipeline.guess(cast.alice, cast.red, tables["Blue"], GUESS)
    client = as_user(cast.alice)

    response = send(cast, client, file("blue.csv"), file("green.csv"))

    assert response.status_code == 422
    assert "Blue: all 3 attempts" in text(response)
    assert guesses() == {("red", "blue")}
    assert "no attempts left" in text(client.get(attack_url(cast)))


def test_after_the_deadline_no_guess_is_taken(cast, as_user, tables):
    pipeline.close(tables["Blue"].round)

    response = send(cast, as_user(cast.alice), file("blue.csv"), note="late")

    assert response.status_code == 422
    assert "after the deadline" in text(response)
    assert "late" in text(response)
    assert guesses() == set()


def test_a_guess_before_the_tables_are_published_is_refused(cast, as_user):
    pipeline.open_attack(cast.contest)

    assert send(cast, as_user(cast.alice), file("blue.csv")).status_code == 422
    assert guesses() == set()


# What is told of a rate


FEEDBACK = [
    ("exact", ["100.00 %"], ["after the round has closed"]),
    ("coarse", ["90–100 %"], ["100.00 %"]),
    ("after_close", ["shown after the round has closed on"], ["100.00 %", "90–100"]),
]


def test_the_result_says_what_the_feedback_allows(cast, as_user, tables):
    table = storage.read(tables["Blue"].table).decode().splitlines()[1:]
    order = [factories.NOISY.decode().splitlines()[1:].index(line) + 1 for line in table]
    right = "\n".join(map(str, order)).encode()
    guess = pipeline.scored(pipeline.guess(cast.alice, cast.red, tables["Blue"], right))
    client = as_user(cast.alice)
    page = reverse("submission", args=[guess.public_id])

    for mode, says, hides in FEEDBACK:
        feedback(cast, mode)
        result, listed = text(client.get(page)), text(client.get(attack_url(cast)))
        assert all(words in result for words in says), mode
        assert not any(words in result for words in hides), mode
        assert ("100.00 %" in listed) == (mode == "exact"), mode
    pipeline.close(guess.round)
    for mode, _says, _hides in FEEDBACK:
        feedback(cast, mode)
        assert "100.00 %" in text(client.get(page)), mode
        assert "100.00 %" in text(client.get(attack_url(cast))), mode


def test_an_earlier_guess_says_that_a_later_one_counts(cast, as_user, tables):
    first, last = (
        pipeline.scored(pipeline.guess(cast.alice, cast.red, tables["Blue"], GUESS))
        for _ in range(2)
    )
    client = as_user(cast.alice)

    assert "counts instead" in text(client.get(reverse("submission", args=[first.public_id])))
    assert "counts instead" not in text(client.get(reverse("submission", args=[last.public_id])))


def test_a_guess_is_the_teams_own(cast, as_user, tables):
    guess = pipeline.scored(pipeline.guess(cast.alice, cast.red, tables["Blue"], GUESS))

    url = reverse("submission", args=[guess.public_id])
    assert as_user(cast.bob).get(url).status_code == 200
    for stranger in (cast.carol, cast.grace, cast.eve, None):
        assert as_user(stranger).get(url).status_code == 404
    assert str(guess.public_id) not in text(as_user(cast.carol).get(attack_url(cast)))
