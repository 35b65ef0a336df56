# SPDX-License-Identifier: Apache-2.0
"""A program as scorer on the platform: its values, its digest, its messages and its failures."""

from __future__ import annotations

import time
from html import unescape

import pytest
from django.urls import reverse
from django.utils.translation import override

from pwscup.contests.selectors import unmeasured_under
from pwscup.contests.services import ContestRefused, publish
from pwscup.core import jobs
from pwscup.core.apps import check_programs
from pwscup.core.files import storage
from pwscup.core.installation import programs
from pwscup.core.installation.diagnosis import check_programs as check_of_doctor
from pwscup.core.installation.diagnosis import check_sandbox
from pwscup.core.models import Event
from pwscup.core.texts.problems import parts
from pwscup.submissions import draws, selectors
from pwscup.submissions.models import Submission
from pwscup.submissions.states import State
from pwscup.trials.models import Trial
from scoring.errors import Problem
from scoring.rulesets import parse_ruleset
from scoring.sandbox.programs import ProgramError
from tests import factories
from tests.programs import SCORER, SECTION, allow, composite_text, program_ruleset
from tests.web.pipeline import hand_in, scored, two_teams

pytestmark = pytest.mark.usefixtures("sent")
LEAKS = "import sys; print(open(sys.argv[1] + '/ref/original.csv').read()); sys.exit(9)"
REJECTS = (
    "import sys; open(sys.argv[2] + '/rejected.json', 'w').write('{\"message\": \"too-few\"}')"
)
COUNTS = """
import json, os, sys
inputs, outputs = sys.argv[1:]
assert sorted(os.listdir(inputs + "/res")) == ["anonymized.csv"]
n = open(inputs + "/res/anonymized.csv", encoding="utf-8-sig").read().count("\\n") - 1
json.dump({"changed": n}, open(outputs + "/scores.json", "w"))
"""
WRITES = "import sys; open(sys.argv[2] + '/scores.json', 'w').write({!r})".format
FAILS = {
    "hangs": ("import time; time.sleep(60)", "it exceeded the limit of time"),
    "forks": (
        "import os\nwhile True:\n try: os.fork()\n except OSError: pass",
        "it exceeded the limit of processes",
    ),
    "fills the disk": (
        "n = 0\nwhile n := n + 1: open(f'tmp/{n}', 'wb').write(bytes(2**20))",
        "it exceeded the limit of output",
    ),
    "prints": ("for _ in range(1024): print('x' * 2**20)", "it exceeded the limit of output"),
    "takes memory": ("x = [bytearray(b'1') * 2**20 for _ in range(4000)]", "it e"),
    "writes nothing": ("pass", "it wrote no scores.json"),
    "writes no JSON": (WRITES("changed = 1"), "scores.json is no JSON object"),
    "writes NaN": (WRITES('{"changed": NaN}'), "scores.json has no number changed"),
    "exits": ("raise SystemExit(7)", "it ended with exit status 7"),
}


@pytest.fixture
def program(cast, settings, tmp_path):
    """A contest whose rules name a program that is allowed."""
    cast.contest.ruleset_text = program_ruleset().text
    cast.contest.save()

    def allowed(*code, **limits):
        settings.PROGRAMS_FILE = str(allow(tmp_path, *code, **limits))

    allowed()
    return allowed


def work(cast, round):
    round.contest = cast.contest
    return hand_in(cast.alice, cast.red, round)


def test_a_program_scores_and_its_digest_is_kept(cast, round, program):
    result = scored(work(cast, round)).evaluations.get()
    assert result.values["changed"] == 4
    assert result.values["U1"] == 1.25
    assert result.input_hashes["program changes"] == programs.allowed("changes").digest


def test_a_rejection_is_in_the_words_of_the_ruleset(cast, round, program):
    program(REJECTS)
    submission = scored(work(cast, round))
    assert submission.state == State.REJECTED
    (problem,) = map(Problem.from_dict, submission.problems)
    assert parts(problem)[-1] == "Too few records are left."
    with override("ja"):
        assert parts(problem)[-1] == "レコードが少なすぎます。"


