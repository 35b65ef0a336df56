# SPDX-License-Identifier: Apache-2.0
"""Plain technical English: words that readers of papers do not expect stay out of code, pages, documents and messages.

Looked at is prose: comments, docstrings and texts in Python, and all of other files but code and markup.
"""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

BANNED = {
    r"told|tells?|telling": "show, publish, disclose; distinguish in place of “tell apart”",
    r"besides?": "next to, in addition to, compared with",
    r"hand(?:s|ed|ing)? (?:it |them |this |that |one |a file |files )?in|handed": "submit, upload",
    r"marks?|marked|marking": "guess result, hit rate (of a guess), grade (of a judge), error (of an estimate)",
    r"tries": "attempts",
    r"mend(?:s|ed|ing)?": "fix",
    r"moments?": "time, timestamp",
    r"anew": "again",
    r"who(?:m)?ever": "anyone who",
    r"heed(?:s|ed|ing)?": "consider, use",
    r"reckon(?:s|ed|ing)?": "compute, assume",
    r"made[- ]up": "synthetic",
    r"by hand": "manually",
    r"alone": "only, by itself; unique (of a record)",
    r"at once": "immediately, together",
    r"hindrances?|obstacles?": "blockers, missing prerequisites",
    r"(?<!possible )worlds": "possible worlds",
    r"box(?:es)?": "regions, intervals",
    # What people who used the platform stumbled over.
    r"(?:found(?:s|ed|ing)? (?:a|an?other|no other|the) teams?|teams? (?:is|are|be|was|were) founded)": "create",
    r"lets? (?:a|the|that|this|your|single) teams? be late": "grant an extension",
    r"hurts? (?:the )?most": "strongest attack",
    r"blind(?:ly)? guess(?:es|ing)?|guess(?:es)? blindly": "random guess",
    r"every attacker of the (?:kit|library)": "all built-in attacks",
    r"parted by": "broken by (of ties)",
    r"what it buys": "preview accuracy",
    r"(?:mail|invitation) is on its way": "we sent an email",
    r"house teams?": "baseline teams",
    r"e-mail(?:s|ed|ing)?": "email",
    r"worth (?:knowing|a look)": "warnings",
    r"(?:one|\d+) (?:numbers?|values?|records?|people|ballots?|filters?|attempts?) a"
    r" (?:line|target|team|day|person|cell|column)": "per",
    r"least (?:and|or) greatest": "minimum and maximum",
    r"largest team": "maximum team size",
    r"what it brought": "see the results",
}
"""Regular expression of words, and what to write in their place."""

ALLOWED = {
    r"(?:quotation|question|byte order|exclamation|check) marks?": "characters",
    r"box-sizing|border-box|content-box|view ?box|box-shadow": "CSS and SVG",
    r"bounding box(?:es)?|box plots?|fourth moment": "k-d trees, statistics",
    r"check ?box(?:es)?|text box(?:es)?": "elements of a form",
    r"(?:scoring|sequential|dp) mark\b|commands? mark|\bmark, ": "commands of the library are called so",
    r"marks? (?:a|the) (?:message|text)|mark_safe": "gettext and Django",
    r"\*\*(?:Hand in|Give marks|Save marks)\*\*|^\"Hand in\"$": "labels of buttons",
    r"\*(?:What judges mark|Give marks)\*|^## mark$": "labels of pages, and a command",
}
"""Technical uses, each with its reason."""

MOST = {
    "scoring": 0,
    "docs": 0,
    "root": 0,
    "tools": 0,
    "pwscup": 1,
    "templates": 2,
    "tests": 287,
    "locale": 53,
}
"""What is left in each folder may only become less: lower the number with each."""

FOLDERS = {
    "scoring": ("scoring/**/*.py", "scoring/**/*.toml", "scoring/**/*.md"),
    "docs": ("docs/**/*.md",),
    "root": ("*.md", "Makefile", "pyproject.toml", "manage.py"),
    "tools": ("tools/**/*.py", "tools/**/*.sh", "benchmarks/**/*.py"),
    "pwscup": ("pwscup/**/*.py", "pwscup/**/*.toml"),
    "templates": ("templates/**/*.html", "templates/**/*.txt"),
    "tests": ("tests/**/*.py",),
    "locale": ("locale/ja/LC_MESSAGES/django.po",),
}
QUESTIONS = {"scoring": 4, "tools": 0, "benchmarks": 0, "pwscup": 0, "tests": 152}
"""Docstrings that begin with a question word, in each folder: this number, too, may only fall."""

WORDS = {re.compile(rf"\b(?:{words})\b", re.IGNORECASE): better for words, better in BANNED.items()}
ANY = re.compile(rf"\b(?:{'|'.join(BANNED)})\b", re.IGNORECASE)
TECHNICAL = re.compile("|".join(ALLOWED), re.IGNORECASE)
CODE = re.compile(r"``?[^`\n]*``?|\{[^}\n]*\}|\"[\w-]+\"|'[\w-]+'|\]\([^)]*\)")
MARKUP = re.compile(r"\{\{.*?\}\}|\{%(?! (?:block)?trans).*?%\}|\{#|<[^>]*>", re.DOTALL)


