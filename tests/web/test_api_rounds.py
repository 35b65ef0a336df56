# SPDX-License-Identifier: Apache-2.0
"""Files of every kind of round sent by a program, their states and results, and what the team decides of them."""

from __future__ import annotations

import threading
from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.utils import timezone

from pwscup.api.teams import submissions as operations
from pwscup.api.teams.bodies import content_types
from pwscup.core import jobs
from pwscup.formats import ROUNDS
from pwscup.submissions import draws
from pwscup.submissions.models import Release, Submission
from scoring.rulesets import load_ruleset, ruleset_names
from tests import factories
from tests.web import lecture, pipeline, questions
from tests.web.api import Program, codes, where
from tests.web.pipeline import scored

pytestmark = pytest.mark.usefixtures("sent")
ROUND = "/contests/cup/rounds/anonymization"
ATTACK = "/contests/cup/rounds/attack"
TABLE = {"anonymized": factories.NOISY, "rows": factories.ROWS}
WITH_ROWS = b"qi1,qi2,qi3,sa1,sa2,source_row\n" + b"".join(
    line + b",%d\n" % number
    for number, line in enumerate(factories.NOISY.splitlines()[1:], start=1)
)
ZIP = "application/zip"


@pytest.fixture
def cup(cast) -> SimpleNamespace:
    return SimpleNamespace(
        **{name: Program(getattr(cast, name)) for name in ("alice", "bob", "carol", "oscar", "eve")}
    )


def worked_on(answered: dict) -> Submission:
    return scored(Submission.objects.get(public_id=answered["id"]))


def published(cast) -> dict[str, Release]:
    """Both teams' tables, in the attack round."""
    round = pipeline.round_of(cast.contest, "anonymization")
    for user, team in ((cast.alice, cast.red), (cast.carol, cast.blue)):
        scored(pipeline.hand_in(user, team, round))
    return pipeline.publish(cast.contest)


@pytest.fixture
def three(cast) -> SimpleNamespace:
    """A third team, Green with eve, and the published tables of all."""
    green = factories.make_team(cast.contest, "Green", cast.eve)
    round = pipeline.round_of(cast.contest, "anonymization")
    scored(pipeline.hand_in(cast.eve, green, round))
    return SimpleNamespace(green=green, targets=published(cast))


# The flagship's rounds


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (TABLE, "form"),
        (questions.archive_of({f"{k}.csv": v for k, v in TABLE.items()}), ZIP),
        (questions.archive_of({f"my/{k.upper()}.csv": v for k, v in TABLE.items()}), ZIP),
        (WITH_ROWS, "text/csv"),
    ],
    ids=["form", "archive", "archive with a folder", "a table with its rows"],
)
def test_a_table_and_its_rows(cast, cup, data, kind):
    path = f"{ROUND}/submissions?note=first"
    sent = cup.alice.form(path, data) if kind == "form" else cup.alice.post(path, data, kind)
    assert sent.status_code == 201, sent.content
    answered = sent.json()
    assert (answered["state"], answered["is_final"], answered["place"]) == ("waiting", False, 1)
    made = worked_on(answered)
    assert (made.state, made.note, made.team) == ("scored", "first", cast.red)
    result = cup.bob.get(f"/submissions/{answered['id']}").json()
    assert (result["counts"], result["is_final"], result["place"]) == (True, True, None)
    by_page = pipeline.hand_in(
        cast.carol, cast.blue, pipeline.round_of(cast.contest, "anonymization")
    )
    assert made.evaluations.get().values == scored(by_page).evaluations.get().values
    assert result["values"]["U1"] == made.evaluations.get().values["U1"]
    if kind != "text/csv":
        for key, file in TABLE.items():
            got = cup.alice.get(f"/submissions/{answered['id']}/files/{key}")
            assert got.content == file


