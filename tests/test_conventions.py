# SPDX-License-Identifier: Apache-2.0
"""What tells others how to work with the project is true: hooks, the workflow, the citation, commands."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
TELLS = (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), ROOT / ".ci" / "run")


def read(name: str):
    return yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))


def test_every_make_command_that_is_named_is_a_target():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    rules = {*re.findall(r"^([a-z-]+):", makefile, re.MULTILINE)}
    named = {
        (command, path.name)
        for path in TELLS
        for command in re.findall(
            r"(?:`|^[ $]*)make (?:[A-Z_]+=\S+ )*([a-z-]+)",
            path.read_text(encoding="utf-8"),
            re.MULTILINE,
        )
    }
    assert {(command, name) for command, name in named if command not in rules} == set()
    assert {"run", "test", "lint", "types"} <= {command for command, _name in named}


def test_hooks_name_tools_that_the_tests_lock_brings():
    tools = (ROOT / "requirements-test.txt").read_text(encoding="utf-8")
    brings = {"ruff": "ruff", "lint-imports": "import-linter"}
    for hook in read(".pre-commit-config.yaml")["repos"][0]["hooks"]:
        program = Path(hook["entry"].split()[0])
        assert program.parent == Path(".venv/bin")
        assert f"\n{brings[program.name]}==" in tools


def test_the_workflow_runs_what_every_machine_runs():
    workflow = read(".github/workflows/ci.yml")
    steps = workflow["jobs"]["ci"]["steps"]
    python = next(step["with"] for step in steps if "setup-python" in step.get("uses", ""))
    assert python["python-version"] in PROJECT["requires-python"]
    assert steps[-1]["run"].endswith(".ci/run")


def test_the_citation_says_what_the_distribution_says():
    citation = read("CITATION.cff")
    assert citation["license"] == PROJECT["license"]
    assert [one["name"] for one in citation["authors"]] == [
        one["name"] for one in PROJECT["authors"]
    ]
    assert {*citation["keywords"]} <= {*PROJECT["keywords"]}
