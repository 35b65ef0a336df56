"""The setup of a contest: the steps of a draft, and the formats to choose from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from pwscup.accounts.policies import is_over
from pwscup.contests import selectors
from pwscup.contests.rules.pages import preview_of
from scoring import plugins
from scoring.rulesets import load_ruleset, ruleset_names

if TYPE_CHECKING:
    from pwscup.contests.models import Contest

PAGES = {
    "rules": "organize-rules",
    "data": "organize-data",
    "rounds": "organize-rounds",
    "teams": "organize-teams",
    "dry-run": "organize-dry-run",
    "overview": "organize-contest",
}
"""The organizer's page of each step, in order."""


@dataclass(frozen=True, slots=True)
class Step:
    """A step of the setup."""

    section: str
    title: str
    url: str
    is_done: bool
    is_here: bool


def steps(contest: Contest, section: str) -> list[Step]:
    """The steps of a draft; none after publication."""
    if contest.is_published or contest.rehearsal_of_id is not None:
        return []
    titles = {
        "rules": _("Format"),
        "data": _("Data"),
        "rounds": _("Rounds"),
        "teams": _("Teams"),
        "dry-run": _("Dry run"),
        "overview": _("Publish"),
    }
    done = _done(contest)
    return [
        Step(key, titles[key], reverse(page, args=[contest.slug]), key in done, key == section)
        for key, page in PAGES.items()
    ]


def _done(contest: Contest) -> set[str]:
    """Completed steps; teams and a dry run are optional."""
    done = {"rules"}
    if selectors.original_of(contest) is not None:
        done.add("data")
    if contest.rounds.exists() and not is_over(contest, timezone.now()):
        done.add("rounds")
    if contest.teams.filter(is_house=False).exists():
        done.add("teams")
    if contest.dry_runs.filter(state="done").exists():
        done.add("dry-run")
    return done


def next_step(steps: list[Step]) -> Step | None:
    """The step after the current page."""
    here = next((at for at, step in enumerate(steps) if step.is_here), None)
    return steps[here + 1] if here is not None and here + 1 < len(steps) else None


@dataclass(frozen=True, slots=True)
class Format:
    """A format of the library, in short."""

    name: str
    title: str
    summary: str
    rounds: tuple[tuple[str, str], ...]
    data: str
    origin: str
    """The sentence about the event in whose manner it is, or nothing."""
    package: str
    """The package that it comes from, with its version; nothing for one of the library."""


def formats() -> list[tuple[str, list[Format]]]:
    """The formats for a new contest, with their rounds and lengths, under headings: those like a past cup, the latest
    first, and all others, first those of the platform, then those of plugins."""
    found = [_format(name) for name in ruleset_names()]
    like = sorted((f for f in found if f.origin), key=lambda f: f.origin, reverse=True)
    others = [format for format in found if not format.origin]
    return [
        (_("Formats of the platform"), [f for f in others if not f.package]),
        (_("Formats of plugins"), [f for f in others if f.package]),
        (_("In the manner of past cups"), like),
    ]


def _format(name: str) -> Format:
    rules = preview_of(load_ruleset(name))
    rounds = tuple((round.title, round.length) for round in rules.rounds)
    data = rules.data[0] if rules.data else ""
    package = "".join(f"{p.package} {p.version}" for p in plugins.named(plugins.OF_FORMATS, [name]))
    return Format(name, rules.title, rules.summary, rounds, data, rules.origin, package)
