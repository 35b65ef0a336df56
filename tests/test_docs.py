# SPDX-License-Identifier: Apache-2.0
"""The documentation is held to the code: links, commands, references, and what the console shows."""

from __future__ import annotations

import argparse
import ast
import doctest
import inspect
import json
import os
import re
import shlex
import shutil
import sys
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

import polib
import pytest
from django.core.management import get_commands

from scoring import classroom, measures
from scoring.cli import main as cli
from scoring.errors import MESSAGES, ProblemsFound
from scoring.formats.sequential.examples import SMALL
from scoring.formats.sequential.publishing import Options, publish
from scoring.formats.sequential.series import of_publication, published
from scoring.formulas import OFFICIAL
from scoring.measures.catalog import risk
from scoring.registry import ALL_MEASURES, MEASURES
from scoring.rulesets import kinds, load_ruleset, parse_ruleset
from scoring.sandbox.programs import read_programs, scored
from scoring.scores.options import OPTION_CHOICES, OPTIONAL_CHOICES
from scoring.tables.schema import Role
from tests.docs_downloads import clinic_schema, prepare_downloads
from tests.every import every
from tests.scoring import test_laws_of_further_measures as laws
from tests.scoring.test_rulesets_template import asked_keys
from tools import (
    effects_reference,
    house,
    library_reference,
    measures_reference,
    methods_reference,
    notebooks,
    problems_reference,
)

ROOT = Path(__file__).resolve().parent.parent
REFERENCE = ROOT / "docs" / "reference"
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
LINK = re.compile(r"\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`([^`\n]+)`")


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def cells(page: str, section: str | None = None) -> list[list[str]]:
    """The rows of all tables of a page, or of one section of it, without heads."""
    text = text_of(REFERENCE / page)
    if section is not None:
        level = section.split(" ")[0]
        text = text.split(f"\n{section}\n")[1]
        text = re.split(rf"\n#{{1,{len(level)}}} ", text)[0]
    found = []
    for table in re.findall(r"^\|[-| ]+\|\n((?:\|.*\|\n?)+)", text, re.MULTILINE):
        for line in table.splitlines():
            inner = re.split(r"(?<!\\)\|", line.strip())[1:-1]
            found.append([cell.strip() for cell in inner])
    return found


def codes(rows: list[list[str]], column: int = 0) -> list[str]:
    return [code for row in rows for code in CODE.findall(row[column])]


# Links


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as forges make them."""
    prose = FENCE.sub("", text_of(page))
    titles = re.findall(r"^#+ (.+)$", prose, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@every(page=PAGES)
def test_links_lead_somewhere(page):
    prose = FENCE.sub("", text_of(page))
    for link in LINK.findall(prose):
        if link.startswith(("http://", "https://")):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.is_relative_to(ROOT), link
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


@every(page=PAGES)
def test_named_files_exist(page):
    """A path in code marks that starts with a folder of the tree is one of its files."""
    folders = tuple(f"{p.name}/" for p in ROOT.iterdir() if p.is_dir() and p.name != "data")
    for code in CODE.findall(FENCE.sub("", text_of(page))):
        if code.startswith(folders) and re.fullmatch(r"[\w./-]+", code):
            assert (ROOT / code).exists(), code


def test_translations_show_the_same_commands():
    for japanese in (ROOT / "docs" / "tutorials").glob("*.ja.md"):
        original = japanese.with_name(japanese.name.replace(".ja.md", ".md"))
        assert commands(japanese) == commands(original)


def test_own_measures_have_the_same_code_in_both_languages():
    english = ROOT / "docs" / "how-to" / "own-measures.md"
    japanese = english.with_name("own-measures.ja.md")
    assert commands(japanese) == commands(english)
    assert FENCE.findall(text_of(japanese)) == FENCE.findall(text_of(english))
    tables = [text_of(page).count("\n|") for page in (japanese, english)]
    assert tables[0] == tables[1]


# Console


@dataclass(frozen=True)
class Command:
    """A command as a page shows it, what it prints there, and its exit status (0 where none is shown)."""

    line: str
    output: str
    status: int


def commands(page: Path) -> list[Command]:
    found: list[Command] = []
    for language, block in FENCE.findall(text_of(page)):
        if language != "console":
            continue
        for piece in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            line, _, output = piece.replace("\\\n", " ").partition("\n")
            if line == "echo $?":
                found[-1] = Command(found[-1].line, found[-1].output, int(output))
            else:
                found.append(Command(line, output.strip(), 0))
    return found


ON_A_SITE = ("tutorials/client.md",)
"""Pages whose commands need a site: tests/web/test_client_tutorial.py runs them."""
WITH_COMMANDS = [
    page
    for page in PAGES
    if commands(page) and not page.match("*.ja.md") and not page.match(*ON_A_SITE)
]


def test_there_are_commands_to_try():
    assert {"README.md", "docs/tutorials/participant.md"} <= {name_of(p) for p in WITH_COMMANDS}


@pytest.fixture(scope="module")
def downloads(tmp_path_factory) -> Path:
    """What the tutorials download: tables of demo contests and what they publish, and the clinic's table."""
    folder = tmp_path_factory.mktemp("downloads")
    prepare_downloads(folder)
    return folder