@pytest.mark.parametrize("folder", FOLDERS)
def test_prose_uses_plain_words(folder):
    found = [
        f"{path.relative_to(ROOT)}:{number}: {word!r} — better: {better}"
        for pattern in FOLDERS[folder]
        for path in sorted(ROOT.glob(pattern))
        if path != Path(__file__) and "migrations" not in path.parts  # which are history
        for number, word, better in banned(path)
    ]
    listed = "\n".join(found)
    assert len(found) <= MOST[folder], f"{len(found)} words, at most {MOST[folder]}:\n{listed}"


@pytest.mark.parametrize("folder", QUESTIONS)
def test_docstrings_name_the_thing_first(folder):
    """“Sweeper: requeues lost jobs”, not “What requeues lost jobs”."""
    question = re.compile(r'^\s*r?"""(?:What|Whether|How|Which|Who|Whom|Where)\b', re.MULTILINE)
    found = [
        f"{path.relative_to(ROOT)}: {line[0].strip()}"
        for path in sorted((ROOT / folder).rglob("*.py"))
        for line in question.finditer(path.read_text(encoding="utf-8"))
    ]
    assert len(found) <= QUESTIONS[folder], found


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("a.py", '"""What a viewer is told."""\n', [(1, "told")]),
        ("a.py", "# a moment\nx = 'drawn anew, by hand'\n", [(1, "moment"), (2, "anew"), (2, "by hand")]),
        ("a.py", "told = moment(marks)['alone']\n", []),
        ("a.py", '"""Five.\n\n>>> tell("told you")\n"""\n', []),
        ("a.py", 'message = f"{marks} quotation marks"\n', []),
        ("a.md", "Two boxes.\n```sh\nscoring mark\n```\nPossible worlds, `worlds`.\n", [(1, "boxes")]),
        ("a.html", '<p class="box">{{ told }}\n{% translate "Hand in" %}</p>', [(2, "Hand in")]),
        ("a.md", "One value a line; house teams.\n", [(1, "One value a line"), (1, "house teams")]),
        ("a.po", '#: told\nmsgid "at once"\nmsgstr "told"\n', [(2, "at once")]),
    ],
)  # fmt: skip
def test_words_are_found_in_prose_only(name, text, expected, tmp_path):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    assert [(number, word) for number, word, _better in banned(path)] == expected


def test_terms_of_the_glossary_are_those_of_the_pages():
    catalogue = (
        (ROOT / "locale/ja/LC_MESSAGES/django.po").read_text(encoding="utf-8").replace('"\n"', "")
    )
    glossary = (ROOT / "docs/reference/glossary.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (?!term |---)([^|]+) \| [^|]+ \| ([^|]+) \|$", glossary, re.MULTILINE)
    assert len(rows) > 50
    assert [(term, japanese) for term, japanese in rows if japanese not in catalogue] == []


def banned(path: Path) -> Iterator[tuple[int, str, str]]:
    """The banned words of a file with their lines, and what to write in their place."""
    source = path.read_text(encoding="utf-8")
    if not ANY.search(source):
        return
    for number, line in prose(path.suffix, source):
        line = TECHNICAL.sub(" ", line)
        for word in ANY.finditer(line):
            better = next(better for words, better in WORDS.items() if words.fullmatch(word[0]))
            yield number, word[0], better


def prose(suffix: str, source: str) -> Iterator[tuple[int, str]]:
    """The lines of a file that people read, by number; code in them is left out."""
    if suffix == ".py":
        yield from prose_of_python(source)
    elif suffix == ".md":
        fenced = re.sub(r"^```.*?^```", blank, source, flags=re.DOTALL | re.MULTILINE)
        yield from enumerate(CODE.sub(" ", fenced).split("\n"), start=1)
    elif suffix in (".html", ".txt"):
        yield from enumerate(MARKUP.sub(blank, source).split("\n"), start=1)
    elif suffix == ".po":
        message = False
        for number, line in enumerate(source.split("\n"), start=1):
            message = line.startswith("msgid") or (message and line.startswith('"'))
            if message:
                yield number, re.sub(r"%\(\w+\)s|\{\w+\}", " ", line)
    else:
        keys = re.sub(r"^\w+ = ", "", source, flags=re.MULTILINE)
        yield from enumerate(CODE.sub(" ", keys).split("\n"), start=1)


def prose_of_python(source: str) -> Iterator[tuple[int, str]]:
    """Comments, docstrings and texts of several words, without doctests."""
    texts = tokenize.COMMENT, tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", -1)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type in texts and " " in token.string:
            doctest = False
            for offset, line in enumerate(token.string.split("\n")):
                doctest = line.lstrip().startswith(">>>") or (doctest and bool(line.strip()))
                if not doctest and not re.match(r"\s*\w+(?:, \w+)* : |\s*[A-Z]\w+$", line):
                    yield token.start[0] + offset, CODE.sub(" ", line)


def blank(found: re.Match[str]) -> str:
    """As many line ends as there were."""
    return "\n" * found[0].count("\n") or " "
