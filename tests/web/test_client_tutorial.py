# SPDX-License-Identifier: Apache-2.0
"""The participant's tutorial with the client and as a notebook, as they are printed, on a running site."""

from __future__ import annotations

import json
import re
import shlex

import numpy as np
import pytest

from pwscup.client.cli.main import main
from pwscup.submissions.models import Submission
from scoring.anonymizers import anonymize
from scoring.cli import main as library
from scoring.datasets.households import HOUSEHOLDS_SCHEMA, households
from scoring.tables.number_lists import write_rows
from scoring.tables.reading import write_table
from tests import factories
from tests.client.conftest import home
from tests.client.live import token_of
from tests.test_docs import ROOT, assert_shown, commands, text_of, value_of
from tests.web import pipeline

pytestmark = pytest.mark.usefixtures("home")
assert home
TUTORIALS = ROOT / "docs" / "tutorials"
PROGRAMS = {"pwscup": main, "pwscup-scoring": library.main}


@pytest.fixture
def site(transactional_db, live_server, tmp_path, monkeypatch):
    """The demo's open contest with team Aoi, alice's, and two other teams that have submitted."""
    table = households(8333, seed=2)
    contest = factories.make_contest(
        "demo-running",
        original=write_table(table, HOUSEHOLDS_SCHEMA),
        schema=HOUSEHOLDS_SCHEMA.to_toml(),
    )
    contest.title = "Demo cup (open for you)"
    contest.save(update_fields=["title"])
    alice = factories.make_user("alice")
    factories.make_team(contest, "Aoi", alice)
    round = pipeline.round_of(contest, "anonymization")
    for name, method in (("average", "class-average"), ("noise", "sa-noise")):
        user = factories.make_user(f"captain-{name}")
        team = factories.make_team(contest, name, user)
        made = anonymize(table, HOUSEHOLDS_SCHEMA, [(method, {})], rng=np.random.default_rng(1))
        files = {
            "anonymized": write_table(made.table, HOUSEHOLDS_SCHEMA),
            "rows": write_rows(made.source),
        }
        pipeline.hand_in(user, team, round, **files)
        pipeline.scored(Submission.objects.get(team=team))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PWSCUP_URL", live_server.url)
    monkeypatch.setenv("PWSCUP_TOKEN", token_of(alice))
    return contest


def shown_without_rest(output: str, printed: str) -> None:
    """The text before the first … was printed."""
    if "…" in output:
        first = output.split("…")[0].rstrip()
        assert printed.startswith(first), (first, printed)
    else:
        assert_shown(output, printed)


def test_the_tutorial_works_as_it_is_printed(site, tmp_path, monkeypatch, capfd):
    page = TUTORIALS / "client.md"
    run = []
    for command in commands(page):
        program, *words = shlex.split(command.line)
        if words == ["download"]:
            pipeline.publish(site)
        status = PROGRAMS[program](words)
        printed = capfd.readouterr()
        assert status == command.status, (command.line, printed)
        shown_without_rest(command.output, printed.out)
        if words[:2] == ["download", "demo-running"]:
            monkeypatch.chdir(tmp_path / "demo-running")
        run.append(words[0])
    assert {"contests", "download", "score", "submit", "status", "attack", "board"} <= set(run)
    own = Submission.objects.filter(team__name="Aoi")
    assert {one.state for one in own} == {"scored"}
    assert own.filter(target__isnull=False).count() == 2


def test_the_log_in_of_the_tutorial_is_a_command():
    [line] = re.findall(r"^(pwscup login .*)$", text_of(TUTORIALS / "client.md"), re.MULTILINE)
    assert line == "pwscup login http://127.0.0.1:8000"


def test_the_japanese_tutorial_has_the_same_commands():
    english, japanese = (commands(TUTORIALS / f"client{suffix}.md") for suffix in ("", ".ja"))
    assert english == japanese


def test_the_notebook_shows_what_it_computes(site):
    known: dict[str, object] = {}
    path = TUTORIALS / "first-submission.ipynb"
    cells = [cell for cell in json.loads(text_of(path))["cells"] if cell["cell_type"] == "code"]
    assert len(cells) > 8
    for cell in cells:
        code = "".join(cell["source"])
        if "attack.targets()" in code:
            pipeline.publish(site)
        found = value_of(code, known)
        shown = ["".join(output["data"]["text/plain"]) for output in cell["outputs"]]
        assert ([] if found is None else [repr(found)]) == shown, code
    own = Submission.objects.filter(team__name="Aoi")
    assert {one.state for one in own} == {"scored"}
