# SPDX-License-Identifier: Apache-2.0
"""Rules that the pages under /help/ share with the site of `make docs`. Only the standard library is imported."""

from __future__ import annotations

import re
from pathlib import Path

CONFIGURATION = "mkdocs.yml"
FOLDER = "docs"
PROJECT = {
    "project/changelog.md": "CHANGELOG.md",
    "project/contributing.md": "CONTRIBUTING.md",
    "project/security.md": "SECURITY.md",
}
"""Pages made from files that lie above `docs/`, by their names on the site."""

_OTHER_LANGUAGE = re.compile(
    r"\s*(?:日本語|English): \[[^\]\n]*\]\([^)\s]+\)\.?|\s*\(\[日本語\]\([^)\s]+\)\)"
)
_TO_ENGLISH = re.compile(r"\[(英語版)\]\([^)\s]+\)")
_LINK = re.compile(r"\[([^\]\n]*)\]\(([^)\s]+)\)")
_WIDE = r"\u3000-\u30ff\u3400-\u9fff\uff00-\uff60"
_BREAK = re.compile(rf"(?<=[{_WIDE})*])\n[ ]*(?=[{_WIDE}\[]|\*\*)")
_FENCE = re.compile(r"(^ *```.*?^ *```$)", re.MULTILINE | re.DOTALL)


def slug(title: str, separator: str = "-") -> str:
    """The anchor of a heading, as forges make it: lower case, words in any script, joined by hyphens."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", separator)


def text_of(root: Path, name: str) -> str:
    """The Markdown of a page, as the site shows it: the reader chooses the language in the head of the site, so that
    links to the same page in the other language are dropped, and others lead to the reader's language.

    Parameters
    ----------
    root : folder of the checkout or of the wheel's resources
    name : path of the page on the site, such as ``how-to/attack.md``

    Raises
    ------
    FileNotFoundError
        If there is no such page.
    """
    if name in PROJECT:
        text = _moved(Path(root, PROJECT[name]).read_text(encoding="utf-8"))
    else:
        text = Path(root, FOLDER, name).read_text(encoding="utf-8")
    text = _TO_ENGLISH.sub(r"\1", _OTHER_LANGUAGE.sub("", text))
    if name.endswith(".ja.md"):
        text = _joined(text)
    return _LINK.sub(_in_any_language, text)


def _joined(text: str) -> str:
    """Japanese without the ends of lines within sentences, which browsers show as spaces; code stays as it is."""
    parts = _FENCE.split(text)
    parts[::2] = [_BREAK.sub("", part) for part in parts[::2]]
    return "".join(parts)


def _in_any_language(match: re.Match[str]) -> str:
    label, target = match.groups()
    path, hash_, anchor = target.partition("#")
    if "://" in path or not path.endswith(".ja.md"):
        return match[0]
    return f"[{label}]({path.removesuffix('.ja.md')}.md{hash_}{anchor})"


def _moved(text: str) -> str:
    """The text of a file of the root, with links as they are right in the folder `project/`."""
    names = {file: Path(page).name for page, file in PROJECT.items()}

    def moved(match: re.Match[str]) -> str:
        label, target = match.groups()
        path, hash_, anchor = target.partition("#")
        if "://" in path or not path:
            return match[0]
        if path.startswith(f"{FOLDER}/"):
            return f"[{label}](../{target.removeprefix(f'{FOLDER}/')})"
        if path in names:
            return f"[{label}]({names[path]}{hash_}{anchor})"
        return label  # a file of the checkout that is no page

    return _LINK.sub(moved, text)
