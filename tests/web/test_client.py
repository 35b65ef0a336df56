# SPDX-License-Identifier: Apache-2.0
"""The client on a running site: every kind of round, from Python and from the command line."""

from __future__ import annotations

import dataclasses
import json
from datetime import timedelta

import numpy as np
import pandas as pd
import pytest
from django.utils import timezone

import scoring
from pwscup.api.views import document
from pwscup.client import (
    Client,
    FileError,
    Kit,
    Problem,
    Refused,
    Rejected,
    TokenError,
    UnknownError,
    UnreachableError,
    answers,
)
from pwscup.client.cli.main import main
from pwscup.submissions import draws
from pwscup.submissions.models import Submission
from tests import factories
from tests.client.conftest import home
from tests.client.live import client_of, score_all, token_of
from tests.web import lecture, pipeline, questions, series

pytestmark = pytest.mark.usefixtures("home")
assert home


def run(capsys, *words: object) -> tuple[int, str, str]:
    """Exit status and output of a command."""
    status = main([str(word) for word in words])
    printed = capsys.readouterr()
    return status, printed.out, printed.err


# The flagship's rounds


def test_a_first_submission_from_python(cast, live_server, tmp_path):
    client = client_of(cast.alice, live_server)
    assert client.me().name == cast.alice.display_name
    assert [one.slug for one in client.contests()] == ["cup"]
    assert client.rate is not None
    assert client.rate.left == client.rate.limit - 2
    contest = client.contest("cup")
    assert repr(contest) == "<Contest: Test Cup (cup), running; team Red>"
    assert "<table>" in contest._repr_html_()
    kit = contest.download(tmp_path / "cup")
    assert {"original", "schema", "rules"} <= set(kit.files)
    original = kit.original()
    pd.testing.assert_frame_equal(original, contest.original())
    made = scoring.anonymize(original, "mondrian", kit.schema, k=2, seed=1)
    assert kit.validate(made)
    at_home = kit.score(made)
    submitted = contest.submit(made, note="first", wait=60)
    assert (submitted.state, submitted.counts, submitted.note) == ("scored", True, "first")
    assert submitted.values["U1"] == at_home["U1"]
    assert {one.key for one in submitted.files} == {"anonymized", "rows"}
    assert submitted.content("anonymized") == made.file()
    assert submitted.receipt()["submission"] == submitted.id
    assert submitted.ranks().are_shown
    assert [one.id for one in contest.submissions()] == [submitted.id]
    assert repr(submitted).startswith("<Submission: #1 in cup/anonymization: scored; U1 ")
    board = contest.board()
    assert board.to_frame().columns.tolist() == board.columns
    again = contest.submit(original, np.arange(4), wait=60)  # a frame, and rows as an array
    assert again.content("rows") == factories.ROWS
    assert submitted.choose().counts
    assert submitted.annotate("best").note == "best"


def test_problems_name_their_place(cast, live_server):
    contest = client_of(cast.alice, live_server).contest("cup")
    wrong = factories.NOISY.replace(b"110", b"many")
    with pytest.raises(Rejected) as caught:
        contest.submit(wrong, factories.ROWS, wait=60)
    (problem,) = caught.value.problems
    assert (problem.code, problem.row, problem.column) == ("cell.not_a_number", 1, "sa1")
    assert "got “many”" in str(problem)
    japanese = client_of(cast.alice, live_server, language="ja").contest("cup")
    (problem,) = japanese.submissions()[0].problems
    assert "数値" in problem.message
    with pytest.raises(UnknownError, match=r"no round 'atack'; did you mean attack\?"):
        contest.round("atack")
    with pytest.raises(UnknownError, match=r"no contest 'cap'; did you mean cup\?"):
        contest.client.contest("cap")
    with pytest.raises(UnknownError, match=r"no board 'matirx'; did you mean matrix\?"):
        contest.board("matirx")
    with pytest.raises(FileError, match=r"no file 'anonymised'; did you mean anonymized\?"):
        contest.submit(files={"anonymised": b""})
    with pytest.raises(FileError, match="rows: expected a path, bytes or integers"):
        contest.submit(b"x", object())
    with pytest.raises(Refused) as refused:
        contest.round("attack").guess({"blue": [0, 1, 2, 3]})
    assert (refused.value.status, refused.value.problems[0].code) == (409, "round.not_open_yet")