@pytest.mark.parametrize(
    ("files", "code", "place"),
    [
        ({"rows.csv": b"1\n"}, "file.missing", {}),
        ({**{f"{k}.csv": v for k, v in TABLE.items()}, "x.csv": b"1"}, "bundle.unknown", {}),
        ({"a/rows.csv": b"1", "b/rows.csv": b"2"}, "bundle.repeated", {}),
    ],
)
def test_an_archive_of_other_files_is_refused(cup, files, code, place):
    refused = cup.alice.post(f"{ROUND}/submissions", questions.archive_of(files), ZIP)
    assert (refused.status_code, codes(refused)) == (422, [code])
    assert not Submission.objects.exists()


def test_forms_with_other_fields_are_refused(cup):
    path = f"{ROUND}/submissions"
    assert codes(cup.alice.form(path, {"anonymized": b"a", "target": b"b"})) == ["file.unknown"]
    twice = {"anonymized": [("a.csv", b"a"), ("b.csv", b"b")]}
    assert codes(cup.alice.form(path, twice)) == ["file.repeated"]
    assert codes(cup.alice.form(path, {})) == ["file.missing"]
    assert not Submission.objects.exists()


def test_a_guess_about_one_target(cast, cup, three):
    sent = cup.alice.post(f"{ATTACK}/submissions?target=blue", b"1\n2\n3\n4\n", "text/csv")
    assert sent.status_code == 201, sent.content
    made = worked_on(sent.json())
    assert (made.target, sent.json()["target"]) == (three.targets["Blue"], "blue")
    answered = cup.bob.get(f"/submissions/{sent.json()['id']}").json()
    assert (answered["state"], answered["counts"], answered["values"]) == ("scored", True, None)
    pipeline.close(pipeline.round_of(cast.contest, "attack"))
    answered = cup.bob.get(f"/submissions/{sent.json()['id']}").json()
    assert 0 <= answered["values"]["rate"] <= 1


@pytest.mark.parametrize("kind", ["form", "archive"])
def test_guesses_about_several_targets(cup, three, kind):
    files = [("blue.csv", b"1\n2\n3\n4\n"), ("attack_green.csv", b"4\n3\n2\n1\n")]
    if kind == "form":
        sent = cup.alice.form(f"{ATTACK}/guesses?note=all", {"guess": files})
    else:
        sent = cup.alice.post(f"{ATTACK}/guesses?note=all", questions.archive_of(dict(files)), ZIP)
    assert sent.status_code == 201, sent.content
    answered = sent.json()
    assert (answered["not_received"], answered["problems"]) == ([], [])
    assert {one["target"] for one in answered["submissions"]} == {"blue", "green"}
    assert {one["note"] for one in answered["submissions"]} == {"all"}
    assert {worked_on(one).state for one in answered["submissions"]} == {"scored"}
    left = {
        one["team"]["slug"]: one["tries_left"] for one in cup.bob.get(f"{ATTACK}/targets").json()
    }
    assert left == {"red": 3, "blue": 2, "green": 2}


def test_guesses_sent_twice_with_a_key_are_the_same(cup, three):
    packed = questions.archive_of({"blue.csv": b"1\n2\n3\n4\n", "green.csv": b"1\n2\n3\n4\n"})
    path, key = f"{ATTACK}/guesses", {"Idempotency-Key": "k" * 100}
    first = cup.alice.send("post", path, packed, ZIP, **key)
    again = cup.alice.send("post", path, packed, ZIP, **key)
    assert (first.status_code, again.status_code) == (201, 201)
    assert Submission.objects.filter(target__isnull=False).count() == 2
    ids = [{one["id"] for one in sent.json()["submissions"]} for sent in (first, again)]
    assert ids[0] == ids[1]


