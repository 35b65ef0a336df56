# SPDX-License-Identifier: Apache-2.0
"""Rounds that ask questions about published tables, from the sheets to results, bands and debriefings."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone

from pwscup.accounts.models import Team
from pwscup.bots.playing import rounds as playing
from pwscup.contests import truth
from pwscup.contests.models import Contest, Round
from pwscup.core.files import storage
from pwscup.leaderboards import facts
from pwscup.leaderboards.scope import scope_of
from pwscup.submissions import evaluation, releases, selectors
from pwscup.submissions.evaluation.found import most_found
from pwscup.submissions.models import Evaluation, Release, Submission
from pwscup.submissions.proof import reveals
from pwscup.submissions.services import SubmissionRefused
from scoring.proof.reveals import checks_of_release, read_reveal
from scoring.rulesets import load_ruleset, parse_ruleset
from tests import factories
from tests.web import lecture, pipeline, questions
from tests.web.api import Program
from tests.web.pipeline import scored
from tests.web.questions import BALANCES, LINKS, MEMBERS

pytestmark = pytest.mark.usefixtures("sent")
BOTH = questions.ruleset(MEMBERS, BALANCES)


def values_of(submission: Submission) -> dict[str, float]:
    assert submission.state == "scored", submission.problems
    return selectors.latest_evaluation(submission).values


@pytest.fixture
def cup(cast):
    return questions.published(cast, BOTH)


def test_sheets_ask_about_own_records_and_decoys(cup):
    release = cup.releases["Red"]
    sheets, keys = questions.sheets_of(release), questions.keys_of(release)
    assert [*sheets] == ["members.csv", "balances.csv"]
    assert release.candidates.name == "teamred_questions.zip"
    header, *lines = sheets["members.csv"].decode().splitlines()
    assert header == "question,age,city,balance"
    whole = factories.lecture_table().decode().splitlines()[1:]
    for number, (line, is_member) in enumerate(
        zip(lines, keys["members"].inside, strict=True), start=1
    ):
        row = next(n for n, record in enumerate(whole) if record.endswith(line.split(",", 1)[1]))
        assert line.startswith(f"{number},")
        assert row in (range(10) if is_member else range(10, 20))
    assert keys["members"].inside.sum() == 4
    assert sheets["balances.csv"].decode().splitlines()[0] == "question,age,city"
    assert len(keys["balances"].values["balance"]) == 10


def test_sheets_are_the_same_when_they_are_published_again(cup):
    """They follow from the contest's secret."""
    release = cup.releases["Red"]
    before = questions.sheets_of(release)
    Release.objects.all().delete()
    again = {r.team.name: r for r in releases.publish(release.round)}
    assert questions.sheets_of(again["Red"]) == before
    assert questions.sheets_of(again["Blue"]) != before


def test_the_whole_course_in_the_browser(cast, cup, client):
    """Carol downloads, answers, reads her result; her own table is no target, and Red reads nothing of it."""
    release, attack = cup.releases["Red"], cup.releases["Red"].round
    url = reverse("round", args=[cup.contest.slug, attack.key])
    client.force_login(cast.carol)
    page = client.get(url).content.decode()
    assert "teamred_questions.zip" in page
    assert "members.csv" in page
    assert "Columns: question, confidence." in page
    offered = client.get(reverse("release-candidates", args=[release.public_id]))
    assert b"".join(offered.streaming_content)[:2] == b"PK"

    right = questions.right_answers(release, BOTH)
    wrong = {**right, "members": right["members"].replace(b",1\n", b",2\n")}
    sent = [SimpleUploadedFile(f"{key}_{cup.red.slug}.csv", data) for key, data in wrong.items()]
    response = client.post(url, {"guess": sent, "note": ""}, follow=True)
    refused = scored(Submission.objects.latest("pk"))
    assert refused.state == "rejected"
    assert {(p["code"], p["file"]) for p in refused.problems} == {("answer.confidence", "members")}
    assert selectors.tries_left(cup.blue, attack, release) == attack.tries

    packed = questions.archive_of({f"{k}_{cup.red.slug}.csv": data for k, data in right.items()})
    response = client.post(url, {"guess": SimpleUploadedFile("all.zip", packed)}, follow=True)
    taken = Submission.objects.latest("pk")
    assert response.redirect_chain[-1][0] == reverse("submission", args=[taken.public_id])
    values = values_of(scored(taken))
    assert values == {
        "n_records": 9, "hits": 9, "rate": 1.0, "members": 1.0, "members.members": 1.0,
        "members.others": 0.0, "balances": 0.0, "balances.members": 1.0, "balances.controls": 1.0,
    }  # fmt: skip
    result = client.get(reverse("submission", args=[taken.public_id])).content.decode()
    assert "success rate" in result

    client.force_login(cast.alice)
    assert client.get(reverse("submission", args=[taken.public_id])).status_code == 404