@pytest.mark.parametrize(("code", "cause"), FAILS.values(), ids=FAILS)
def test_what_a_program_does_wrong_fails_within_its_limits_and_harms_nothing(
    cast, round, program, as_user, code, cause
):
    program(code, seconds=1 if cause.endswith("time") else 10)
    began = time.monotonic()
    submission = scored(work(cast, round))
    assert time.monotonic() - began < 30
    assert (submission.state, submission.problems) == (State.FAILED, [])
    assert selectors.tries_left(cast.red, round) == round.tries
    team = as_user(cast.alice).get(reverse("submission", args=[submission.public_id]))
    assert "Sorry, scoring failed" in team.content.decode()
    assert "program changes" not in team.content.decode()
    listed = reverse("organize-submissions", args=[cast.contest.slug])
    page = as_user(cast.oscar).get(listed).content.decode()
    assert f"program changes: {cause}" in unescape(page)
    event = Event.objects.get(kind="submission.failed")
    assert event.data["cause"]["params"]["name"] == "changes"
    program()  # the same worker, a moment later
    assert scored(work(cast, round)).state == State.SCORED
    assert selectors.tries_left(cast.red, round) == round.tries - 1


def test_the_cause_is_in_the_reader_s_language_and_that_of_the_last_failure(
    cast, round, program, as_user, settings, monkeypatch
):
    program(FAILS["exits"][0])
    submission = scored(work(cast, round))
    oscar, url = as_user(cast.oscar), reverse("organize-submissions", args=[cast.contest.slug])
    page = oscar.get(url, headers={"accept-language": "ja"}).content.decode()
    assert "プログラム「changes」：終了ステータス7で終了しました" in page
    monkeypatch.setattr("pwscup.submissions.evaluation.evaluate", lambda _pk: 1 / 0)
    oscar.post(reverse("organize-retry", args=[cast.contest.slug]), {"submission": submission.pk})
    assert scored(submission).state == State.FAILED
    assert "exit status" not in oscar.get(url).content.decode()


def test_a_composite_of_a_program_s_value_is_scored_and_shown(cast, round, program, as_user):
    cast.contest.ruleset_text = composite_text()
    cast.contest.save()
    submission = scored(work(cast, round))
    assert submission.evaluations.get().values["points"] == 99.6
    page = as_user(cast.alice).get(reverse("submission", args=[submission.public_id]))
    assert "Kept records" in page.content.decode()
    rules = as_user(cast.alice).get(reverse("rules", args=[cast.contest.slug])).content.decode()
    assert "A table with a value below 50 is rejected." in rules
    program(SCORER.replace('"changed": changed', '"changed": 900'))
    rejected = scored(work(cast, round))
    (problem,) = map(Problem.from_dict, rejected.problems)
    assert "Kept records (points)" in parts(problem)[1]


def test_organizers_confirm_a_table_and_teams_try_methods_without_the_program(
    cast, round, program, as_user
):
    cast.contest.ruleset_text = composite_text()
    cast.contest.has_trials = True
    cast.contest.save()
    schema = cast.contest.datasets.get().schema
    assert not {"changed", "points"} & {*unmeasured_under(cast.contest, schema)}
    url = reverse("trials", args=[cast.contest.slug, round.key])
    as_user(cast.alice).post(url, {"method": "noise", "noise-scale": 0.1})
    trial = Trial.objects.get()
    jobs.work_on(Trial, trial.pk)
    trial.refresh_from_db()
    assert (trial.state, trial.problems) == ("done", [])
    assert "U1" in trial.values
    assert not {"changed", "points"} & set(trial.values)


def test_a_program_scores_synthetic_tables(cast, settings, tmp_path):
    """The file of rows is missing, as no record was made from a certain one."""
    settings.PROGRAMS_FILE = str(allow(tmp_path, COUNTS))
    text = factories.cohort_ruleset().text + SECTION
    contest = factories.make_cohort_contest(parse_ruleset(text), organizer=cast.oscar)
    cup = two_teams(cast, contest)
    data = storage.read(draws.ensure_drawn(cup.red).public)
    files = {"synthetic": ("s.csv", data)}
    done = scored(hand_in(cast.alice, cup.red, contest.rounds.get(key="synthesis"), files=files))
    result = done.evaluations.get()
    assert result.values["changed"] == data.count(b"\n") - 1
    assert result.input_hashes["program changes"] == programs.allowed("changes").digest


