# SPDX-License-Identifier: Apache-2.0
"""The lecture contest through the real pipeline: upload, worker, release, guess, marks of the note's example."""

from __future__ import annotations

import io
import zipfile
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone

from pwscup.contests.models import Round
from pwscup.core.files import storage
from pwscup.submissions import draws, evaluation, releases, selectors, services
from pwscup.submissions.intake import limits
from pwscup.submissions.models import Submission
from scoring.rulesets import load_ruleset, parse_ruleset
from tests import factories
from tests.web import lecture, pipeline
from tests.web.pipeline import scored

pytestmark = pytest.mark.usefixtures("sent")


@pytest.fixture
def example(cast):
    return lecture.example(cast)


def problems(submission) -> list[tuple[str, int | None, str | None]]:
    assert submission.state == "rejected"
    return [(p["code"], p.get("row"), p.get("column")) for p in submission.problems]


def test_the_notes_example_by_hand(cast, example):
    table = scored(lecture.hand_in(cast.alice, example.red, b"age,city\n20,A\n40,A\n40,A\n,\n"))
    values = selectors.latest_evaluation(table).values
    assert values["LOSS"] == pytest.approx(lecture.LOSS, abs=1e-9)
    assert (values["n_original"], values["n_anonymized"]) == (4, 3)

    release = lecture.publish(example.contest)["Red"]
    key = lecture.key_of(release)
    lines = lecture.records_of(storage.read(release.table))
    assert lines[0] == ["age", "city"]
    assert sorted(lines[1:]) == [["", ""], ["20", "A"], ["40", "A"], ["40", "A"]]
    assert key[lines[1:].index(["", ""])] == -1
    assert sorted(key) == [-1, 2, 4, 5]  # where the records 1, 3 and 2 stand among the candidates
    candidates = lecture.records_of(storage.read(release.candidates))
    assert candidates[1:] == [
        ["25", "A"], ["50", "B"], ["20", "A"], ["45", "A"],
        ["40", "B"], ["30", "A"], ["55", "B"], ["35", "B"],
    ]  # fmt: skip

    # Records 1 and 3 are named rightly, record 2 as a decoy; a guess for the deleted one is ignored.
    guess = [{2: 2, 4: 4, 5: 0, -1: 7}[line] for line in key]
    attack = scored(pipeline.guess(cast.carol, example.blue, release, lecture.guess_file(guess)))
    marked = selectors.latest_evaluation(attack).values
    two_thirds, third = (pytest.approx(n / 3, abs=1e-9) for n in (2, 1))
    shares = {"rate": two_thirds, "declared": two_thirds, "content": third}
    assert marked == {"n_records": 3, "hits": 2, **shares}


def test_the_right_guess_of_every_record_and_of_none(cast, example):
    scored(lecture.hand_in(cast.alice, example.red, lecture.ANONYMIZED))
    release = lecture.publish(example.contest)["Red"]
    right = scored(
        pipeline.guess(
            cast.carol, example.blue, release, lecture.guess_file(lecture.key_of(release))
        )
    )
    assert selectors.latest_evaluation(right).values["rate"] == 1
    nothing = scored(pipeline.guess(cast.carol, example.blue, release, b"0\n\n0\n0\n"))
    none = {"hits": 0, "rate": 0, "declared": 0, "content": 0}
    assert selectors.latest_evaluation(nothing).values == {"n_records": 3, **none}


def test_of_all_records_where_the_rules_say_so(cast, example):
    """The same guess, marked as a share of all lines: what is deleted cannot be hit."""
    scored(lecture.hand_in(cast.alice, example.red, lecture.ANONYMIZED))
    release = lecture.publish(example.contest)["Red"]
    text = example.contest.ruleset_text.replace('"kept_records"', '"all_records"')
    type(example.contest).objects.filter(pk=example.contest.pk).update(ruleset_text=text)
    guess = lecture.guess_file(lecture.key_of(release))
    release = type(release).objects.get(pk=release.pk)
    marked = scored(pipeline.guess(cast.carol, example.blue, release, guess))
    shares = {"rate": 0.75, "declared": 0.75, "content": 0.25}
    assert selectors.latest_evaluation(marked).values == {"n_records": 4, "hits": 3, **shares}


