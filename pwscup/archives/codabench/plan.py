# SPDX-License-Identifier: Apache-2.0
"""A draft of a contest as it would be made from a competition, with all that is left out on the way."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterable
from copy import deepcopy
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cache
from itertools import count, islice
from pathlib import Path
from typing import Any

import tomli_w
from django.utils.text import slugify

from pwscup.archives.codabench.commands import MOST_SECONDS, allowing, names_folders
from pwscup.archives.codabench.description import Column, Competition, Page, Phase
from pwscup.archives.codabench.notes import Note, Notes
from pwscup.contests.models import Contest
from pwscup.contests.services import RoundPlan
from pwscup.core.db.columns import longest
from scoring.registry import ALL_MEASURES
from scoring.rulesets import Ruleset, parse_ruleset

BASE = Path(__file__).with_name("ruleset.toml")
LONGEST_NAME = 30
ENDLESS = timedelta(days=365)
MOST_TRIES = 10_000
MOST_MINUTES = 3_650 * 24 * 60
LONGEST_TITLE, LONGEST_SUMMARY, LONGEST_TERMS = (
    longest(Contest, name) for name in ("title", "summary", "terms")
)
RULES = {
    "": "chosen_or_latest",
    "add": "chosen_or_latest",
    "add_and_delete": "chosen_or_latest",
    "force_last": "last",
}
"""Submissions that count, by Codabench's rule for its leaderboard."""
AS_IT_IS = {"worst": 0.0, "best": 1.0, "clip": False}
"""A term of a composite that counts its value."""
DECIDES, BREAKS_TIES = 1_000.0, 0.001
"""Weights of ranks, so that one column decides and all others break ties."""
KANA = re.compile(r"[\u3041-\u30ff]")


@dataclass(frozen=True, slots=True)
class Draft:
    """Everything that is written when the draft is made."""

    title: str
    summary: str
    is_japanese: bool
    terms: str
    pages: tuple[Page, ...]
    program: str
    ruleset: Ruleset
    rounds: tuple[RoundPlan, ...]
    hidden: tuple[str, ...]
    left_out: tuple[Note, ...]

    @property
    def starts_at(self) -> datetime:
        return self.rounds[0].opens_at

    def is_over(self, now: datetime) -> bool:
        """The last round is over, unless all of them are moved."""
        return self.rounds[-1].closes_at <= now


def program_name(competition: Competition) -> str:
    """A name for the scoring program, made of the title."""
    return _short(competition.title) or "scorer"


def draft_of(
    competition: Competition,
    *,
    now: datetime,
    allowed: Collection[str] = (),
    program: str = "",
    starts_at: datetime | None = None,
) -> Draft:
    """The draft of a competition.

    Parameters
    ----------
    competition : Competition
    now : datetime
    allowed : collection of str
        The programs that the site's administrator has allowed.
    program : str
        The one that the rules name; left out, the one that is called as the competition.
    starts_at : datetime, optional
        The opening of the first round, with which all others move; left out, that of the first phase.
    """
    notes = Notes()
    name = program or program_name(competition)
    phases = _moved(competition.phases, starts_at, notes)
    _note_program(competition, name, allowed, phases, notes)
    if _end(phases[-1]) <= now:
        notes.add("over", "phases")
    keys = _distinct((phase.name for phase in phases), "phase")
    ids = _value_ids(competition.leaderboard.columns, notes)
    content = deepcopy(_base())
    content["title"] = _both(competition.title)
    if competition.description:
        content["summary"] = _both(competition.description[:10_000])
    _add_rounds(content, competition, phases, keys, notes)
    _add_program(content, competition, name, ids, notes)
    if len(phases) > 1:
        _add_stages(content, phases, keys, notes)
    text = f"# Made from a competition bundle of Codabench.\n\n{tomli_w.dumps(content)}"
    rules = parse_ruleset(text)
    columns = zip(ids, competition.leaderboard.columns, strict=True)
    hidden = tuple(id_ for id_, column in columns if column.is_hidden)
    title, summary, terms = _texts(competition, notes)
    return Draft(
        title=title,
        summary=summary,
        is_japanese=KANA.search(competition.title + competition.description) is not None,
        terms=terms,
        pages=competition.pages,
        program=name,
        ruleset=rules,
        rounds=tuple(
            _round_plan(rules, key, phase) for key, phase in zip(keys, phases, strict=True)
        ),
        hidden=hidden,
        left_out=(*notes.found, *competition.left_out),
    )