@pytest.mark.parametrize("code", [LEAKS, "while True: pass"])
def test_a_failure_has_a_reference_and_no_hidden_value(cast, round, program, caplog, code):
    program(code, seconds=1)
    submission = scored(work(cast, round))
    assert (submission.state, submission.problems) == (State.FAILED, [])
    assert submission.reference in caplog.text
    assert "program changes: it e" in caplog.text
    hidden = factories.ORIGINAL.decode().splitlines()[1]
    row = Submission.objects.filter(pk=submission.pk).values().get()
    assert hidden not in caplog.text + str(row)


def test_a_program_that_nobody_allowed_runs_nothing(cast, round, program, settings):
    settings.PROGRAMS_FILE = ""
    assert scored(work(cast, round)).state == State.FAILED
    with pytest.raises(ProgramError, match="has not allowed it"):
        programs.allowed("changes")


def test_organizers_see_the_state_of_the_program(cast, as_user, program, settings, monkeypatch):
    client, address = as_user(cast.oscar), reverse("organize-rules", args=[cast.contest.slug])
    page = client.get(address).content.decode()
    assert programs.allowed("changes").digest in page
    assert "Not enforced on this machine" not in page
    monkeypatch.setattr(programs, "enforcement", frozenset)
    assert "network, reading" in client.get(address).content.decode()
    settings.PROGRAMS_FILE = ""
    assert "the administrator has not allowed it" in client.get(address).content.decode()


def test_a_value_is_described_in_the_readers_language(cast, as_user, program):
    cast.contest.ruleset_text = cast.contest.ruleset_text.replace('"Changed records"', '"Time"')
    cast.contest.save()
    client = as_user(cast.oscar)
    client.cookies["django_language"] = "ja"
    page = client.get(reverse("rules", args=[cast.contest.slug])).content.decode()
    assert "主催者のプログラムが計算する値です。" in page


def test_rules_with_a_program_that_nobody_allowed_are_not_published(
    cast, as_user, program, settings
):
    cast.contest.is_published = False
    cast.contest.save()
    page = reverse("organize-contest", args=[cast.contest.slug])
    refusal = "The administrator has not allowed the program “changes”"
    assert refusal not in as_user(cast.oscar).get(page).content.decode()
    settings.PROGRAMS_FILE = ""
    assert refusal in as_user(cast.oscar).get(page).content.decode()
    with pytest.raises(ContestRefused):
        publish(actor=cast.oscar, contest=cast.contest)
    cast.contest.refresh_from_db()
    assert not cast.contest.is_published


def test_checks_name_what_keeps_a_program_from_running(settings, tmp_path, monkeypatch):
    assert check_programs() == []
    settings.PROGRAMS_FILE = str(allow(tmp_path))
    assert check_programs() == []
    monkeypatch.setattr(programs, "enforcement", lambda: frozenset(programs.PARTS) - {"network"})
    (lacking,) = check_programs()
    assert "does not enforce network" in lacking.msg
    settings.PROGRAMS_FILE = str(allow(tmp_path, seconds=settings.SCORING_TIME_LIMIT))
    assert "not less than those of scoring as a whole" in check_programs()[0].msg
    (tmp_path / "changes" / "score.py").unlink()
    (tmp_path / "programs.toml").write_text('[a]\ncommand = ["/none"]\nfolder = "/none"\n', "utf-8")
    assert [found.id for found in check_programs()] == ["pwscup.E001", "pwscup.E001", "pwscup.W001"]
    assert [finding.level.value for finding in check_of_doctor()] == ["fault", "fault"]
    assert [finding.level.value for finding in check_sandbox()] == ["warning"]
    settings.PROGRAMS_FILE = str(tmp_path / "missing.toml")
    assert "missing.toml" in next(iter(check_programs())).msg