# Its commands stand on docs/reference/sequential.md and docs/tutorials/changing-table.md, too; here they work longer.
LATER = {
    "docs/explanation/sequential-release.md",
    "docs/explanation/what-goes-wrong.md",
    "docs/how-to/choose-an-anonymizer.md",
    "docs/reference/sequential.md",
    "docs/tutorials/hidden-table.md",
}
LONG = pytest.mark.long


@pytest.mark.whole
@pytest.mark.parametrize(
    "page",
    [pytest.param(p, marks=LONG if name_of(p) in LATER else ()) for p in WITH_COMMANDS],
    ids=name_of,
)
def test_commands_work_as_written(page, downloads, tmp_path, monkeypatch, capfd, sketched):
    shutil.copytree(downloads, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    for name, text in (shown_rulesets(page) | shown_tables(page)).items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    for command in commands(page):
        python, flag, module, *arguments = shlex.split(command.line)
        assert (python, flag, module) == ("python", "-m", "scoring"), command.line
        status = cli.main(arguments)
        printed = capfd.readouterr()
        assert status == command.status, (command.line, printed)
        if command.output:
            assert_shown(command.output, printed.out)


@pytest.mark.parametrize("name", ["compute-at-home.md", "compute-at-home.ja.md"])
def test_the_functions_for_a_class_work_as_shown(name, downloads, tmp_path, monkeypatch):
    text = text_of(ROOT / "docs" / "how-to" / name)
    assert [f for f in classroom.__all__ if f != "is_deleted" and f"{f}(" not in text] == []
    shutil.copytree(downloads, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    shown = "".join(block for language, block in FENCE.findall(text) if language == "python")
    exec(shown, {})
    assert len((tmp_path / "teamred_attack_teamblue.csv").read_bytes().splitlines()) == 100
    scored = ["score", "--ruleset", "pets-lecture", "--schema", "lecture-schema.toml"]
    files = ["--original", "lecture-teamred_original.csv", "--anonymized", "teamred_anonymized.csv"]
    assert cli.main([*scored, *files]) == 0


def shown_rulesets(page: Path) -> dict[str, str]:
    """The TOML blocks of a page that begin with the name of a file, by that name."""
    blocks = [text for language, text in FENCE.findall(text_of(page)) if language == "toml"]
    named = [(re.match(r"# (\S+\.toml)\n", block), block) for block in blocks]
    return {name[1]: block for name, block in named if name}


def shown_tables(page: Path) -> dict[str, str]:
    """The CSV blocks of a page that follow the name of a file and a colon, by that name."""
    return dict(re.findall(r"`([\w-]+\.csv)`:\n\n```csv\n(.*?)```", text_of(page), re.DOTALL))


def assert_shown(shown: str, printed: str) -> None:
    """What the page shows was printed; a last line … stands for the rest."""
    if shown.endswith("…"):
        assert printed.startswith(shown.removesuffix("…").rstrip())
    else:
        assert printed.strip() == shown


def test_the_tutorial_of_a_changing_table_shows_what_the_methods_make():
    page = ROOT / "docs" / "tutorials" / "changing-table.md"
    shown = [block for language, block in FENCE.findall(text_of(page)) if language == "csv"]
    plain, improved = (
        published(of_publication(publish(SMALL, Options(m=2, method=method, widths=(1, 2000)))))
        for method in ("m-invariance", "improved")
    )
    made = (plain["R1.csv"], plain["R2.csv"], improved["R2.csv"])
    assert shown == [data.decode() for data in made]
    assert improved["R1.csv"] == plain["R1.csv"]
    assert improved["N2.csv"] == b"group\n1\n"


def test_the_organizer_tutorial_speaks_of_the_proposal():
    schema = clinic_schema()
    assert (schema.e2_column, schema.e4_column) == ("cost", "medication_cost")
    assert schema.column("patient").role is Role.IDENTIFIER


def test_files_that_the_tutorials_write_are_ignored_by_git():
    """A copy of the project stays clean for readers who follow them in it."""
    option = re.compile(r"--(?:out|rows|zip|report|notices) (\S+)")
    tutorials = (ROOT / "docs" / "tutorials").glob("*.md")
    names = {name for page in tutorials for c in commands(page) for name in option.findall(c.line)}
    assert len(names) > 10
    patterns = text_of(ROOT / ".gitignore").splitlines()
    ignored = [pattern.strip("/") for pattern in patterns if pattern.startswith("/")]
    assert {n for n in names if not any(fnmatch(n, pattern) for pattern in ignored)} == set()


# Labels of Japanese pages

BOLD = re.compile(r"\*\*(.+?)\*\*", re.DOTALL)
NO_LABELS = {"2018年", "2019年", "プログラム", "プラグイン"}


def labels_in_japanese() -> set[str]:
    """The texts of pages, with … for what is filled in, and the titles of rounds in rulesets and demo."""
    entries = polib.pofile(ROOT / "locale" / "ja" / "LC_MESSAGES" / "django.po")
    texts = {text for e in entries for text in (e.msgstr, *e.msgstr_plural.values())}
    rulesets = (ROOT / "scoring" / "rulesets" / "data").glob("*.toml")
    titles = {
        t for r in rulesets for t in re.findall(r'^title\.ja = "(.+)"$|ja = "([^"]+)"', text_of(r))
    }
    known = {re.sub(r"%\(\w+\)s", "…", text) for text in texts}
    return known | {part for pair in titles for part in pair}


def test_bold_words_of_japanese_pages_are_labels():
    """A sentence in bold is a heading of its paragraph; anything else is a text of the platform."""
    labels = labels_in_japanese() | NO_LABELS | set(ALL_MEASURES)
    unknown = {
        (page.name, text)
        for page in (ROOT / "docs").rglob("*.ja.md")
        for text in BOLD.findall(FENCE.sub("", text_of(page)))
        if text not in labels and not text.endswith(("。", "："))
    }
    assert unknown == set()


# Recipes and their notebooks


NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))
RECIPES = ROOT / "docs" / "how-to" / "recipes.md"