def test_a_lost_answer_never_submits_twice(cast, live_server, monkeypatch):
    client = client_of(cast.alice, live_server)
    contest, sent = client.contest("cup"), client.transport._once
    lost: list[str] = []

    def lose(method, *rest):
        answer = sent(method, *rest)
        if method == "POST" and len(lost) < 2:
            answer.close()
            lost.append(method)
            raise ConnectionResetError("lost")
        return answer

    monkeypatch.setattr(client.transport, "_once", lose)
    monkeypatch.setattr(client.transport, "_sleep", lambda _seconds: None)
    made = contest.submit(factories.NOISY, factories.ROWS)
    assert (len(lost), Submission.objects.count(), made.number) == (2, 1, 1)
    contest.submit(factories.NOISY, factories.ROWS)  # meant: the first was answered
    assert Submission.objects.count() == 2


def test_another_process_sends_the_same_after_a_lost_answer(cast, live_server, monkeypatch):
    client = client_of(cast.alice, live_server, attempts=1)
    contest, sent = client.contest("cup"), client.transport._once

    def lose(method, *rest):
        sent(method, *rest).close()
        raise ConnectionResetError("lost")

    assert contest.round().info.files
    with monkeypatch.context() as patched:
        patched.setattr(client.transport, "_once", lose)
        with pytest.raises(UnreachableError):
            contest.submit(factories.NOISY, factories.ROWS)
    assert Submission.objects.count() == 1
    other = client_of(cast.alice, live_server).contest("cup")
    made = other.submit(factories.NOISY, factories.ROWS)
    assert (Submission.objects.count(), made.number) == (1, 1)


def test_attacks(cast, live_server, tmp_path):
    for user, team in ((cast.alice, cast.red), (cast.carol, cast.blue)):
        one = pipeline.hand_in(user, team, pipeline.round_of(cast.contest, "anonymization"))
        pipeline.scored(one)
    pipeline.publish(cast.contest)
    contest = client_of(cast.alice, live_server).contest("cup")
    attack = contest.round("attack")
    assert {one.name: one.tries_left for one in attack.targets()} == {"red": 3, "blue": 3}
    with pytest.raises(UnknownError, match=r"no target 'blu'; did you mean blue\?"):
        attack.target("blu")
    target = attack.target("blue")
    table = target.frame(contest.schema())
    assert len(table) == target.n_records == 4
    (path,) = attack.download_targets(tmp_path)
    assert path.read_bytes() == target.content()
    guessed = scoring.attack(contest.original(), table, "EUC2", contest.schema(), seed=1)
    (made,) = attack.guess({"blue": guessed})
    made.wait(60)
    assert (made.target, made.state, made.values) == ("blue", "scored", None)
    assert made.title.endswith("values are not shown yet")
    single = attack.submit([0, 1, 2, -1], target="blue")
    assert single.content("guess") == b"row\n1\n2\n3\n0\n"
    with pytest.raises(Refused) as refused:
        attack.guess({"nobody": [0, 1, 2, 3]})
    assert refused.value.problems[0].code == "field.unknown_target"


# Other kinds


def test_a_lectures_rounds(cast, live_server, tmp_path):
    made = lecture.contest_of(cast)
    for team in (made.red, made.blue):
        draws.ensure_drawn(team)
    clients = {name: client_of(getattr(cast, name), live_server) for name in ("alice", "carol")}
    for name, team in (("alice", made.red), ("carol", made.blue)):
        contest = clients[name].contest("lecture")
        kit = contest.download(tmp_path / name)
        assert kit.path("original").read_bytes() == lecture.own_table(team)
        assert contest.submit(kit.path("original"), wait=60).state == "scored"
    release = lecture.publish(made.contest)["Blue"]
    attack = clients["alice"].contest("lecture").round("attack")
    target = attack.target("blue")
    assert len(target.given().splitlines()) == 21
    key = np.array(lecture.key_of(release))
    (guess,) = attack.guess({"blue": key})
    guess.wait(60)
    assert guess.content("guess") == lecture.guess_file(lecture.key_of(release))
    slides = pipeline.round_of(made.contest, "presentation")
    now = timezone.now()
    pipeline.move(slides, now - timedelta(hours=1), now + timedelta(hours=1))
    shown = clients["alice"].contest("lecture").round(slides.key)
    assert shown.submit(b"%PDF-1.7 slides", wait=60).state == "scored"


def test_answers_to_questions(cast, live_server):
    rules = questions.ruleset(questions.MEMBERS, questions.BALANCES)
    made = questions.published(cast, rules)
    right = questions.right_answers(made.releases["Blue"], rules)
    attack = client_of(cast.alice, live_server).contest("lecture").round("attack")
    assert [one.key for one in attack.info.questions] == ["members", "balances"]
    (answered,) = attack.guess({"blue": right})
    answered.wait(60)
    assert answered.values["members"] == 1
    with pytest.raises(UnknownError, match=r"no question 'member'; did you mean members\?"):
        attack.guess({"blue": {"member": b""}})


