# SPDX-License-Identifier: Apache-2.0
"""The shape of the code: few modules in a root, and no circle of imports, those within functions included.

Who may import whom otherwise stands in pyproject.toml, for `make contracts`.
"""

from __future__ import annotations

import re
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from pwscup.formats import FILES, FORMATS, ROUNDS
from pwscup.formats.checking import Checking
from pwscup.formats.evaluation import Evaluation, TableEvaluation
from pwscup.formats.playing import Player
from pwscup.formats.spec import Audits, Boards, Draw, Rules, Setup, Table, Texts
from pwscup.formats.trying import Trying
from scoring.rulesets.kinds import COHORT, FORMAT_NAMES, PHASES, ROUND_KINDS
from tools.house.imports import imports

ROOT = Path(__file__).parents[1]
MOST_MODULES = 15
PACKAGES = ("scoring", "pwscup")
APPS = sorted(path.parent.name for path in (ROOT / "pwscup").glob("*/apps.py"))
NAMES = "|".join(sorted({*ROUND_KINDS, *FORMAT_NAMES, *PHASES}, key=len, reverse=True))
CONSTANTS = (
    "BATCH|CANDIDATES|COMMON|HIDDEN|INTERACTIVE|OWN_TABLES|PER_TEAM|PHASES|SERIES|FORMAT_NAMES"
)
NAMES_A_FORMAT = re.compile(
    r"has_series|\.sequential\b(?!\.)|(?:rules|ruleset)\.disclosure\b|\.disclosure is"
    r"|\.phase (?:==|!=|in)"
    rf"|(?:==|!=|in) \(?(?:{CONSTANTS})\b|rulesets\.kinds import .*\b(?:{CONSTANTS})\b"
    rf"|\b(?:kind|phase|tables)[\"\']?\]? (?:==|!=) [\"\'](?:{NAMES})[\"\']"
    r"|(?<!ROUNDS)(?<!ROUND_KINDS)(?<!FILES)\[\w*(?:round|spec)\.(?:kind|phase)\]"
    r"|[\"\'](?:aligned-anonymization|candidate-attack|value-attack|per_team)[\"\']"
)


pytestmark = pytest.mark.whole


@pytest.mark.parametrize("package", PACKAGES)
def test_the_root_of_a_package_holds_few_modules(package):
    found = sorted(path.name for path in (ROOT / package).glob("*.py"))
    assert len(found) <= MOST_MODULES, found


@pytest.mark.parametrize("app", APPS)
def test_the_root_of_an_app_holds_few_modules(app):
    found = sorted(path.name for path in (ROOT / "pwscup" / app).glob("*.py"))
    assert len(set(found) - {"__init__.py"}) <= MOST_MODULES, found


def test_the_client_imports_the_library_and_nothing_of_the_platform():
    """Also a package that is new: `make contracts` knows those that it lists."""
    graph = imports(ROOT, "scoring", "pwscup")
    own = {name: below for name, below in graph.items() if name.startswith("pwscup.client")}
    assert len(own) > 15
    allowed = ("scoring", "pwscup.client")
    found = {
        (name, one) for name, below in own.items() for one in below if not one.startswith(allowed)
    }
    assert found <= {(name, "pwscup") for name in own}


def test_only_formats_name_a_kind_of_round_or_of_table():
    """What else asks a format belongs into it, as the answer to a question that others answer, too."""
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for folder, suffix in (("pwscup", "py"), ("templates", "html"))
        for path in sorted((ROOT / folder).rglob(f"*.{suffix}"))
        if not {"formats", "migrations"} & set(path.relative_to(ROOT).parts)
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if NAMES_A_FORMAT.search(line)
    ]
    assert found == []


@pytest.mark.parametrize(
    "line",
    [
        'if submission.round.kind == "series":',
        "if attack.kind == CANDIDATES:",
        "if contest.ruleset.sequential is not None:",
        "play = PLAYS[round.kind]",
        'if row["kind"] == "batch":',
        "from scoring.rulesets.kinds import BATCH, INTERACTIVE",
        '    "candidate-attack": guess_candidates,',
        "{% if round.phase == 'attack' %}",
    ],
)
def test_lines_that_name_a_format_are_found(line):
    assert NAMES_A_FORMAT.search(line)