def test_the_board_has_the_notes_numbers(cast, example, as_user):
    scored(lecture.hand_in(cast.alice, example.red, lecture.ANONYMIZED))
    scored(lecture.hand_in(cast.carol, example.blue, b"age,city\n25,A\n35,B\n45,A\n55,B\n"))
    targets = lecture.publish(example.contest)
    guess = [{2: 2, 4: 4, 5: 0, -1: 7}[line] for line in lecture.key_of(targets["Red"])]
    scored(pipeline.guess(cast.carol, example.blue, targets["Red"], lecture.guess_file(guess)))
    scored(pipeline.guess(cast.alice, example.red, targets["Blue"], b"0\n0\n0\n0\n"))
    pipeline.close(lecture.round_of(example.contest, "attack"))
    text = as_user(None).get(reverse("board", args=[example.contest.slug])).text
    assert "58.33" in text
    assert "33.33" in text


# Bad files


@pytest.mark.parametrize(
    ("table", "found"),
    [
        (b"age,city\n20,A\n30,A\n40,B\n", [("aligned.count", None, None)]),
        (b"age,city\n20,A\n30,A\n40,B\n50,B\n50,B\n", [("aligned.count", None, None)]),
        (b"age,city\n,\n,\n,\n,\n", [("aligned.all_deleted", None, None)]),
        (b"age,city\n", [("file.header_only", None, None)]),
        (b"", []),
        (
            b"age,city\n21,A\n,A\n40,C\n,\n",
            [
                ("aligned.not_in_original", 1, "age"),
                ("aligned.partly_empty", 2, "age"),
                ("cell.not_in_values", 3, "city"),
            ],
        ),
        (b"age,city\n20,A\n25,A\n40,B\n,\n", [("aligned.not_in_original", 2, "age")]),
        (
            b"age,city\n20,A,1\n30\n40,B\n50,B\n",
            [("record.cell_count", 1, None), ("record.cell_count", 2, None)],
        ),
        (b"city,age\nA,20\nA,30\nB,40\nB,50\n", [("header.order", None, None)]),
    ],
)
def test_tables_that_are_refused_with_every_problem(cast, example, table, found):
    if not table:
        with pytest.raises(services.SubmissionRefused) as refused:
            lecture.hand_in(cast.alice, example.red, table)
        assert refused.value.code == "file.empty"
        return
    submission = scored(lecture.hand_in(cast.alice, example.red, table))
    assert problems(submission) == found
    round = submission.round
    assert selectors.tries_left(example.red, round) == round.tries


def test_no_deleted_records_where_the_rules_allow_none(cast, example):
    text = example.contest.ruleset_text.replace("blank_records = true", "blank_records = false")
    text = text.replace('"kept_records"', '"all_records"')
    type(example.contest).objects.filter(pk=example.contest.pk).update(ruleset_text=text)
    example.red.contest = type(example.contest).objects.get(pk=example.contest.pk)
    submission = scored(lecture.hand_in(cast.alice, example.red, lecture.ANONYMIZED))
    assert [row for _code, row, _column in problems(submission)] == [4]


@pytest.mark.parametrize(
    ("guess", "found"),
    [
        (b"1\n2\n3\n", [("candidate.count", None)]),
        (b"1\n2\n3\n4\n5\n", [("candidate.count", None)]),
        (b"9\n-1\nx\n1.5\n", [
            ("candidate.too_large", 1),
            ("candidate.negative", 2),
            ("candidate.not_an_integer", 3),
            ("candidate.not_an_integer", 4),
        ]),
        (b"person\n1\n2\n3\n4\n", [("candidate.header", None)]),
    ],
)  # fmt: skip
def test_guesses_that_are_refused_with_every_problem(cast, example, guess, found):
    scored(lecture.hand_in(cast.alice, example.red, lecture.ANONYMIZED))
    release = lecture.publish(example.contest)["Red"]
    submission = scored(pipeline.guess(cast.carol, example.blue, release, guess))
    assert [(code, row) for code, row, _column in problems(submission)] == found


def test_one_sees_what_is_wrong_on_the_page(cast, example, as_user):
    submission = scored(lecture.hand_in(cast.alice, example.red, b"age,city\n21,A\n,A\n40,B\n,\n"))
    text = as_user(cast.alice).get(reverse("submission", args=[submission.public_id])).text
    assert "2 problems" in text
    assert "a value that the column does not have in the original table" in text


# What is published


def test_tables_and_candidates_come_together_in_one_archive(cast, example, as_user):
    scored(lecture.hand_in(cast.alice, example.red, lecture.ANONYMIZED))
    attack = lecture.round_of(example.contest, "attack")
    zipped = reverse("targets-zip", args=[example.contest.slug, attack.key])
    assert as_user(cast.carol).get(zipped).status_code == 404
    release = lecture.publish(example.contest)["Red"]
    answer = as_user(cast.carol).get(zipped)
    archive = zipfile.ZipFile(io.BytesIO(b"".join(answer.streaming_content)))
    assert archive.namelist() == ["teamred_anonymized.csv", "teamred_candidate.csv"]
    assert archive.read("teamred_anonymized.csv") == storage.read(release.table)
    assert archive.read("teamred_candidate.csv") == storage.read(release.candidates)
    assert (release.table.area, release.candidates.area, release.key.area) == (
        "published", "published", "sealed",
    )  # fmt: skip


