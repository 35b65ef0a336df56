# SPDX-License-Identifier: Apache-2.0
"""Every text has its Japanese: the catalogue is compared with what xgettext finds in the tree now."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
from pathlib import Path

import polib
import pytest

from tests.every import every

ROOT = Path(__file__).resolve().parents[2]
CATALOGUE = Path("locale/ja/LC_MESSAGES/django.po")
SOURCES = [path for folder in ("pwscup", "scoring") for path in (ROOT / folder).rglob("*.py")]
# Longer texts have a file for each language instead of entries in the catalogue.
OF_ONE_LANGUAGE = re.compile(r"\.(en|ja)\.txt$")
TEMPLATES = [path for path in (ROOT / "templates").rglob("*") if path.is_file()]
# Besides its own names, the functions that mark a text are found under "_" alone.
GETTEXT = {"gettext", "gettext_lazy", "gettext_noop", "ngettext", "ngettext_lazy"}
UNTRANSLATED = {"PWSCup", "English", "日本語", "SHA-256", "TOML", "schema.toml", ".csv"}
# Names in lower case and symbols that stand alone, such as the heading of a column: not parts of other words.
UNTRANSLATED_ALONE = {"scoring", "R", "l", "t", "ε", "ε =", "ε:", "λ =", "L2", "CSV", "count"}
IN_TEMPLATES = re.compile(
    r"{%\s*blocktranslate\b.*?{%\s*endblocktranslate\s*%}|{%.*?%}|{{.*?}}|{#.*?#}"
    r"|<(script|style|code|pre)\b.*?</\1>",  # commands and examples of files are the same for everybody
    re.DOTALL,
)
# The code of notebooks, and names in their texts.
IN_NOTEBOOKS = re.compile(
    r"^%% code\n.*?(?=^%% )|^%% markdown\n|`[^`]*`|^    .*?$", re.DOTALL | re.MULTILINE
)
ATTRIBUTES = re.compile(
    r"""\s(?:aria-label|alt|title|placeholder|data-confirm|data-busy|data-copied)=(["'])(.*?)\1"""
)
LETTERS = re.compile(r"[^\W\d_]")


@pytest.fixture(scope="module")
def collected(tmp_path_factory) -> polib.POFile:
    """The Japanese catalogue after `makemessages` in a copy of the sources."""
    copy = tmp_path_factory.mktemp("sources")
    for folder in ("pwscup", "scoring", "templates", "locale"):
        shutil.copytree(ROOT / folder, copy / folder, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "manage.py", copy)
    command = [sys.executable, "manage.py", "makemessages", "--locale", "ja", "--no-obsolete"]
    done = subprocess.run(command, cwd=copy, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return polib.pofile(copy / CATALOGUE)


def test_no_text_lacks_its_japanese(collected):
    missing = [entry.msgid for entry in collected if not entry.translated() and not entry.obsolete]
    assert len(collected) > 100
    assert missing == []


def test_nothing_is_translated_that_is_not_said(collected):
    said = {(entry.msgctxt, entry.msgid) for entry in collected}
    kept = {(entry.msgctxt, entry.msgid) for entry in polib.pofile(str(ROOT / CATALOGUE))}
    assert kept - said == set()


def test_no_translation_is_only_guessed(collected):
    assert [entry.msgid for entry in collected.fuzzy_entries()] == []


def test_texts_of_every_part_are_collected(collected):
    texts = {entry.msgid for entry in collected}
    assert {
        "Skip to the content",  # a template
        "Hello,",  # a mail
        "Submit",  # a view
        "How many records were deleted.",  # the words of the rules
        "contest created",  # the words of the events
        "the file is empty — expected one row number per line",  # scoring
    } <= texts


@every(path=SOURCES)
def test_texts_are_marked_by_a_name_that_is_collected(path):
    text = path.read_text("utf-8")
    if "gettext" not in text:
        return
    aliases = [
        alias.asname
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.name in GETTEXT and alias.asname not in (None, "_")
    ]
    assert aliases == []


@every(path=[path for path in TEMPLATES if not OF_ONE_LANGUAGE.search(path.name)])
def test_templates_say_nothing_outside_the_catalogue(path):
    html = path.read_text("utf-8")
    if path.stem == "notebook":
        html = IN_NOTEBOOKS.sub(" ", html)
    html = IN_TEMPLATES.sub(" ", html)
    texts = [value for _quote, value in ATTRIBUTES.findall(html)]
    texts += re.sub(r"<[^>]*>", "\n", html).split("\n")
    assert [text for text in map(_without_names, texts) if LETTERS.search(text)] == []


def test_texts_with_a_file_for_each_language_have_all_their_paragraphs():
    texts: dict[Path, dict[str, int]] = {}
    for path in TEMPLATES:
        if found := OF_ONE_LANGUAGE.search(path.name):
            n_paragraphs = path.read_text("utf-8").strip().count("\n\n")
            stem = path.with_name(path.name[: found.start()])
            texts.setdefault(stem, {})[found[1]] = n_paragraphs
    assert texts
    assert [stem for stem, found in texts.items() if found.get("en") != found.get("ja")] == []


def _without_names(text: str) -> str:
    if text.strip() in UNTRANSLATED_ALONE:
        return ""
    for name in UNTRANSLATED:
        text = text.replace(name, "")
    return re.sub(r"&\w+;", "", text).strip()


def test_placeholders_survive_translation():
    command = [
        "msgfmt",
        "--check-format",
        "--check-header",
        "--output-file=/dev/null",
        str(CATALOGUE),
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_braces_survive_translation():
    """Messages of `scoring.errors` are filled with str.format, which msgfmt does not check."""
    from string import Formatter

    def fields(text: str) -> set[str]:
        return {name for _, name, _, _ in Formatter().parse(text) if name}

    from scoring.errors import MESSAGES

    catalogue = {entry.msgid: entry.msgstr for entry in polib.pofile(ROOT / CATALOGUE)}
    wrong = [text for text in MESSAGES.values() if fields(catalogue.get(text, "")) != fields(text)]
    assert wrong == []