def test_one_file_with_the_answers_for_all_targets(cast, client):
    rules = questions.ruleset(MEMBERS)
    cup = questions.published(cast, rules)
    green = factories.make_team(cup.contest, "Green", cast.eve)
    attack = cup.releases["Red"].round
    keys = {r.team.slug: questions.keys_of(r)["members"] for r in cup.releases.values()}
    url = reverse("round", args=[cup.contest.slug, attack.key])
    client.force_login(cast.eve)
    lines = [
        ",".join([str(n + 1), *(str(int(key.inside[n])) for key in keys.values())])
        for n in range(8)
    ]
    wide = "\n".join([",".join(["question", *keys]), *lines, ""]).encode()
    broken = wide.replace(cup.red.slug.encode(), b"teal", 1)
    response = client.post(url, {"guess": SimpleUploadedFile("members.csv", broken)})
    assert response.status_code == 422
    assert "not a target of this round" in response.content.decode()
    assert not Submission.objects.filter(team=green).exists()

    client.post(url, {"guess": SimpleUploadedFile("members.csv", wide)})
    made = Submission.objects.filter(team=green)
    assert sorted(s.target.team.name for s in made) == ["Blue", "Red"]
    assert {values_of(scored(s))["rate"] for s in made} == {1.0}


def test_problems_of_all_files_come_together(cast, cup):
    release = cup.releases["Red"]
    broken = {"members": b"question,confidence\n1,nan\n", "balances": b"question,balance\n11,x\n"}
    taken = scored(questions.answer(cast.carol, cup.blue, release, broken))
    found = {(p["file"], p["code"]) for p in taken.problems}
    assert found == {
        ("members", "answer.confidence"), ("members", "answer.missing"),
        ("balances", "answer.not_asked"), ("balances", "answer.missing"),
    }  # fmt: skip
    with pytest.raises(SubmissionRefused, match="missing"):
        questions.answer(cast.carol, cup.blue, release, {"members": b"question,confidence\n"})


def test_a_margin_is_said_in_the_rules_and_shown_with_the_result(cast, client):
    """Four members among eight: right answers are 100 %, and 50 % and 1.64 errors of 19 % are chance."""
    bits = {key: value for key, value in MEMBERS.items() if key != "fpr"}
    rules = questions.ruleset({**bits, "answers": "bits", "result": "hits", "margin": 1.64})
    cup = questions.published(cast, rules)
    release = cup.releases["Red"]
    taken = questions.answer(cast.carol, cup.blue, release, questions.right_answers(release, rules))
    values = values_of(scored(taken))
    assert (values["members.rate"], values["members.chance"]) == (1.0, 0.5)
    assert values["rate"] == values["members"] == pytest.approx(1 - 1.64 / 7**0.5, abs=1e-8)
    assert (values["hits"], values["n_records"]) == (4, 4)
    client.force_login(cast.carol)
    for language, said, shown in (
        (
            "en",
            "above chance by more than 1.64 standard errors",
            "100.00 %, by chance up to 80.99 %",
        ),
        ("ja", "標準誤差の1.64倍を超えて", "補正前100.00％（偶然でも最大80.99％）"),
    ):
        client.cookies["django_language"] = language
        page = client.get(reverse("rules", args=[cup.contest.slug])).content.decode()
        assert said in page
        result = client.get(reverse("submission", args=[taken.public_id])).content.decode()
        assert shown in result.replace("\u00a0", " "), result