def test_of_wrong_guesses_none_is_taken(cup, three):
    files = {"blue.csv": b"1\n", "red.csv": b"1\n", "nobody.csv": b"1\n"}
    refused = cup.alice.post(f"{ATTACK}/guesses", questions.archive_of(files), ZIP)
    assert (refused.status_code, codes(refused)) == (
        422,
        ["field.own_table", "field.unknown_target"],
    )
    assert where(refused.json()["problems"][0]) == {"field": "guess"}
    assert not Submission.objects.filter(target__isnull=False).exists()
    assert codes(cup.alice.form(f"{ATTACK}/guesses", {"other": b"1"})) == ["request.unknown_key"]
    assert codes(cup.alice.form(f"{ATTACK}/guesses", {})) == ["field.required"]
    refused = cup.alice.post(f"{ROUND}/guesses", questions.archive_of(files), ZIP)
    assert codes(refused) == ["target.unknown"]


def test_used_attempts_are_named_before_anything_is_taken(cast, cup, three):
    for _ in range(3):
        cup.alice.post(f"{ATTACK}/submissions?target=blue", b"1\n2\n3\n4\n", "text/csv")
    packed = questions.archive_of({"blue.csv": b"1\n2\n3\n4\n", "green.csv": b"1\n2\n3\n4\n"})
    refused = cup.alice.post(f"{ATTACK}/guesses", packed, ZIP)
    assert codes(refused) == ["tries.none_left"]
    assert "Blue" in refused.json()["problems"][0]["message"]
    assert Submission.objects.filter(target=three.targets["Green"]).count() == 0
    refused = cup.alice.post(f"{ATTACK}/submissions?target=blue", b"1\n2\n3\n4\n", "text/csv")
    assert (refused.status_code, codes(refused)) == (409, ["tries.none_left"])


def test_what_was_taken_before_a_refusal_is_listed(cup, three, monkeypatch):
    submit = operations.services.submit

    def refuse_green(**given):
        if given["target"].team.slug == "green":
            raise operations.services.SubmissionRefused("round.closed")
        return submit(**given)

    monkeypatch.setattr(operations.services, "submit", refuse_green)
    packed = questions.archive_of({"blue.csv": b"1\n2\n3\n4\n", "green.csv": b"1\n2\n3\n4\n"})
    sent = cup.alice.post(f"{ATTACK}/guesses", packed, ZIP)
    assert sent.status_code == 201
    answered = sent.json()
    assert [one["target"] for one in answered["submissions"]] == ["blue"]
    assert answered["not_received"] == ["green"]
    assert [problem["code"] for problem in answered["problems"]] == ["round.closed"]


def test_before_the_attack_there_are_no_targets(cup):
    assert cup.alice.get(f"{ATTACK}/targets").json() == []
    packed = questions.archive_of({"blue.csv": b"1\n"})
    for refused in (
        cup.alice.post(f"{ATTACK}/submissions?target=blue", b"1\n", "text/csv"),
        cup.alice.post(f"{ATTACK}/guesses", packed, ZIP),
    ):
        assert (refused.status_code, codes(refused)) == (409, ["round.not_open_yet"])


# Other kinds


@pytest.fixture
def lesson(cast) -> SimpleNamespace:
    made = lecture.contest_of(cast)
    for team in (made.red, made.blue):
        draws.ensure_drawn(team)
    return made


def test_a_lectures_rounds(cast, cup, lesson):
    path = "/contests/lecture/rounds"
    for program, team in ((cup.alice, lesson.red), (cup.carol, lesson.blue)):
        own = program.get("/contests/lecture/files/original.csv")
        assert own.content == lecture.own_table(team)
        sent = program.post(f"{path}/anonymization/submissions", own.content, "text/csv")
        assert worked_on(sent.json()).state == "scored"
    release = lecture.publish(lesson.contest)["Blue"]
    guess = lecture.guess_file(lecture.key_of(release))
    (target,) = [one for one in cup.alice.get(f"{path}/attack/targets").json() if not one["is_own"]]
    table, candidates = (
        b"".join(cup.alice.get(f"/releases/{target['id']}/{part}").streaming_content)
        for part in ("table", "given")
    )
    assert len(table.splitlines()) == 11
    assert len(candidates.splitlines()) == 21
    name = "teamred_attack_teamblue.csv"
    sent = cup.alice.post(f"{path}/attack/guesses", questions.archive_of({name: guess}), ZIP)
    (made,) = sent.json()["submissions"]
    assert worked_on(made).evaluations.get().values["rate"] == 1
    sent = cup.alice.post(f"{path}/attack/submissions?target=blue", guess, "text/csv")
    assert sent.status_code == 201, sent.content


