# SPDX-License-Identifier: Apache-2.0
"""The client's command line and its page: every command and option, names that are nearly right, and completion."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys

import pytest

from pwscup import __main__ as command
from pwscup import client
from pwscup.client.cli import main as cli
from pwscup.client.shown import printed
from scoring.cli import completion
from scoring.cli import main as library
from tests.test_docs import REFERENCE, cells, codes, text_of

PAGE = "client.md"
SHARED = {"-h", "--help", "--json", "--url"}


def test_the_page_names_every_command():
    rows = cells(PAGE, "## Commands")[: len(cli.COMMANDS)]
    assert [(codes([row])[0], row[1]) for row in rows] == [
        (name, one.text) for name, one in cli.COMMANDS.items()
    ]


LIKE = {"logout": "login", "cancel": "choose", "contests": None}


@pytest.mark.parametrize("name", list(cli.COMMANDS))
def test_the_page_names_every_option(name):
    section = LIKE.get(name, name)
    options = {o for a in cli.parser(name)._actions for o in a.option_strings} - SHARED
    if section is None:
        assert options == set()
        return
    named = {code.split(" ")[0] for code in codes(cells(PAGE, f"### {section}"))}
    assert named == options


def test_the_page_names_every_error_and_every_exit_status():
    named = set(codes(cells(PAGE, "## Errors")))
    errors = {name for name in client.__all__ if name.endswith(("Error", "Refused", "Rejected"))}
    assert named == errors - {"ClientError"}
    statuses = {row[0] for row in cells(PAGE, "### Exit status")}
    known = (cli.FINE, cli.REFUSED, cli.WRONG_USE, cli.NO_ANSWER, cli.INTERRUPTED)
    assert statuses == set(map(str, known))


def test_the_page_names_what_objects_have():
    kinds = {"Client": client.Client, "Contest": client.Contest, "Round": client.Round}
    kinds |= {"Target": client.Target, "Submission": client.Submission, "Kit": client.Kit}
    rows = [row for row in cells(PAGE, "## From Python") if row[0].startswith("`")]
    assert {codes([row])[0].partition("(")[0] for row in rows} == set(kinds)
    own = {"rate", "rounds", "info", "state", "values", "problems", "schema", "ruleset"}
    for row in rows:
        kind = kinds[codes([row])[0].partition("(")[0]]
        for code in codes([row], 1):
            name = code.partition("(")[0]
            assert name in own or hasattr(kind, name), name


def test_the_client_needs_nothing_of_the_platform():
    """In a process that has neither Django nor pandas loaded, and can load neither."""
    program = (
        "import sys\n"
        "for name in ('django', 'celery', 'ninja', 'pandas', 'numpy', 'tqdm', 'keyring'):\n"
        "    sys.modules[name] = None\n"
        "from pwscup.client import Client\n"
        "print(Client('https://cup.example.org', 'x'))\n"
        "from pwscup.__main__ import main\n"
        "sys.argv = ['pwscup', 'contests', '--url', 'http://127.0.0.1:9']\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.stdout == "<Client: https://cup.example.org>\n"
    assert done.returncode == cli.WRONG_USE, done.stderr
    assert "no token for http://127.0.0.1:9" in done.stderr


# Names that are nearly right


@pytest.mark.parametrize(
    ("main", "words", "text"),
    [
        (cli.main, ["bord"], "did you mean board?"),
        (cli.main, ["submit", "a.csv", "--waite"], "no --waite; did you mean --wait?"),
        (library.main, ["scor"], "did you mean score?"),
        (library.main, ["score", "--originl", "x"], "no --originl; did you mean --original?"),
        (library.main, ["dp", "aks"], "did you mean ask?"),
        (
            library.main,
            ["anonymize", "mondrain", "--original", "x", "--out", "y"],
            "did you mean mondrian?",
        ),
        (
            library.main,
            ["attack", "EUC3", "--original", "x", "--anonymized", "y"],
            "did you mean EUC",
        ),
        (
            library.main,
            ["score", "--original", "x", "--anonymized", "y", "--measures", "t-closenes"],
            "did you mean t-closeness",
        ),
    ],
)
def test_names_that_are_nearly_right_are_named(main, words, text, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(words) == cli.WRONG_USE
    assert text in capsys.readouterr().err


def test_names_like_no_other_get_no_hint(capsys):
    assert cli.main(["xyzzy"]) == cli.WRONG_USE
    assert "did you mean" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "is_client"),
    [
        ([], True),
        (["--help"], True),
        (["submit", "x"], True),
        (["sumbit"], True),
        (["up"], False),
        (["doctor"], False),
        (["migrate"], False),
        (["demo"], False),
    ],
)
def test_the_client_answers_for_its_commands_only(words, is_client):
    assert command._is_for_client(words) is is_client


# Completion


@pytest.mark.parametrize("shell", completion.SHELLS)
@pytest.mark.parametrize(
    ("main", "program"), [(cli.main, "pwscup"), (library.main, "pwscup-scoring")]
)
def test_shells_get_a_script(main, program, shell, capsys):
    assert main(["--print-completion", shell]) == cli.FINE
    script = capsys.readouterr().out
    assert "submit" in script if program == "pwscup" else "anonymize" in script
    assert program in script


def test_bash_completes_commands_options_and_files(tmp_path, capsys):
    cli.main(["--print-completion", "bash"])
    (tmp_path / "script").write_text(capsys.readouterr().out)
    (tmp_path / "mine.csv").write_text("")

    def completed(*words: str) -> set[str]:
        program = (
            f"source {tmp_path}/script; COMP_WORDS=({' '.join(words)}); COMP_CWORD={len(words) - 1}; "
            "function=$(complete -p pwscup | sed 's/.*-F \\([^ ]*\\).*/\\1/'); $function; "
            'printf "%s\\n" "${COMPREPLY[@]}"'
        )
        done = subprocess.run(
            ["bash", "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True
        )
        return set(done.stdout.split())

    if shutil.which("bash") is None:  # Windows has other shells
        pytest.fail("bash is needed")
    assert completed("pwscup", "sub") == {"submit"}
    assert "--wait" in completed("pwscup", "submit", "--w")
    assert "mine.csv" in completed("pwscup", "validate", "mi")


def test_completion_says_what_is_missing(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "shtab", None)
    assert cli.main(["--print-completion", "bash"]) == cli.WRONG_USE
    assert 'pip install "pwscup[client]"' in capsys.readouterr().err


def test_wide_characters_take_two_places():
    lines = printed(["team", "n"], [["青チーム", 1], ["Red", 20]]).splitlines()
    assert lines == ["team       n", "青チーム   1", "Red       20"]


def test_the_environment_is_named():
    named = {code for code in codes(cells(PAGE, "## Log in")) if code.isupper()}
    read = re.compile(r'"(PWSCUP_[A-Z_]+)"')
    folder = REFERENCE.parents[1] / "pwscup" / "client"
    found = {n for p in folder.rglob("*.py") for n in read.findall(text_of(p))}
    assert named == found | {"SSL_CERT_FILE"}
    assert os.environ.get("PWSCUP_CLIENT_HOME")
