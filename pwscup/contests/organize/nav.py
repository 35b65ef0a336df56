# SPDX-License-Identifier: Apache-2.0
"""The organizer's menu: one table of all pages, of this app and of those above it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

    from pwscup.contests.models import Contest

PAGES: tuple[tuple[_StrPromise, tuple[tuple[str, _StrPromise, str], ...]], ...] = (
    (
        _("Set up"),
        (
            ("overview", _("Status"), "organize-contest"),
            ("rules", _("Rules"), "organize-rules"),
            ("data", _("Data"), "organize-data"),
            ("rounds", _("Rounds"), "organize-rounds"),
            ("teams", _("Teams"), "organize-teams"),
            ("terms", _("Terms"), "organize-terms"),
            ("materials", _("Materials"), "organize-materials"),
            ("settings", _("Settings"), "organize-settings"),
            ("appearance", _("Appearance"), "organize-appearance"),
            ("dry-run", _("Dry run"), "organize-dry-run"),
        ),
    ),
    (
        _("Run"),
        (
            ("clock", _("Clock"), "organize-clock"),
            ("hints", _("Hints"), "organize-hints"),
            ("submissions", _("Submissions"), "organize-submissions"),
            ("disclosure", pgettext_lazy("of a hidden table", "Disclosure"), "organize-disclosure"),
            ("decisions", _("Decisions"), "organize-decisions"),
            ("news", _("Announcements"), "organize-news"),
            ("questions", _("Questions"), "organize-questions"),
            ("webhooks", _("Webhooks"), "organize-webhooks"),
        ),
    ),
    (
        _("Results"),
        (
            ("board", _("Leaderboard"), "organize-board"),
            ("debriefing", _("Debriefing"), "organize-debriefing"),
            ("rescore", _("Re-scoring"), "organize-rescore"),
            ("report", _("Report and certificates"), "organize-report"),
            ("events", _("Events"), "organize-events"),
            ("archive", _("Archive"), "organize-archive"),
        ),
    ),
)
"""By group: the section of a page, its title, and the name of its URL."""
OF_HIDDEN_TABLES = ("disclosure",)
"""Sections of contests with a hidden table only."""


@dataclass(frozen=True, slots=True)
class Link:
    section: str
    title: _StrPromise
    url: str
    is_here: bool


@dataclass(frozen=True, slots=True)
class Group:
    title: _StrPromise
    links: tuple[Link, ...]


def nav(contest: Contest, section: str) -> list[Group]:
    """The links of every organizer's page."""
    left_out = () if contest.format.hides_table else OF_HIDDEN_TABLES
    return [
        Group(
            title,
            tuple(
                Link(key, words, reverse(name, args=[contest.slug]), key == section)
                for key, words, name in pages
                if key not in left_out
            ),
        )
        for title, pages in PAGES
    ]
