# SPDX-License-Identifier: Apache-2.0
"""Links from pages of the platform into the documentation: the only list of them.

They lead to /help/, or to a site elsewhere that `PWSCUP_DOCS_URL` names.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from django.conf import settings

from pwscup.core.help import pages, sources
from pwscup.core.help.rendering import address_of

MEASURES = "reference/measures.md"
SERIES = ("reference/sequential.md", "measures", "series-")
"""Page and section of the measures of series, and how their ids begin."""


@dataclass(frozen=True, slots=True)
class Link:
    """A page, and the anchor of a section of its English and of its Japanese text."""

    page: str
    anchor: str = ""
    japanese: str | None = None

    def anchor_in(self, language: str) -> str:
        is_japanese = language == pages.JAPANESE and self.japanese is not None
        return self.japanese or "" if is_japanese else self.anchor


LINKS = {
    "first": Link("README.md"),
    "participant": Link("tutorials/participant.md"),
    "organize": Link("tutorials/organizer.md"),
    "teach": Link("how-to/run-a-lecture-contest.md"),
    "table": Link("tutorials/participant.md", "anonymize-at-home", "手元で匿名加工する"),
    "guess": Link("tutorials/participant.md", "attack", "再識別する"),
    "aligned": Link("tutorials/participant.md", "in-a-lecture-contest", "講義コンテストでは"),
    "candidates": Link("reference/files.md", "candidate-tables-and-their-guesses"),
    "series": Link("tutorials/changing-table.md", "publish"),
    "values": Link("reference/files.md", "guesses-of-values"),
    "questions": Link("reference/questions.md", "how-a-team-answers"),
    "estimate": Link("tutorials/hidden-table.md", "submit"),
    "ask": Link("tutorials/hidden-table.md", "ask"),
    "original": Link("reference/files.md", "tables"),
    "original-series": Link("reference/files.md", "tables-of-several-times"),
    "hierarchies": Link("reference/files.md", "hierarchy-files"),
    "prepare": Link("how-to/prepare-a-table.md"),
    "rules": Link("how-to/write-a-ruleset.md"),
    "ruleset": Link("reference/ruleset.md"),
    "teams": Link("how-to/set-up-teams.md", "teams-from-a-list"),
    "archive": Link("reference/archive.md", "import"),
    "appearance": Link("how-to/brand-a-contest.md"),
    "codabench": Link("how-to/host-a-cup.md", "from-codabench", "codabenchから取り込む"),
    "experiment": Link("how-to/run-a-privacy-experiment.md"),
    "slides": Link("how-to/judge.md"),
    "problems": Link("how-to/my-file-was-rejected.md"),
}


def help_address(key: str, language: str) -> str:
    """The address of a link by its key, for a reader of a language."""
    link = LINKS[key]
    return _address(link.page, link.anchor_in(language), language)


def measure_address(id_: str, language: str) -> str | None:
    """The address of a measure's description; None for one that a ruleset defines."""
    page, section, prefix = SERIES
    if id_.startswith(prefix):
        return _address(page, section, language)
    anchor = _measures().get(id_)
    return None if anchor is None else _address(MEASURES, anchor, language)


@cache
def _measures() -> dict[str, str]:
    titles = re.findall(r"^### (\S+): (.+)$", pages.text(MEASURES), re.MULTILINE)
    return {id_: sources.slug(f"{id_}: {title}") for id_, title in titles}


def _address(name: str, anchor: str, language: str) -> str:
    page = pages.by_name(language)[name]
    hash_ = f"#{anchor}" if anchor else ""
    if not settings.DOCS_URL:
        return address_of(page) + hash_
    prefix = "ja/" if language == pages.JAPANESE else ""
    address = f"{page.address}/" if page.address else ""
    return f"{settings.DOCS_URL}/{prefix}{address}{hash_}"