def test_a_series_and_guessed_values(cast, live_server, tmp_path, capsys, monkeypatch):
    made = series.contest_of(cast)
    client = client_of(cast.alice, live_server)
    kit = client.contest("series").download(tmp_path / "series")
    packed = factories.series_of_team(made.red)
    (kit.folder / "mine.zip").write_bytes(packed)
    monkeypatch.chdir(kit.folder)
    status, out, _err = run(capsys, "score", "mine.zip", "--json")
    assert status == 0
    submitted = client.contest("series").submit(kit.folder / "mine.zip", wait=60)
    at_home = json.loads(out)
    drawn = {"series-query-error"}  # the site draws its queries from the contest's secret
    measured = {name for name in submitted.values if name not in drawn}
    assert len(measured) > 10
    assert {n: submitted.values[n] for n in measured} == {n: at_home[n] for n in measured}
    pipeline.scored(series.hand_in(cast.carol, made.blue, factories.series_of_team(made.blue)))
    series.publish(made.contest)
    attack = client.contest("series").round("attack")
    attack.download_targets(kit.folder / "targets")
    table = kit.folder / "targets" / "teamblue_series.zip"
    status, _out, err = run(capsys, "attack", "baseline", table, "--out", "blue.csv")
    assert status == 0, err
    (guess,) = attack.guess([kit.folder / "blue.csv"])
    assert guess.wait(60).state == "scored"
    frame = pd.read_csv(kit.folder / "blue.csv")
    (again,) = attack.guess({"blue": frame})
    assert again.wait(60).state == "scored"


def test_a_hidden_table(cast, live_server, capsys, tmp_path, monkeypatch):
    contest = factories.make_dp_contest()
    factories.make_team(contest, "Red", cast.alice)
    round = client_of(cast.alice, live_server).contest("dp").round("interactive")
    target = round.domain().target
    answer = round.ask(target, "0.25")
    assert (answer.is_new, answer.budget.left) == (True, "0.75")
    assert round.ask(target, 0.25).is_new is False
    assert round.budget().left == "0.75"
    frame = answer.to_frame()
    assert frame.columns.tolist() == [*target, "count"]
    assert len(frame) == len(round.template())
    frame["count"] = frame["count"].clip(lower=0)
    assert round.submit(frame, wait=60).state == "scored"
    with pytest.raises(Refused) as refused:
        round.ask([*target, "ciyt"], "0.1")
    (problem,) = refused.value.problems
    assert problem.code == "attribute.unknown_column"
    assert str(problem).endswith("did you mean city?")
    monkeypatch.setenv("PWSCUP_URL", live_server.url)
    monkeypatch.setenv("PWSCUP_TOKEN", token_of(cast.alice))
    monkeypatch.chdir(tmp_path)
    words = ("--contest", "dp", "--round", "interactive", "--epsilon", "0.25", "--out", "a.csv")
    status, out, err = run(capsys, "ask", *target, *words)
    assert status == 0, err
    assert "had already ε = 0.25; 0.75 of 1 left" in out
    pd.testing.assert_frame_equal(pd.read_csv("a.csv", dtype=str), answer.to_frame().astype(str))


# The command line