def test_who_may_have_the_candidates(cast, example, as_user):
    scored(lecture.hand_in(cast.alice, example.red, lecture.ANONYMIZED))
    release = lecture.publish(example.contest)["Red"]
    where = reverse("release-candidates", args=[release.public_id])
    people = (None, cast.eve, cast.alice, cast.bob, cast.carol, cast.oscar)
    statuses = [as_user(person).get(where).status_code for person in people]
    assert statuses == [404, 404, 200, 200, 200, 200]
    answer = as_user(cast.carol).get(where)
    assert answer["Content-Disposition"] == 'attachment; filename="teamred_candidate.csv"'
    pipeline.move(release.round, *(release.round.opens_at + timedelta(days=n) for n in (5, 6)))
    assert as_user(cast.carol).get(where).status_code == 404


def test_a_publication_that_fails_leaves_neither(cast, example, monkeypatch):
    scored(lecture.hand_in(cast.alice, example.red, lecture.ANONYMIZED))
    before = storage.paths_on_disk()

    def fail(*_, **__):
        raise RuntimeError

    monkeypatch.setattr(releases.audit_log, "record", fail)
    with pytest.raises(RuntimeError):
        lecture.publish(example.contest)
    assert storage.paths_on_disk() == before


# In the browser


@pytest.fixture
def attacked(cast, example):
    """Both teams' tables are published."""
    scored(lecture.hand_in(cast.alice, example.red, lecture.ANONYMIZED))
    scored(lecture.hand_in(cast.carol, example.blue, b"age,city\n25,A\n35,B\n45,A\n55,B\n"))
    example.targets = lecture.publish(example.contest)
    return example


def send_guess(client, attacked, name: str, data: bytes = b"1\n2\n3\n4\n"):
    upload = SimpleUploadedFile(name, data)
    return client.post(reverse("round", args=[attacked.contest.slug, "attack"]), {"guess": upload})


@pytest.mark.parametrize(
    "name",
    [
        "teamred_attack_teamblue.csv",
        "red_attack_blue.csv",
        "TeamRed_Attack_TeamBlue.CSV",
        "blue.csv",
        "attack_blue.csv",
    ],
)
def test_names_that_a_guess_may_have(cast, attacked, as_user, name):
    assert send_guess(as_user(cast.alice), attacked, name).status_code == 302
    taken = Submission.objects.get(team=attacked.red, round__key="attack")
    assert taken.target == attacked.targets["Blue"]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("teamblue_attack_teamred.csv", "matches no target"),
        ("teamred_attack_teamred.csv", "names your own team"),
        ("teamred_attack_teamgreen.csv", "teamred_attack_teamblue.csv"),
        ("guess.csv", "teamred_attack_teamblue.csv"),
    ],
)
def test_names_that_fit_nothing(cast, attacked, as_user, name, words):
    answer = send_guess(as_user(cast.alice), attacked, name)
    assert answer.status_code == 422
    assert words in answer.text


def test_the_pages_speak_of_the_own_table_and_of_candidates(cast, attacked, as_user):
    alice, slug = as_user(cast.alice), attacked.contest.slug
    anonymization = alice.get(reverse("round", args=[slug, "anonymization"])).text
    assert "To delete a record, keep its line" in anonymization
    assert "Row numbers start at 1" not in anonymization
    assert "lecture-teamred_original.csv" in anonymization
    assert ">LOSS</th>" in anonymization
    assert "worst rate" not in anonymization
    attack = alice.get(reverse("round", args=[slug, "attack"])).text
    assert "line in the candidate table" in attack
    assert "teamblue_anonymized.csv" in attack
    assert "teamblue_candidate.csv" in attack
    assert "teamred_attack_team&lt;team&gt;.csv" in attack


def test_the_result_page_says_the_utility(cast, attacked, as_user):
    submission = Submission.objects.get(team=attacked.red, round__key="anonymization")
    text = as_user(cast.alice).get(reverse("submission", args=[submission.public_id])).text
    assert "58.33" in text
    assert "3 anonymized records from 4 original records" in text


