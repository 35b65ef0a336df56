"""A program as scorer on the platform: its values, its digest, its messages and its failures."""

from __future__ import annotations

import pytest
from django.urls import reverse
from django.utils.translation import override

from pwscup.core.apps import check_programs
from pwscup.core.installation import programs
from pwscup.core.installation.diagnosis import check_programs as check_of_doctor
from pwscup.core.installation.diagnosis import check_sandbox
from pwscup.core.texts.problems import parts
from pwscup.submissions.models import Submission
from pwscup.submissions.states import State
from scoring.errors import Problem
from scoring.sandbox.programs import ProgramError
from tests import factories
from tests.programs import allow, program_ruleset
from tests.web.pipeline import hand_in, scored

pytestmark = pytest.mark.usefixtures("sent")
LEAKS = "import sys; print(open(sys.argv[1] + '/ref/original.csv').read()); sys.exit(9)"
REJECTS = (
    "import sys; open(sys.argv[2] + '/rejected.json', 'w').write('{\"message\": \"too-few\"}')"
)


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


def test_checks_name_what_keeps_a_program_from_running(settings, tmp_path, monkeypatch):
    assert check_programs() == []
    settings.PROGRAMS_FILE = str(allow(tmp_path))
    assert check_programs() == []
    monkeypatch.setattr(programs, "enforcement", lambda: frozenset(programs.PARTS) - {"network"})
    (lacking,) = check_programs()
    assert "does not enforce network" in lacking.msg
    (tmp_path / "changes" / "score.py").unlink()
    (tmp_path / "programs.toml").write_text('[a]\ncommand = ["/none"]\nfolder = "/none"\n', "utf-8")
    assert [found.id for found in check_programs()] == ["pwscup.E001", "pwscup.E001", "pwscup.W001"]
    assert [finding.level.value for finding in check_of_doctor()] == ["fault", "fault"]
    assert [finding.level.value for finding in check_sandbox()] == ["warning"]
    settings.PROGRAMS_FILE = str(tmp_path / "missing.toml")
    assert "missing.toml" in next(iter(check_programs())).msg