def test_slides(cast, cup, lesson):
    slides = pipeline.round_of(lesson.contest, "presentation")
    now = timezone.now()
    pipeline.move(slides, now - timedelta(hours=1), now + timedelta(hours=1))
    path = f"/contests/lecture/rounds/{slides.key}/submissions"
    sent = cup.alice.post(path, b"%PDF-1.7 slides", "application/pdf")
    assert sent.status_code == 201, sent.content
    assert worked_on(sent.json()).state == "scored"
    refused = cup.alice.post(path, b"<html>", "application/pdf")
    assert (refused.status_code, codes(refused)) == (422, ["file.not_pdf"])
    assert codes(cup.alice.post(path, b"a,b", "text/csv")) == ["request.content_type"]


def test_answers_about_several_targets(cast, cup):
    rules = questions.ruleset(questions.MEMBERS, questions.BALANCES)
    made = questions.published(cast, rules)
    release = made.releases["Blue"]
    files = {f"{k}_blue.csv": v for k, v in questions.right_answers(release, rules).items()}
    path = "/contests/lecture/rounds/attack"
    sent = cup.alice.post(f"{path}/guesses", questions.archive_of(files), ZIP)
    assert sent.status_code == 201, sent.content
    (answered,) = sent.json()["submissions"]
    assert worked_on(answered).evaluations.get().values["members"] == 1
    assert [q["key"] for q in cup.alice.get(path).json()["questions"]] == ["members", "balances"]
    sheets = b"".join(cup.alice.get(f"/releases/{release.public_id}/given").streaming_content)
    assert sheets == questions.storage.read(release.candidates)


def test_a_named_band_is_shown_by_its_name(cast, cup):
    bands = [
        {"at_least": 0.0, "title": {"en": "low", "ja": "低"}},
        {"at_least": 0.5, "title": {"en": "high", "ja": "高"}},
    ]
    rules = questions.ruleset(questions.MEMBERS, feedback="coarse", band=bands)
    made = questions.published(cast, rules)
    files = questions.right_answers(made.releases["Blue"], rules)
    packed = questions.archive_of({f"{key}.csv": data for key, data in files.items()})
    sent = cup.alice.post("/contests/lecture/rounds/attack/submissions?target=blue", packed, ZIP)
    worked_on(sent.json())
    answered = cup.alice.get(f"/submissions/{sent.json()['id']}").json()
    assert (answered["values"], answered["band"], answered["band_title"]) == (None, None, "high")


@pytest.mark.parametrize("name", ruleset_names())
def test_every_round_of_the_librarys_rulesets_takes_files(name):
    rules = load_ruleset(name)
    for spec in rules.rounds:
        contest = SimpleNamespace(ruleset=rules)
        round = SimpleNamespace(spec=spec, format=ROUNDS[spec.kind], contest=contest)
        found = content_types(round)
        assert found[-1] == "multipart/form-data"
        assert len(found) > 1


# One submission


def test_waiting_for_a_result_ends_with_it(cast, cup, monkeypatch):
    answered = cup.alice.form(f"{ROUND}/submissions", TABLE).json()
    path = f"/submissions/{answered['id']}"
    naps: list[float] = []

    def nap(seconds):
        naps.append(seconds)
        if len(naps) == 3:
            jobs.work_on(Submission, Submission.objects.get().pk)

    monkeypatch.setattr(operations.time, "sleep", nap)
    assert cup.alice.get(f"{path}?wait=20").json()["state"] == "scored"
    assert len(naps) == 3
    assert cup.alice.get(f"{path}?wait=20").json()["state"] == "scored"
    assert len(naps) == 3  # a final state is not waited for
    for wrong in ("-1", "21", "x"):
        assert codes(cup.alice.get(f"{path}?wait={wrong}")) == ["request.unusable"]