@cache
def _base() -> dict[str, Any]:
    return tomllib.loads(BASE.read_text(encoding="utf-8"))


def _both(text: str) -> dict[str, str]:
    """A text of the bundle in both languages."""
    return {"en": text, "ja": text}


def _short(text: str) -> str:
    """A short name of a ruleset; empty where nothing of the text is left."""
    return slugify(text)[:LONGEST_NAME].strip("-_")


def _distinct(texts: Iterable[str], default: str) -> list[str]:
    """Different short names, made of texts."""
    found: list[str] = []
    for n, text in enumerate(texts, start=1):
        found.append(_free(_short(text) or f"{default}-{n}", found))
    return found


def _free(name: str, taken: Collection[str]) -> str:
    """The name, with a number where it is taken."""
    further = (f"{name[: LONGEST_NAME - 4]}-{n}" for n in count(2))
    return next(free for free in (name, *islice(further, len(taken))) if free not in taken)


# Phases


def _moved(phases: Iterable[Phase], starts_at: datetime | None, notes: Notes) -> list[Phase]:
    """The phases, all moved by the same time."""
    listed = list(phases)
    by = timedelta() if starts_at is None else starts_at - listed[0].starts_at
    if by:
        notes.add("moved", "phases", got=f"{starts_at:%Y-%m-%d %H:%M} UTC")
    return [
        replace(
            phase,
            starts_at=phase.starts_at + by,
            ends_at=None if phase.ends_at is None else phase.ends_at + by,
        )
        for phase in listed
    ]


def _add_rounds(
    content: dict[str, Any],
    competition: Competition,
    phases: list[Phase],
    keys: list[str],
    notes: Notes,
) -> None:
    (pattern,) = content["round"]
    rule = competition.leaderboard.rule
    counts = RULES.get(rule.lower())
    if counts is None:
        notes.add("rule", "leaderboards[1].submission_rule", got=rule)
    notes.add("kind", "phases")
    content["round"] = []
    for key, phase in zip(keys, phases, strict=True):
        made = deepcopy(pattern)
        made |= {"key": key, "title": _both(phase.name), "tries": _tries(phase, notes)}
        made["minutes"] = _minutes(phase, notes)
        if phase.per_day is not None:
            made["tries_per_day"] = min(phase.per_day, MOST_TRIES)
        if phase.description:
            made["description"] = _both(phase.description)
        made["counts"] = counts or "chosen_or_latest"
        content["round"].append(made)
    if any(phase.per_day or phase.in_all for phase in phases):
        notes.add("participants", "phases")


def _tries(phase: Phase, notes: Notes) -> int:
    if phase.in_all is None:
        notes.add("unlimited", phase.name, got=MOST_TRIES)
        return MOST_TRIES
    if phase.in_all > MOST_TRIES:
        notes.add("too_many_tries", phase.name, got=phase.in_all, expected=MOST_TRIES)
    return min(phase.in_all, MOST_TRIES)