def test_notebooks_are_those_of_the_recipes():
    written = {path.name: text_of(path) for path in NOTEBOOKS}
    assert written == notebooks.notebooks(), "run: python -m tools.notebooks"
    names = {name.partition(".")[0] for name in written if name.endswith(".ja.ipynb")}
    assert (len(written) - len(names), names) == (10, set(notebooks.NAMES[:3]))


@pytest.mark.parametrize("page", [RECIPES, RECIPES.with_name("recipes.ja.md")], ids=name_of)
def test_recipes_are_short_and_the_first_one_is_right(page):
    for recipe in notebooks.recipes(text_of(page)):
        for cell in recipe.code:
            lines = [line for line in cell.text.splitlines() if line.strip()]
            own = [line for line in lines if not line.startswith("import ")]
            assert len(own) <= notebooks.MOST_LINES, recipe.title
    [(_, code), (_, shown)] = FENCE.findall(text_of(page).partition("\n## ")[0])
    assert repr(value_of(code, {})) == shown.strip()


def test_recipes_in_japanese_have_the_same_code():
    japanese = notebooks.recipes(text_of(RECIPES.with_name("recipes.ja.md")))
    english = notebooks.recipes(text_of(RECIPES))
    for one, other in zip(japanese, english, strict=False):
        assert one.code == other.code


