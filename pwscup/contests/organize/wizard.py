# SPDX-License-Identifier: Apache-2.0
"""The setup of a contest: the steps of a draft, and the formats to choose from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlencode

from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from pwscup.accounts.policies import is_over
from pwscup.contests import selectors
from pwscup.contests.forms import NewContestForm
from pwscup.contests.guidance import length_text
from pwscup.contests.rules.pages import preview_of
from pwscup.formats import ROUNDS, format_of
from scoring import plugins
from scoring.rulesets import load_ruleset, ruleset_names

if TYPE_CHECKING:
    from django.http import HttpRequest

    from pwscup.contests.models import Contest
    from scoring.rulesets import Ruleset

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
    minutes: int
    """The length of all rounds together."""
    length: str
    """One of `LENGTHS`."""
    level: str
    """One of `LEVELS`."""
    n_teams: int
    """The smallest number of teams."""
    max_team_size: int
    picture: list[str]
    """Templates of its picture; the first that there is counts."""
    origin: str
    """The sentence about the event in whose manner it is, or nothing."""
    package: str
    """The package that it comes from, with its version; nothing for one of the library."""

    @property
    def is_recommended(self) -> bool:
        return self.name == RECOMMENDED

    @property
    def duration(self) -> str:
        """The length of all rounds together, in words."""
        return length_text(timedelta(minutes=self.minutes))

    @property
    def level_title(self) -> str:
        return str(LEVELS[self.level])


RECOMMENDED = "pwscup2015"
"""The format for a first contest."""
LENGTHS = {
    "lesson": gettext_lazy("up to a day"),
    "weeks": gettext_lazy("up to five weeks"),
    "season": gettext_lazy("longer"),
}
LEVELS = {
    "easy": gettext_lazy("easy"),
    "medium": gettext_lazy("medium"),
    "advanced": gettext_lazy("advanced"),
}
MOST_MINUTES = {"lesson": 24 * 60, "weeks": 35 * 24 * 60}


def length_of(rules: Ruleset) -> tuple[int, str]:
    """The minutes of all rounds together, and the kind of length."""
    minutes = sum(round.minutes for round in rules.rounds)
    kind = next((kind for kind, most in MOST_MINUTES.items() if minutes <= most), "season")
    return minutes, kind


def level_of(rules: Ruleset) -> str:
    """Easy: two rounds in a lesson about one table. Advanced: more rounds, over days, with tables of another kind."""
    is_long = length_of(rules)[1] != "lesson"
    harder = (len(rules.rounds) > 2) + is_long + (not format_of(rules).gives_table)
    return ("easy", "medium", "medium", "advanced")[harder]


def chosen_of(asked: Mapping[str, str]) -> dict[str, str]:
    """The filters that were asked for; unknown ones are ignored."""
    known = {"length": LENGTHS, "level": LEVELS}
    return {key: asked[key] for key, values in known.items() if asked.get(key) in values}


@dataclass(frozen=True, slots=True)
class Choice:
    """A button of a filter, with the query of all filters after it."""

    title: str
    query: str
    is_here: bool


def filters(chosen: Mapping[str, str]) -> list[tuple[str, list[Choice]]]:
    """The buttons of each filter, under its title; each keeps what the other filter has chosen."""
    titles = {"length": (_("Total length"), LENGTHS), "level": (_("Difficulty"), LEVELS)}
    return [
        (
            title,
            [
                _choice(chosen, key, value, str(words))
                for value, words in {"": _("all"), **values}.items()
            ],
        )
        for key, (title, values) in titles.items()
    ]


def _choice(chosen: Mapping[str, str], key: str, value: str, words: str) -> Choice:
    query = {name: kept for name, kept in chosen.items() if name != key}
    query |= {key: value} if value else {}
    return Choice(words, urlencode(query), chosen.get(key, "") == value)


def formats(chosen: Mapping[str, str] | None = None) -> list[tuple[str, list[Format]]]:
    """The formats for a new contest that pass the filters, with their rounds and lengths, under headings: the
    recommended one, those of the platform, those of plugins, and those like a past cup, the latest first."""
    asked = chosen or {}
    every = [_format(name) for name in ruleset_names()]
    passed = [f for f in every if all(getattr(f, key) == value for key, value in asked.items())]
    found = [format for format in passed if not format.is_recommended]
    like = sorted((f for f in found if f.origin), key=lambda f: f.origin, reverse=True)
    others = [format for format in found if not format.origin]
    return [
        (_("Recommended for a first contest"), [f for f in passed if f.is_recommended]),
        (_("Formats of the platform"), [f for f in others if not f.package]),
        (_("Formats of plugins"), [f for f in others if f.package]),
        (_("In the manner of past cups"), like),
    ]


FILTER = "filter"
"""The button of a filter; its value is the query of the filters."""


def form_of(request: HttpRequest) -> NewContestForm:
    """The form as sent; after a click on a filter it is not checked, and keeps what was typed."""
    if FILTER in request.POST:
        typed = {
            name: value
            for name, value in request.POST.items()
            if name in NewContestForm.base_fields
        }
        return NewContestForm(initial=typed)
    return NewContestForm(request.POST or None, request.FILES or None)


def asked_of(request: HttpRequest) -> Mapping[str, str]:
    """The filters that were asked for, by a button or in the address."""
    query = request.POST.get(FILTER)
    return request.GET if query is None else dict(parse_qsl(query))


def cards(asked: Mapping[str, str], picked: str) -> dict[str, Any]:
    """The card of the chosen format, and those of the others that pass the filters, folded until one is asked for."""
    chosen = chosen_of(asked)
    groups = formats(chosen)
    shown = [format for _heading, listed in groups for format in listed]
    main = next((format for format in shown if format.name == picked), shown[0] if shown else None)
    return {
        "formats": [(title, [one for one in listed if one != main]) for title, listed in groups],
        "filters": filters(chosen),
        "is_unfolded": bool(chosen),
        "main": main,
        "picked": main.name if main else "",
    }


def _format(name: str) -> Format:
    ruleset = load_ruleset(name)
    rules = preview_of(ruleset)
    minutes, length = length_of(ruleset)
    rounds = tuple((round.title, round.length) for round in rules.rounds)
    data = rules.data[0] if rules.data else ""
    package = "".join(f"{p.package} {p.version}" for p in plugins.named(plugins.OF_FORMATS, [name]))
    return Format(
        name=name,
        title=rules.title,
        summary=rules.summary,
        rounds=rounds,
        data=data,
        minutes=minutes,
        length=length,
        level=level_of(ruleset),
        n_teams=smallest_number_of_teams(ruleset),
        max_team_size=ruleset.limits.max_team_size,
        picture=format_of(ruleset).templates("picture"),
        origin=rules.origin,
        package=package,
    )


def smallest_number_of_teams(rules: Ruleset) -> int:
    """Two where teams attack one another; one where nobody attacks, or only tables of the platform."""
    attacked = [round for round in rules.rounds if ROUNDS[round.kind].has_targets]
    own = [round for round in rules.rounds if ROUNDS[round.kind].is_attacked]
    return 2 if attacked and not all(round.is_organizers for round in own) else 1