def test_a_guess_is_told_as_a_band_where_the_round_says_so(cast, attacked, as_user):
    round = lecture.round_of(attacked.contest, "attack")
    type(round).objects.filter(pk=round.pk).update(feedback="coarse")
    release = type(attacked.targets["Blue"]).objects.get(pk=attacked.targets["Blue"].pk)
    right = lecture.guess_file(lecture.key_of(release))
    submission = scored(pipeline.guess(cast.alice, attacked.red, release, right))
    text = as_user(cast.alice).get(reverse("submission", args=[submission.public_id])).text
    assert "90–100 %" in text


# Limits by the day


def at(hour: int, day: int = 21) -> datetime:
    return datetime(2031, 5, day, hour, 30, tzinfo=ZoneInfo("Asia/Tokyo"))


@pytest.fixture
def limited(example):
    """Two tries a day in the anonymization round, which is open for a week of May 2031 in Tokyo."""
    round = lecture.round_of(example.contest, "anonymization")
    type(round).objects.filter(pk=round.pk).update(
        opens_at=at(0, 20), closes_at=at(12, 22), tries_per_day=2
    )
    return example


def hand_in_at(cast, limited, moment: datetime) -> Submission:
    return lecture.hand_in(cast.alice, limited.red, lecture.ANONYMIZED, arrived_at=moment)


def test_tries_of_a_day_end_and_come_back_at_midnight_on_the_contests_clock(cast, limited):
    for hour in (0, 23):
        scored(hand_in_at(cast, limited, at(hour)))
    with pytest.raises(services.SubmissionRefused) as refused:
        hand_in_at(cast, limited, at(23) + timedelta(minutes=29))
    assert refused.value.code == "tries.none_today"
    assert "2031-05-22 00:00 JST" in refused.value.message
    assert hand_in_at(cast, limited, at(0, 22)).number == 3


def test_the_last_day_says_that_no_other_follows(cast, limited):
    for _ in range(2):
        scored(hand_in_at(cast, limited, at(1, 22)))
    with pytest.raises(services.SubmissionRefused) as refused:
        hand_in_at(cast, limited, at(2, 22))
    assert refused.value.code == "tries.none_before_close"


def test_what_is_refused_uses_no_try_of_the_day(cast, limited):
    bad = lecture.hand_in(cast.alice, limited.red, b"age\n1\n", arrived_at=at(1))
    assert scored(bad).state == "rejected"
    round = lecture.round_of(limited.contest, "anonymization")
    assert limits.left_today(limited.red, round, at(2)) == 2
    assert limits.left_today(limited.blue, round, at(2)) == 2


def test_guesses_of_a_day_are_counted_by_target(noon, cast, attacked, as_user):
    round = lecture.round_of(attacked.contest, "attack")
    type(round).objects.filter(pk=round.pk).update(
        tries_per_day=1, closes_at=noon + timedelta(days=3)
    )
    alice = as_user(cast.alice)
    assert send_guess(alice, attacked, "blue.csv").status_code == 302
    answer = send_guess(alice, attacked, "blue.csv")
    assert answer.status_code == 422
    following = "2031-05-15"
    said = (
        f"Blue: The attempts of this day are used. The next one is possible from {following} 00:00"
    )
    assert said in answer.text
    page = alice.get(reverse("round", args=[attacked.contest.slug, "attack"])).text
    assert "no attempts left today" in page
    assert f"The next one is possible from {following} 00:00 JST on." in page
    with pytest.raises(services.SubmissionRefused) as refused:
        pipeline.guess(cast.alice, attacked.red, _fresh(attacked.targets["Blue"]), b"1\n2\n3\n4\n")
    assert refused.value.code == "tries.none_today"


def test_guesses_in_the_whole_round_are_counted_against_all_targets(cast, attacked, as_user):
    contest = attacked.contest
    limits_ = "tries_per_target = 3\ntries_in_all = 2"
    text = contest.ruleset_text.replace("tries_per_target = 3", limits_)
    type(contest).objects.filter(pk=contest.pk).update(ruleset_text=text)
    alice = as_user(cast.alice)
    where = reverse("round", args=[contest.slug, "attack"])
    assert "2 attempts in the whole round" in alice.get(where).text
    assert send_guess(alice, attacked, "blue.csv").status_code == 302
    assert "1 left." in alice.get(where).text
    assert send_guess(alice, attacked, "blue.csv").status_code == 302
    assert "All attempts are used." in alice.get(where).text
    answer = send_guess(alice, attacked, "blue.csv")
    assert answer.status_code == 422
    assert "Blue: only 0 of 2 attempts in the whole round are left" in answer.text
    with pytest.raises(services.SubmissionRefused) as refused:
        pipeline.guess(cast.alice, attacked.red, _fresh(attacked.targets["Blue"]), b"1\n2\n3\n4\n")
    assert refused.value.code == "tries.none_in_all"
    rules = alice.get(reverse("rules", args=[contest.slug])).text
    assert "2 guesses in the whole round, against all other teams together." in rules