def _minutes(phase: Phase, notes: Notes) -> int:
    """The length that the rules propose."""
    if phase.ends_at is None:
        notes.add("endless", phase.name, got=ENDLESS.days)
    minutes = round((_end(phase) - phase.starts_at).total_seconds() / 60)
    if minutes > MOST_MINUTES:
        notes.add("shorter", phase.name, got=MOST_MINUTES // (24 * 60))
    return max(1, min(minutes, MOST_MINUTES))


def _end(phase: Phase) -> datetime:
    return phase.ends_at or phase.starts_at + ENDLESS


def _add_stages(
    content: dict[str, Any], phases: list[Phase], keys: list[str], notes: Notes
) -> None:
    """Each phase is a stage with a board of its own; the last one counts."""
    notes.add("seasons", "phases", got=len(phases))
    content["stage"] = [
        {"key": key, "title": _both(phase.name), "weight": int(key == keys[-1])}
        for key, phase in zip(keys, phases, strict=True)
    ]
    for made in content["round"]:
        made["stage"] = made["key"]


def _round_plan(rules: Ruleset, key: str, phase: Phase) -> RoundPlan:
    spec = rules.round(key)
    tries = spec.tries or 1
    return RoundPlan(key, phase.starts_at, _end(phase), tries, spec.feedback, spec.tries_per_day)


# The program and its values


def _value_ids(columns: Iterable[Column], notes: Notes) -> list[str]:
    """The identifiers of the columns as measures; others than their keys where these cannot be one."""
    found: list[str] = []
    for column in columns:
        plain = re.sub(r"[^A-Za-z0-9_-]+", "-", column.key).strip("-_")[:LONGEST_NAME] or "value"
        name = _free(plain, (*ALL_MEASURES, *found))
        if name != column.key:
            notes.add("key", f"leaderboards[1].{column.title}", got=column.key, name=name)
        found.append(name)
    return found


def _add_program(
    content: dict[str, Any], competition: Competition, name: str, ids: list[str], notes: Notes
) -> None:
    """The program with its values, the values that are made of them, and their order in the ranking."""
    program, columns = content["scoring"]["program"], competition.leaderboard.columns
    (pattern,) = program["value"]
    by_key = {column.key: id_ for id_, column in zip(ids, columns, strict=True)}
    shown = [id_ for id_, column in zip(ids, columns, strict=True) if not column.is_hidden]
    first = (shown or ids)[0]
    values, composites = [], []
    for id_, column in zip(ids, columns, strict=True):
        made: dict[str, Any] = {"id": id_, "title": _both(column.title)}
        made["weight"] = DECIDES if id_ == first else BREAKS_TIES
        if column.of:
            terms = [{"measure": by_key[key], **AS_IT_IS} for key in column.parts]
            composites.append(made | {"of": column.of, "term": terms})
        else:
            values.append(pattern | made | {"direction": column.direction})
    program |= {"name": name, "value": values}
    if composites:
        content["scoring"]["composite"] = composites
    content["ranking"] |= {"utility": shown or [first], "safety": [first]}
    where, title = "leaderboards[1].columns", columns[ids.index(first)].title
    notes.add("ranking", where, got=title)
    notes.add("ranges", where)
    precisions = ", ".join(f"{id_} {c.precision}" for id_, c in zip(ids, columns, strict=True))
    notes.add("precision", where, got=precisions)


def _note_program(
    competition: Competition,
    name: str,
    allowed: Collection[str],
    phases: list[Phase],
    notes: Notes,
) -> None:
    program, seconds = competition.program, max(phase.seconds for phase in phases)
    if seconds > MOST_SECONDS:
        notes.add("time_limit", "phases", got=seconds, expected=MOST_SECONDS)
    if program is None:
        file = "" if name in allowed else allowing(None, name, seconds)
        notes.add("no_program", "tasks", name=name, file=file)
        return
    said = {"got": program.path, "n": len(program.files), "name": name}
    if name in allowed:
        notes.add("program_allowed", "tasks", **said)
    else:
        notes.add("program", "tasks", **said, file=allowing(program, name, seconds))
    if not names_folders(program):
        notes.add("fixed_folders", "tasks", got=program.command)


# Texts


def _texts(competition: Competition, notes: Notes) -> tuple[str, str, str]:
    """The title, the summary and the terms, cut to the lengths of their fields."""
    notes.add("language", "competition.yaml")
    title = competition.title
    if len(title) > LONGEST_TITLE:
        notes.add("title", "title", got=title[LONGEST_TITLE:])
    summary = " ".join(competition.description.split())
    if len(summary) > LONGEST_SUMMARY:
        notes.add("summary", "description")
        summary = summary[: LONGEST_SUMMARY - 1] + "…"
    if len(competition.terms) > LONGEST_TERMS:
        notes.add("terms_long", "terms", got=f"{LONGEST_TERMS:,}")
    return title[:LONGEST_TITLE], summary, competition.terms[:LONGEST_TERMS]