def test_links_name_lines_of_the_shuffled_table(cast):
    rules = questions.ruleset({**LINKS, "result": "first"})
    cup = questions.published(cast, rules)
    release = cup.releases["Red"]
    key = questions.keys_of(release)["lines"]
    table = lecture.records_of(factories.lecture_table())[1:]
    shown = questions.sheets_of(release)["lines.csv"].decode().splitlines()[1:]
    lines = lecture.records_of(storage.read(release.table))[1:]
    for asked, line in zip(shown, key.lines, strict=True):
        record = asked.split(",")[1:]
        assert (record in lines) == (line >= 0)
        if line >= 0:
            assert lines[line] == record
    assert len(table) == 60
    found = scored(
        questions.answer(cast.carol, cup.blue, release, questions.right_answers(release, rules))
    )
    assert values_of(found)["rate"] == 1.0


def test_which_rows_of_a_common_table_were_kept(cast):
    """2022: the attackers have the original, and say which of its records a team kept."""
    asked = {"key": "kept", "asks": "membership", "result": "over_half", "title": questions.TITLE}
    text = load_ruleset("pwscup2015").text
    rules = questions.ruleset(asked, {**LINKS, "result": "any"}, text=text, combine="mean")
    contest = factories.make_contest("kept", organizer=cast.oscar, ruleset=rules)
    cup = pipeline.two_teams(cast, contest)
    lines = factories.NOISY.splitlines(keepends=True)
    rows = factories.ROWS.split()
    first = len(rows) - (len(lines) - 1)
    short = {"anonymized": b"".join(lines[:-1]), "rows": b"\n".join(rows[:-1])}
    scored(
        pipeline.hand_in(cast.alice, cup.red, pipeline.round_of(contest, "anonymization"), **short)
    )
    release = pipeline.publish(contest)["Red"]
    keys = questions.keys_of(release)
    n_rows = factories.ORIGINAL.count(b"\n") - 1
    left_out = {*range(n_rows)} - {int(row) - 1 for row in rows[first:-1]}
    shown = questions.sheets_of(release)["kept.csv"].splitlines()[1:]
    assert len(shown) == n_rows
    assert {
        int(u) for u, i in zip(keys["kept"].units, keys["kept"].inside, strict=True) if not i
    } == left_out
    assert (keys["lines"].lines >= 0).sum() == n_rows - len(left_out)
    files = questions.right_answers(release, rules)
    found = scored(questions.answer(cast.carol, cup.blue, release, files))
    assert values_of(found)["rate"] == 1.0


def test_programs_send_an_archive_of_answers(cast, cup):
    release = cup.releases["Red"]
    program = Program(cast.carol)
    path = f"/contests/lecture/rounds/attack/submissions?target={cup.red.slug}"
    files = {f"{k}.csv": v for k, v in questions.right_answers(release, BOTH).items()}
    sent = program.post(path, questions.archive_of(files), "application/zip")
    assert sent.status_code == 201, sent.content
    taken = Submission.objects.latest("pk")
    assert values_of(scored(taken))["members"] == 1.0
    broken = program.post(path, b"no archive", "application/zip")
    assert (broken.status_code, broken.json()["problems"][0]["code"]) == (422, "bundle.broken")
    half = program.post(path, questions.archive_of({"members.csv": b"x"}), "application/zip")
    assert half.json()["problems"][0]["code"] == "file.missing"
    assert Submission.objects.latest("pk") == taken


def test_the_rules_say_what_is_asked_in_both_languages(cast, client):
    cup = questions.contest_of(cast, BOTH)
    url = reverse("rules", args=[cup.contest.slug])
    english = client.get(url).content.decode()
    assert "the true positive rate at a false positive rate of 0.5" in english
    assert "The rate of a guess is the largest of the results of its questions." in english
    client.cookies["django_language"] = "ja"
    assert "偽陽性率0.5での真陽性率" in client.get(url).content.decode()