def _fresh(release):
    return type(release).objects.select_related("round__contest", "team").get(pk=release.pk)


def test_the_round_page_says_how_many_are_left_today(noon, cast, example, as_user):
    round = lecture.round_of(example.contest, "anonymization")
    type(round).objects.filter(pk=round.pk).update(tries_per_day=1)
    where = reverse("round", args=[example.contest.slug, round.key])
    assert "1 of 1 attempts left today" in as_user(cast.alice).get(where).text
    example.red.contest = type(example.contest).objects.get(pk=example.contest.pk)
    lecture.hand_in(cast.alice, example.red, lecture.ANONYMIZED)
    assert "The attempts of this day are used" in as_user(cast.alice).get(where).text


# Pauses


def test_a_pause_takes_nothing_in_but_what_had_begun(cast, example, as_user):
    now = timezone.now()
    contest = example.contest
    type(contest).objects.filter(pk=contest.pk).update(paused_at=now)
    example.red.contest = type(contest).objects.get(pk=contest.pk)
    with pytest.raises(services.SubmissionRefused) as refused:
        lecture.hand_in(cast.alice, example.red, lecture.ANONYMIZED, arrived_at=now)
    assert refused.value.code == "contest.paused"
    begun = now - timedelta(seconds=1)
    assert lecture.hand_in(cast.alice, example.red, lecture.ANONYMIZED, arrived_at=begun).pk
    where = reverse("round", args=[contest.slug, "anonymization"])
    page = as_user(cast.alice).get(where)
    assert "The contest is paused" in page.text
    upload = SimpleUploadedFile("y.csv", lecture.ANONYMIZED)
    answer = as_user(cast.alice).post(where, {"anonymized": upload})
    assert answer.status_code == 422
    assert "The contest is paused, so nothing can be submitted" in answer.text


# Stages


def test_an_attack_is_about_the_round_that_the_rules_name(cast):
    contest = factories.make_lecture_contest("staged")
    text = load_ruleset("pwscup2015-season").text
    type(contest).objects.filter(pk=contest.pk).update(ruleset_text=text)
    contest.rounds.all().delete()
    now = timezone.now()
    specs = parse_ruleset(text).rounds
    for position, spec in enumerate(specs):
        Round.objects.create(
            contest=contest,
            key=spec.key,
            kind=spec.kind,
            position=position,
            opens_at=now,
            closes_at=now + timedelta(days=1),
            tries=1,
            feedback="exact",
        )
    attacks = [spec for spec in specs if spec.phase == "attack"]
    assert len(attacks) == len({spec.attacks for spec in attacks}) == 2
    for spec in attacks:
        round = Round.objects.get(contest=contest, key=spec.key)
        assert selectors.attacked_round(round).key == spec.attacks


# Audits


def test_an_audit_compares_with_the_decoys(cast):
    cup = lecture.contest_of(cast)
    draws.ensure_drawn(cup.red)
    own = lecture.own_table(cup.red)
    submission = scored(lecture.hand_in(cast.alice, cup.red, own))
    found = evaluation.audited(submission, lambda *_: None)
    assert found.n_original == found.n_anonymized == 10
    assert found.membership is not None
    assert found.values["LOSS"] == 0


# Hidden measures


def test_a_hidden_measure_is_on_no_page_of_the_team(cast, example, as_user):
    submission = scored(lecture.hand_in(cast.alice, example.red, lecture.ANONYMIZED))
    pages = [
        reverse("submission", args=[submission.public_id]),
        reverse("round", args=[example.contest.slug, "anonymization"]),
    ]
    audit = reverse("audit", args=[submission.public_id])
    alice, oscar = as_user(cast.alice), as_user(cast.oscar)
    assert ["0.416667" in alice.get(page).text for page in pages] == [True, True]
    assert alice.get(audit).status_code == 200
    type(example.contest).objects.filter(pk=example.contest.pk).update(hidden_measures=["LOSS"])
    for page in pages:
        text = alice.get(page).text
        assert "0.416667" not in text
        assert "58.33" not in text
        assert "LOSS" not in text
    assert alice.get(audit).status_code == 404
    assert "58.33" in oscar.get(pages[0]).text
    assert oscar.get(audit).status_code == 200