def test_waiting_ends_in_time_and_takes_few_threads(cup, monkeypatch):
    answered = cup.alice.form(f"{ROUND}/submissions", TABLE).json()
    path = f"/submissions/{answered['id']}"
    clock = [0.0]
    monkeypatch.setattr(operations.time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(operations.time, "sleep", lambda s: clock.__setitem__(0, clock[0] + s))
    assert cup.alice.get(f"{path}?wait=3").json()["state"] == "waiting"
    assert clock == [3.0]
    monkeypatch.setattr(operations, "WAITERS", threading.BoundedSemaphore(1))
    with operations.WAITERS:
        assert cup.alice.get(f"{path}?wait=3").json()["state"] == "waiting"
    assert clock == [3.0]


def test_a_team_cancels_chooses_and_annotates(cast, cup):
    first, second, third = (
        cup.alice.form(f"{ROUND}/submissions", TABLE).json()["id"] for _ in range(3)
    )
    assert cup.bob.send("post", f"/submissions/{third}/cancel").json()["state"] == "cancelled"
    refused = cup.bob.send("post", f"/submissions/{third}/cancel")
    assert (refused.status_code, codes(refused)) == (409, ["cancel.too_late"])
    for made in Submission.objects.filter(state="waiting"):
        scored(made)
    assert cup.alice.get(f"/submissions/{first}").json()["may_choose"] is True
    assert cup.alice.send("post", f"/submissions/{first}/choose").json()["counts"] is True
    assert cup.alice.get(f"/submissions/{second}").json()["counts"] is False
    noted = cup.alice.send("put", f"/submissions/{first}/note", {"note": "best"})
    assert noted.json()["note"] == "best"
    long = cup.alice.send("put", f"/submissions/{first}/note", {"note": "x" * 201})
    assert codes(long) == ["note.too_long"]
    for program in (cup.carol, cup.eve):
        for what in ("cancel", "choose"):
            assert program.send("post", f"/submissions/{first}/{what}").status_code == 404
    refused = cup.oscar.send("post", f"/submissions/{first}/choose")
    assert (refused.status_code, codes(refused)) == (403, ["not_allowed"])
    listed = cup.alice.get(f"{ROUND}/submissions").json()
    assert [one["number"] for one in listed] == [3, 2, 1]


def test_lists_come_in_pages(cup):
    for _ in range(3):
        cup.alice.form(f"{ROUND}/submissions", TABLE)
    first = cup.alice.get(f"{ROUND}/submissions?per_page=2")
    assert [one["number"] for one in first.json()] == [3, 2]
    assert first["X-Total-Count"] == "3"
    following = first["Link"].removeprefix("</api/v1").partition(">")[0]
    assert first["Link"].endswith('; rel="next"')
    second = cup.alice.get(following)
    assert [one["number"] for one in second.json()] == [1]
    assert "Link" not in second
    assert cup.alice.get(f"{ROUND}/submissions?page=9").json() == []
    for wrong in ("page=0", "per_page=201", "per_page=x", "page=99999999999"):
        assert codes(cup.alice.get(f"{ROUND}/submissions?{wrong}")) == ["request.unusable"]


def test_a_receipt_is_that_of_the_page(cast, cup, as_user):
    answered = cup.alice.form(f"{ROUND}/submissions", TABLE).json()
    by_page = as_user(cast.alice).get(f"/s/{answered['id']}/receipt.json").json()
    assert cup.alice.get(f"/submissions/{answered['id']}/receipt").json() == by_page
    assert cup.carol.get(f"/submissions/{answered['id']}/receipt").status_code == 404


def test_organizers_submit_for_teams_of_the_platform_alone(cast, cup):
    path = f"{ROUND}/submissions?team=red"
    assert codes(cup.oscar.form(path, TABLE)) == ["team.none"]
    assert not Submission.objects.exists()