@pytest.mark.parametrize(
    ("rules", "right", "wrong"),
    [
        (BOTH, "成功率", "再識別率"),
        (questions.ruleset({**LINKS, "result": "first"}), "再識別率", "成功率"),
    ],
    ids=["membership", "links"],
)
def test_only_links_are_re_identification(cast, client, rules, right, wrong):
    """Boards called every rate that of re-identification, and the pages of rounds none."""
    cup = questions.published(cast, rules)
    release = cup.releases["Red"]
    taken = questions.answer(cast.carol, cup.blue, release, questions.right_answers(release, rules))
    scored(taken)
    client.force_login(cast.carol)
    client.cookies["django_language"] = "ja"
    slug = cup.contest.slug
    board = reverse("board", args=[slug])
    for url in (
        reverse("rules", args=[slug]),
        reverse("round", args=[slug, release.round.key]),
        reverse("submission", args=[taken.public_id]),
        *(f"{board}?board={key}" for key in ("score", "matrix")),
    ):
        page = client.get(url).content.decode()
        assert right in page or url.endswith("matrix"), url
        assert wrong not in page, url


def test_a_debriefing_names_the_records_that_were_found(cast, cup):
    release = cup.releases["Red"]
    scored(questions.answer(cast.carol, cup.blue, release, questions.right_answers(release, BOTH)))
    guesses = Submission.objects.filter(target=release)
    keys = questions.keys_of(release)
    found = evaluation.debriefed_table(
        release, list(guesses.select_related("round__contest", "team"))
    )
    asked = {int(u) for key in keys.values() for u in key.units[key.inside]}
    assert found["n_attackers"] == 1
    assert [*found["times"]] == [10 - len(asked), len(asked)]


def test_the_reveal_still_derives_every_release(cast, cup):
    contest = cup.contest
    for round in contest.rounds.all():
        pipeline.close(round)
    reveals.publish_reveal(actor=cast.oscar, contest=contest)
    contest.refresh_from_db()
    told = read_reveal(storage.read(contest.reveal))
    for release in cup.releases.values():
        sent = lecture.own_table(release.team)
        schema = contest.datasets.get(team=None, key="original").schema
        checks = checks_of_release(told, sent, storage.read(release.table), schema)
        assert [check.holds for check in checks] == [True] * 3


# Which records a guess found


def test_the_record_that_most_attackers_found(cast, cup):
    release = cup.releases["Red"]
    green = factories.make_team(cup.contest, "Green", cast.eve)
    right = questions.right_answers(release, BOTH)
    none = {**right, "members": right["members"].replace(b",1\n", b",0\n")}
    none["balances"] = b"question,balance\n" + b"".join(b"%d,\n" % n for n in range(1, 11))
    attack = release.round
    assert most_found(attack) == {}
    scored(questions.answer(cast.carol, cup.blue, release, right))
    assert most_found(attack) == {cup.red.pk: 1}
    before = timezone.now()
    scored(questions.answer(cast.eve, green, release, right))
    assert most_found(attack) == {cup.red.pk: 2}
    assert most_found(attack, before) == {cup.red.pk: 1}
    assert most_found(attack, attackers=[cup.blue.pk]) == {cup.red.pk: 1}
    scored(questions.answer(cast.eve, green, release, none))
    assert most_found(attack) == {cup.red.pk: 1}


def test_boards_get_the_number_where_the_rules_have_a_penalty(cast, cup):
    release = cup.releases["Red"]
    green = factories.make_team(cup.contest, "Green", cast.eve)
    right = questions.right_answers(release, BOTH)
    scored(questions.answer(cast.carol, cup.blue, release, right))
    scored(questions.answer(cast.eve, green, release, right))
    pipeline.close(release.round)
    contest = Contest.objects.get(pk=cup.contest.pk)
    for penalty, expected in (("none", {}), ("repeats", {cup.red.pk: 2})):
        scope = scope_of(contest, timezone.now())
        ranking = replace(contest.ruleset.ranking, penalty=penalty)
        scope = replace(scope, rules=replace(scope.rules, ranking=ranking))
        found = [part.repeats for part in facts.gather(scope) if part.attack is not None]
        assert found == [expected]