def test_a_first_submission_from_the_command_line(cast, live_server, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PWSCUP_TOKEN", token_of(cast.alice))
    monkeypatch.setattr("sys.stdin.isatty", lambda: False, raising=False)
    status, out, err = run(capsys, "login", live_server.url)
    assert status == 0, err
    assert out.startswith(f"Alice at {live_server.url}: read, team, organize, until ")
    monkeypatch.delenv("PWSCUP_TOKEN")
    status, out, _err = run(capsys, "contests", "--json")
    assert json.loads(out) == [{"slug": "cup", "title": "Test Cup", "state": "running"}]
    status, out, _err = run(capsys, "download", "cup")
    assert "cup/cup-original.csv" in out
    monkeypatch.chdir(tmp_path / "cup")
    assert Kit.find().contest == "cup"
    (tmp_path / "cup" / "anonymized.csv").write_bytes(factories.NOISY)
    (tmp_path / "cup" / "rows.csv").write_bytes(factories.ROWS)
    mine = ("anonymized.csv", "rows.csv")
    assert run(capsys, "validate", *mine)[:2] == (0, "valid: 4 records of 4, no problems\n")
    status, out, _err = run(capsys, "score", *mine, "--json")
    at_home = json.loads(out)
    status, out, err = run(capsys, "submit", *mine, "--note", "first", "--wait", "--json")
    assert status == 0, err
    submitted = json.loads(out)
    assert submitted["values"]["U1"] == at_home["U1"]
    assert (submitted["state"], submitted["note"]) == ("scored", "first")
    status, out, _err = run(capsys, "status")
    assert submitted["id"] in out
    status, out, _err = run(capsys, "status", "--watch", "--json")
    assert json.loads(out)["id"] == submitted["id"]
    assert run(capsys, "choose", submitted["id"])[0] == 0
    status, out, err = run(capsys, "cancel", submitted["id"])
    assert (status, out) == (1, "")
    status, out, _err = run(capsys, "board")
    assert "Red" in out
    status, out, _err = run(capsys, "open", "--round", "anonymization", "--print")
    assert out == f"{live_server.url}/c/cup/round/anonymization/\n"
    assert run(capsys, "download")[0] == 0  # everything is there already
    (tmp_path / "cup" / "cup-original.csv").write_bytes(b"changed")
    status, _out, err = run(capsys, "download")
    assert status == 2
    assert "is there with another content" in err
    assert run(capsys, "download", "--overwrite")[0] == 0
    wrong = tmp_path / "cup" / "wrong.csv"
    wrong.write_bytes(factories.NOISY.replace(b"110", b"many").replace(b"390", b"?"))
    status, out, err = run(capsys, "submit", f"anonymized={wrong}", "rows.csv", "--wait")
    assert (status, out) == (1, "")
    assert "3 problems" in err
    assert "sa1" in err
    status, _out, err = run(capsys, "submit", "no.csv")
    assert (status, "cannot read no.csv" in err) == (2, True)
    status, out, _err = run(capsys, "logout")
    assert out.startswith(f"deleted the token of {live_server.url}")
    assert run(capsys, "contests")[0] == 2


def test_guesses_from_the_command_line(cast, live_server, capsys, tmp_path, monkeypatch):
    for user, team in ((cast.alice, cast.red), (cast.carol, cast.blue)):
        one = pipeline.hand_in(user, team, pipeline.round_of(cast.contest, "anonymization"))
        pipeline.scored(one)
    pipeline.publish(cast.contest)
    monkeypatch.setenv("PWSCUP_URL", live_server.url)
    monkeypatch.setenv("PWSCUP_TOKEN", token_of(cast.alice))
    monkeypatch.chdir(tmp_path)
    status, out, err = run(capsys, "download", "cup", "--out", ".")
    assert status == 0, err
    assert "targets-attack/blue.csv" in out
    target = tmp_path / "targets-attack" / "blue.csv"
    status, out, err = run(capsys, "attack", "EUC2", target, "--out", "blue.csv")
    assert status == 0, err
    status, out, err = run(capsys, "submit", "blue.csv", "--wait")
    assert status == 0, err
    assert "blue" in out
    assert "scored" in out


def test_a_token_that_is_unknown_says_what_to_do(cast, live_server):
    with pytest.raises(TokenError, match="log in: pwscup login"):
        Client(live_server.url, "pwscup_unknown").me()


def test_waiting_sees_the_state_change(cast, live_server, sent):
    """Nobody scores it before the client waits."""
    contest = client_of(cast.alice, live_server).contest("cup")
    made = contest.submit(factories.NOISY, factories.ROWS)
    assert (made.state, made.place) == ("waiting", 1)
    seen = []

    def note(one) -> None:
        seen.append(one.state)
        score_all()

    made._client.sleep = lambda _seconds: score_all()
    made.wait(3, note=note)
    assert made.state == "scored"
    assert seen[-1] == "scored"


# The types


TYPES = {
    "ContestInfo": "Contest",
    "ContestLine": "ContestLine",
    "RoundLine": "Round",
    "RoundInfo": "RoundDetail",
    "TargetInfo": "Target",
    "SubmissionInfo": "Submission",
    "SubmittedFile": "File",
    "GuessesInfo": "Guesses",
    "NoisyCounts": "Asked",
    "NewsLine": "News",
}


@pytest.mark.whole
@pytest.mark.parametrize(
    "type_", [t for t in vars(answers).values() if dataclasses.is_dataclass(t) and t is not Problem]
)
def test_types_of_the_client_are_those_of_the_api(type_):
    schemas = document()["components"]["schemas"]
    known = schemas[TYPES.get(type_.__name__, type_.__name__)]["properties"]
    names = {
        "title" if f.name == "name" and type_.__name__ == "Board" else f.name
        for f in dataclasses.fields(type_)
    }
    assert names <= set(known)