@pytest.mark.parametrize("format", FORMATS.values(), ids=FORMATS)
def test_every_format_answers_every_question(format):
    asked = {
        "table": Table,
        "setup": Setup,
        "rules": Rules,
        "texts": Texts,
        "boards": Boards,
        "audits": Audits,
    }
    if format.own_tables:
        asked["draw"] = Draw
    for part, questions in asked.items():
        lacking = lacking_of(getattr(format, part), questions)
        assert not lacking, (part, lacking)


@pytest.mark.parametrize("format", FORMATS.values(), ids=FORMATS)
def test_every_format_writes_every_part_of_a_page(format):
    pages = [path.read_text(encoding="utf-8") for path in (ROOT / "templates").rglob("*.html")]
    parts = {name for page in pages for name in re.findall(r'{% part "(\w+)" %}', page)}
    assert parts
    assert [name for name in sorted(parts) if not exists(format.templates(name))] == []


@pytest.mark.parametrize("kind", ROUND_KINDS.values(), ids=ROUND_KINDS)
def test_every_kind_of_round_answers_every_question(kind):
    format = ROUNDS[kind.id]
    lacking = {
        "files": set(kind.files.values()) - set(FILES),
        "counts": set(kind.counts) - set(format.counts),
        "feedback": set(kind.feedback) - set(format.feedback),
        "deletions": {False} - set(format.deletions) if format.is_attacked else set(),
        "attacks": {
            question
            for question in ("published", "hits")
            if format.has_targets and not getattr(format, question)
        },
        "bots": lacking_of(format.player, Player) if format.player else set(),
        "trials": lacking_of(format.trying, Trying) if format.trying else set(),
        "checks": lacking_of(format.checking, Checking) if format.checking else set(),
        "evaluation": lacking_of(
            format.evaluation, TableEvaluation if format.is_attacked else Evaluation
        ),
    }
    assert {question: missing for question, missing in lacking.items() if missing} == {}


def lacking_of(answers: object, questions: type) -> set[str]:
    """The questions of a protocol that have no answer."""
    asked = {
        name
        for part in questions.__mro__
        for name in vars(part) | vars(part).get("__annotations__", {})
    }
    return {n for n in asked if not n.startswith("_") and not hasattr(answers, n)}


def test_every_kind_of_round_is_of_a_format():
    assert ROUNDS.keys() == ROUND_KINDS.keys()
    assert {name for kind in ROUND_KINDS.values() for name in kind.formats} <= {
        *FORMAT_NAMES,
        COHORT,
    }
    assert set(FORMATS) == set(FORMAT_NAMES)


@pytest.mark.parametrize("package", PACKAGES)
def test_no_modules_import_each_other_in_a_circle(package):
    assert circle(ROOT, package) is None


@pytest.mark.parametrize(
    ("of_b", "expected"),
    [
        ("import pack.a", ["pack.a", "pack.b", "pack.a"]),
        ("def f():\n    from pack import a", ["pack.a", "pack.b", "pack.a"]),
        ("def f():\n    from pack.a import g", ["pack.a", "pack.b", "pack.a"]),
        ("if TYPE_CHECKING:\n    from pack.a import g", None),
        ("import other.a", None),
    ],
)
def test_circles_are_found_wherever_the_import_stands(of_b, expected, tmp_path):
    folder = tmp_path / "pack"
    folder.mkdir()
    (folder / "__init__.py").touch()
    (folder / "a.py").write_text("from pack.b import f\n", encoding="utf-8")
    (folder / "b.py").write_text(of_b + "\n", encoding="utf-8")
    found = circle(tmp_path, "pack")
    assert found is None if expected is None else set(found or ()) == set(expected)


def circle(root: Path, package: str) -> list[str] | None:
    """Modules that import each other, the first one again at the end; None where there is no circle."""
    try:
        TopologicalSorter(imports(root, package)).prepare()
    except CycleError as error:
        found: list[str] = error.args[1]
        return found
    return None


def exists(templates: list[str]) -> bool:
    return any((ROOT / "templates" / name).is_file() for name in templates)