def test_a_guess_of_rows_keeps_what_it_got_right(cast):
    cup = lecture.example(cast)
    scored(lecture.hand_in(cast.alice, cup.red, lecture.ANONYMIZED))
    release = lecture.publish(cup.contest)["Red"]
    lines = lecture.guess_file(lecture.key_of(release))
    scored(pipeline.guess(cast.carol, cup.blue, release, lines))
    assert most_found(release.round) == {cup.red.pk: 1}


def test_only_the_door_reads_what_guesses_got_right(cast, cup, client):
    """The text is on no page, in no list for organizers, and in no answer of the API."""
    release = cup.releases["Red"]
    taken = scored(
        questions.answer(cast.carol, cup.blue, release, questions.right_answers(release, BOTH))
    )
    secret = Evaluation.objects.get(submission=taken).right
    assert truth.most_found([secret, secret]) == 2
    slug, key = cup.contest.slug, release.round.key
    for user in (cast.carol, cast.alice, cast.oscar):
        client.force_login(user)
        for url in (
            reverse("submission", args=[taken.public_id]),
            reverse("round", args=[slug, key]),
            reverse("board", args=[slug]),
            reverse("api-submission", args=[taken.public_id]),
        ):
            assert secret not in client.get(url).content.decode()


# Feedback, bots, and the organizer's own tables


def test_named_bands(cast, client):
    band = [
        {"at_least": 0, "title": {"en": "weak", "ja": "弱い"}},
        {"at_least": 0.5, "title": {"en": "strong", "ja": "強い"}},
    ]
    rules = questions.ruleset(MEMBERS, feedback="coarse", band=band)
    cup = questions.published(cast, rules)
    release = cup.releases["Red"]
    Round.objects.filter(pk=release.round.pk).update(feedback="coarse")
    files = questions.right_answers(release, rules)
    taken = scored(questions.answer(cast.carol, cup.blue, release, files))
    client.force_login(cast.carol)
    page = client.get(reverse("submission", args=[taken.public_id])).content.decode()
    assert "strong" in page
    assert "100" not in page.split("result-title")[1].split("</section>")[0]


def test_bots_answer_every_question(cast, cup):
    contest = cup.contest
    house = [
        Team.objects.create(contest=contest, name=name, slug=name.lower(), is_house=True)
        for name in ("Noise", "Mondrian")
    ]
    attack = cup.releases["Red"].round
    assert playing.play_round(contest, attack) == 4
    rates = {
        s.team.name: values_of(scored(s))["rate"] for s in Submission.objects.filter(round=attack)
    }
    assert rates["Mondrian"] == 1.0  # the tables were published unchanged
    assert {team.name for team in house} == set(rates)


def test_the_organizers_publish_tables_of_the_platforms_teams(cast, client):
    rules = questions.ruleset(MEMBERS)
    text = rules.text.replace(
        'kind = "aligned-anonymization"', 'kind = "aligned-anonymization"\nby = "organizer"'
    )
    cup = questions.contest_of(cast, parse_ruleset(text))
    house = Team.objects.create(contest=cup.contest, name="Noise", slug="noise", is_house=True)
    factories.give_table(house, [*range(10)], [*range(20)])
    anonymization = pipeline.round_of(cup.contest, "anonymization")
    with pytest.raises(SubmissionRefused, match="organizers publish"):
        lecture.hand_in(cast.alice, cup.red, lecture.own_table(house))
    url = reverse("round", args=[cup.contest.slug, anonymization.key])
    client.force_login(cast.alice)
    assert "organizers publish the tables" in client.get(url).content.decode()
    for user, expected in ((cast.eve, 422), (cast.oscar, 302)):
        client.force_login(user)
        table = SimpleUploadedFile("table.csv", lecture.own_table(house))
        sent = client.post(url, {"anonymized": table, "for_team": "noise"})
        assert sent.status_code == expected
    taken = scored(Submission.objects.get(round=anonymization))
    assert (taken.team, taken.submitted_by) == (house, cast.oscar)
    release = lecture.publish(cup.contest)["Noise"]
    files = questions.right_answers(release, rules)
    found = scored(questions.answer(cast.carol, cup.blue, release, files))
    assert values_of(found)["rate"] == 1.0