@pytest.mark.parametrize(
    "path",
    [pytest.param(p, marks=LONG if p.stem in ("series", "study") else ()) for p in NOTEBOOKS],
    ids=name_of,
)
def test_notebooks_show_what_they_compute(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    known: dict[str, object] = {}
    cells = [cell for cell in json.loads(text_of(path))["cells"] if cell["cell_type"] == "code"]
    for cell in cells:
        found = value_of("".join(cell["source"]), known)
        shown = ["".join(output["data"]["text/plain"]) for output in cell["outputs"]]
        assert ([] if found is None else [repr(found)]) == shown


def value_of(code: str, known: dict[str, object]) -> object:
    """The value that a notebook shows of a cell: that of its last line, if that is an expression."""
    *first, last = ast.parse(code).body
    exec(compile(ast.Module(first, []), "cell", "exec"), known)
    if isinstance(last, ast.Expr):
        return eval(compile(ast.Expression(last.value), "cell", "eval"), known)
    exec(compile(ast.Module([last], []), "cell", "exec"), known)
    return None


# References that are written by tools


def test_measures_reference_is_current():
    written = text_of(measures_reference.TARGET)
    assert written == measures_reference.reference(), "run: python -m tools.measures_reference"


def test_the_reference_of_the_library_is_current():
    written = text_of(library_reference.TARGET)
    assert written == library_reference.reference(), "run: python -m tools.library_reference"


def test_effects_reference_is_current():
    written = text_of(effects_reference.TARGET)
    assert written == effects_reference.reference(), "run: python -m tools.effects_reference"


def test_problem_codes_are_current():
    written = text_of(problems_reference.TARGET)
    assert written == problems_reference.rewritten(written), (
        "run: python -m tools.problems_reference"
    )


def test_the_picture_of_the_house_and_its_figures_are_current():
    page = text_of(house.PAGE)
    assert text_of(house.PICTURE) == house.drawn(), "run: python -m tools.house"
    assert page == house.rewritten(page), "run: python -m tools.house"


def test_every_code_in_the_library_has_a_message():
    families = "|".join(sorted({code.partition(".")[0] for code in MESSAGES}))
    pattern = re.compile(rf'"((?:{families})\.[a-z][a-z0-9_]*)"')
    used = {
        code
        for source in (ROOT / "scoring").rglob("*.py")
        for code in pattern.findall(text_of(source))
    }
    assert len(used) > 40
    used = {code for code in used if not code.endswith((".json", ".toml"))}  # names of files
    assert used <= set(MESSAGES)


# The command line


def subparsers(parser: argparse.ArgumentParser | None = None) -> dict[str, argparse.ArgumentParser]:
    """Every command, a command of several parts by each of these: "dp convert"."""
    actions = (parser or cli.parser())._actions
    found: dict[str, argparse.ArgumentParser] = {}
    for action in (a for a in actions if isinstance(a, argparse._SubParsersAction)):
        for name, own in action.choices.items():
            parts = subparsers(own)
            found |= {f"{name} {part}": inner for part, inner in parts.items()} or {name: own}
    return found


def test_command_line_names_every_command():
    linked = re.findall(r"\[`([\w -]+)`\]\(#", text_of(REFERENCE / "command-line.md"))
    assert linked == list(subparsers())


@every(command=list(subparsers()))
def test_command_line_names_every_option(command):
    shared = {"--help", "-h", "--json", "--progress"}
    options = {o for a in subparsers()[command]._actions for o in a.option_strings} - shared
    tables = cells("command-line.md", f"## {command}")
    named = {code.split(" ")[0] for code in codes(tables) if code.startswith("-")}
    assert named == options


@every(command=list(subparsers()))
def test_command_line_gives_defaults_and_what_is_required(command):
    by_name = {a.option_strings[-1]: a for a in subparsers()[command]._actions if a.option_strings}
    for option, default, _meaning in [
        row for row in cells("command-line.md", f"## {command}") if row[0].startswith("`--")
    ]:
        action = by_name[CODE.findall(option)[0].split(" ")[0]]
        assert (default == "required") == action.required, option
        if action.default not in (None, [], False):
            assert default == str(action.default), option


def test_command_line_names_shared_options():
    shared = codes(cells("command-line.md")[len(subparsers()) :][:3])
    assert set(shared) == {"--help", "-h", "--json", "--progress"}


def test_command_line_gives_every_exit_status():
    statuses = {row[0] for row in cells("command-line.md", "## Exit status")}
    expected = (cli.FINE, cli.REJECTED, cli.WRONG_USE, cli.INTERRUPTED)
    assert statuses == set(map(str, expected))


def test_command_line_lists_every_method_with_its_options():
    written = text_of(methods_reference.TARGET)
    assert written == methods_reference.rewritten(written), "run: python -m tools.methods_reference"


def test_command_line_names_every_management_command():
    documented = {code.split(" ")[0] for code in codes(cells("command-line.md", "## manage.py"))}
    own = {name for name, app in get_commands().items() if str(app).startswith("pwscup.")}
    assert own <= documented
    assert documented <= set(get_commands())


# Settings

READ = re.compile(r'(?:env\.\w+\(|os\.environ\.get\()\s*"([A-Z][A-Z0-9_]+)"')


def variables_read() -> set[str]:
    platform = ROOT / "pwscup"  # the client has a page of its own, docs/reference/client.md
    sources = [p for p in platform.rglob("*.py") if not p.is_relative_to(platform / "client")]
    return {name for source in sources for name in READ.findall(text_of(source))}


def test_settings_name_every_variable_that_is_read():
    assert set(codes(cells("settings.md"))) == variables_read()


INTERNAL = {"OMP_NUM_THREADS", "PWSCUP_WATCH_PARENT"}


def example_of_settings() -> dict[str, str]:
    example = text_of(ROOT / ".env.example")
    return dict(re.findall(r"^#? ?([A-Z][A-Z0-9_]+)=(.*)$", example, re.MULTILINE))


def test_the_example_of_settings_names_every_variable():
    assert set(example_of_settings()) == variables_read() - INTERNAL


def test_settings_give_the_defaults_of_the_example():
    documented = {CODE.findall(row[0])[0]: row[1] for row in cells("settings.md")}
    plain = {n: v for n, v in example_of_settings().items() if re.fullmatch(r"\d+|true|false", v)}
    assert len(plain) > 10
    for name, value in plain.items():
        assert documented[name].startswith(f"`{value}`"), name


# Rulesets


def test_ruleset_names_every_key():
    documented = set(codes(cells("ruleset.md")))
    asked_for = {
        key
        for source in (ROOT / "scoring" / "rulesets").glob("*.py")
        for key in re.findall(
            r'\.(?:text|short_name|choice|choices|names|integer|number|boolean|translated|parsed)\(\s*"(\w+)"',
            text_of(source),
        )
    }
    asked_for |= (
        set(OPTION_CHOICES)
        | set(OPTIONAL_CHOICES)
        | set(kinds.TRIES_KEYS)
        | {"anonymization_weight", "attack_weight"}
    )
    asked_for |= {setting.name for formula in OFFICIAL.values() for setting in formula.settings}
    assert len(asked_for) > 20
    assert asked_for - documented - {"en", "ja"} == set()
    assert documented - asked_for - asked_keys() == set()


def test_ruleset_tells_every_formula_and_its_settings():
    rows = cells("ruleset.md", "## `[ranking]`")
    assert CODE.findall(next(row[1] for row in rows if row[0] == "`formula`")) == list(OFFICIAL)
    assert {f.id for f in OFFICIAL.values()} <= {row[0] for row in rows}
    rows = cells("ruleset.md", "### `[ranking.settings]`")
    described = {
        (id_, CODE.findall(row[0])[0], row[2]) for row in rows for id_ in CODE.findall(row[1])
    }
    assert described == {
        (f.id, s.name, f"{s.default:g}" if s.option.kind != "text" else s.default)
        for f in OFFICIAL.values()
        for s in f.settings
    }


def test_ruleset_gives_every_option_its_choices():
    rows = {CODE.findall(r[0])[0]: r[1] for r in cells("ruleset.md", "### `[scoring.options]`")}
    choices = {name: tuple(CODE.findall(text)) for name, text in rows.items()}
    free = dict.fromkeys(("table_columns", "population_fraction", "weight_column"), ())
    hierarchies = {"hierarchies": ("[scoring.options.hierarchies.COLUMN]",)}
    assert choices == {**OPTION_CHOICES, **OPTIONAL_CHOICES, **free, **hierarchies}


def test_the_example_of_a_ruleset_is_refused_as_the_page_says():
    page = ROOT / "docs" / "how-to" / "write-a-ruleset.md"
    [(name, text)] = shown_rulesets(page).items()
    assert parse_ruleset(text).id == name.removesuffix(".toml")
    with pytest.raises(ProblemsFound) as refused:
        parse_ruleset(text.replace('"harmonic"', '"harmonious"'))
    [problem] = refused.value.problems
    assert f"\n> {problem.message}\n" in text_of(page)


def test_nothing_speaks_of_one_machine():
    home = os.path.expanduser("~") + "/"
    for page in PAGES:
        for path in (str(ROOT) + "/", home):
            assert path not in text_of(page), page


# How to add a measure

ADD_A_MEASURE = ROOT / "docs" / "how-to" / "add-a-measure.md"


def shown_files(page: Path) -> dict[str, str]:
    """The Python blocks of a page by the path in their first line."""
    blocks = [text for language, text in FENCE.findall(text_of(page)) if language == "python"]
    return {block.partition("\n")[0].removeprefix("# "): block for block in blocks}


@pytest.fixture
def added(tmp_path, monkeypatch):
    """The measure that the page adds, as if its file and its line were there."""
    files = shown_files(ADD_A_MEASURE)
    (tmp_path / "untouched.py").write_text(files["scoring/measures/untouched.py"], encoding="utf-8")
    monkeypatch.setattr(measures, "__path__", [*measures.__path__, str(tmp_path)])
    line = files["scoring/measures/catalog/risk.py"].partition("\n")[2]
    measure = eval(line.strip().removesuffix(","), vars(risk).copy())
    for registry in (MEASURES, ALL_MEASURES):
        monkeypatch.setitem(registry, measure.id, measure)
    yield measure
    sys.modules.pop("scoring.measures.untouched", None)
    vars(measures).pop("untouched", None)


def test_an_added_measure_works_as_the_page_says(added):
    [example] = doctest.DocTestFinder(recurse=False).find(added.function)
    assert doctest.DocTestRunner().run(example) == (0, 2)
    test: dict[str, object] = {}
    exec(shown_files(ADD_A_MEASURE)["tests/scoring/test_untouched.py"], test)
    test["test_one_of_three_is_untouched"]()
    for seed in range(20):
        test["test_values_are_those_of_plain_python"](seed)
    assert f"### {added.id}: Untouched records" in measures_reference.reference()


def test_an_added_measure_keeps_the_general_laws(added):
    for name, law in vars(laws).items():
        marks = getattr(law, "pytestmark", [])
        if name.startswith("test_") and any(laws.FURTHER is ids for m in marks for ids in m.args):
            cases = [laws.CASES] if "cases" in inspect.signature(law).parameters else []
            law(added.id, *cases)


def test_a_ruleset_may_name_an_added_measure(added):
    text = load_ruleset("pwscup2015").text.replace('"S1", "S2",', f'"S1", "{added.id}",')
    text = text.replace('safety = ["S1", "S2"]', f'safety = ["{added.id}"]')
    assert added.id in parse_ruleset(text).measures


OWN_MEASURES = ROOT / "docs" / "how-to" / "own-measures.md"


def test_the_program_of_own_measures_works_as_shown(tmp_path):
    code = shown_files(OWN_MEASURES)["/opt/scorers/changes/score.py"]
    (tmp_path / "score.py").write_text(code, encoding="utf-8")
    shown = shown_rulesets(OWN_MEASURES)
    listed = shown["programs.toml"].replace("/opt/scorers/changes", str(tmp_path))
    program = read_programs(listed.replace("/usr/bin/python3", sys.executable))["changes"]
    spec = parse_ruleset(load_ruleset("pwscup2015").text + shown["rules.toml"]).program
    assert spec is not None
    reference = {"original.csv": b"a\n1\n2\n3\n", "schema.toml": b""}

    def found(table, rows):
        submitted = {"anonymized.csv": table, "rows.csv": rows}
        return scored(program, spec.bounds, spec.messages, submitted=submitted, reference=reference)

    assert found(b"a\n3\n7\n", b"row\n3\n1\n") == {"changed": 1}
    with pytest.raises(ProblemsFound, match="Keep two records at least"):
        found(b"a\n3\n", b"row\n3\n")
