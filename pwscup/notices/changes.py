# SPDX-License-Identifier: Apache-2.0
"""Public changes of a contest: the table of public events and their texts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from pwscup.contests.models import Round
from pwscup.core.models import Event
from pwscup.core.texts.moments import shown_moment

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

    from django.utils.functional import _StrPromise

    from pwscup.contests.models import Contest


@dataclass(frozen=True, slots=True)
class Change:
    """The text of a kind of event; `is_told` means that it is also sent by email and webhook, to members of
    all teams.

    `shows_reason`: the reason given by organizers is public.
    """

    words: _StrPromise
    is_told: bool = True
    is_important: bool = True
    shows_reason: bool = False


PUBLISHED = "contest.published"
# The only table of public parts of the audit trail: never the actor, and of the data only the fields below.
PUBLIC_KINDS: dict[str, Change] = {
    PUBLISHED: Change(gettext_lazy("The contest was published"), is_told=False),
    "contest.rounds_changed": Change(gettext_lazy("Rounds were changed")),
    # The opening itself is announced by the notice of every opening.
    "contest.round_opened": Change(gettext_lazy("“%(round)s” was opened manually"), is_told=False),
    "contest.rounds_started": Change(
        gettext_lazy("The rounds were started, and their dates moved"), is_told=False
    ),
    "contest.round_closed": Change(gettext_lazy("“%(round)s” was closed manually")),
    "contest.round_paused": Change(gettext_lazy("The contest is paused"), shows_reason=True),
    "contest.round_resumed": Change(gettext_lazy("The contest continues"), shows_reason=True),
    "contest.round_extended": Change(gettext_lazy("“%(round)s” was extended"), shows_reason=True),
    "contest.round_reopened": Change(gettext_lazy("“%(round)s” was reopened"), shows_reason=True),
    "contest.outage_recorded": Change(
        gettext_lazy("An outage was recorded: its time does not count"), shows_reason=True
    ),
    "contest.ruleset_changed": Change(gettext_lazy("The rules were changed"), shows_reason=True),
    "contest.rescore_applied": Change(
        gettext_lazy("All submissions were scored again"), shows_reason=True
    ),
    "hint.published": Change(gettext_lazy("A hint for “%(round)s” was published"), is_told=False),
    "contest.terms_changed": Change(gettext_lazy("The terms of participation were changed")),
    "contest.revealed": Change(
        gettext_lazy("The secret of all random draws was published"), is_important=False
    ),
    "contest.board_frozen": Change(gettext_lazy("The leaderboard is frozen"), is_important=False),
    "contest.board_revealed": Change(
        gettext_lazy("The final leaderboard was revealed"), is_important=False
    ),
    "contest.ceremony_started": Change(
        gettext_lazy("The final order is being revealed, step by step"), is_told=False
    ),
    "contest.report_published": Change(
        gettext_lazy("The final report is published"), is_important=False
    ),
    "contest.data_erased": Change(
        gettext_lazy("The data of the contest were deleted, as announced"), is_told=False
    ),
}

FIELDS = {
    "opens_at": gettext_lazy("opens"),
    "closes_at": gettext_lazy("closes"),
    "started_at": gettext_lazy("from"),
    "ended_at": gettext_lazy("until"),
    "tries": gettext_lazy("attempts"),
    "tries_per_day": gettext_lazy("attempts per day"),
    "feedback": gettext_lazy("feedback"),
}
FROZEN = "frozen_at"  # before and after, if only the latter is informative
# Under these keys are changes of several rounds by their keys.
NESTS = ("rounds", "moved", "changes")


@dataclass(frozen=True, slots=True)
class Told:
    """An event as published."""

    title: str
    lines: tuple[str, ...]

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


def told(event: Event, titles: Mapping[str, str], zone: ZoneInfo) -> Told:
    """The event in the reader's language; `titles` are those of the contest's rounds by key."""
    change = PUBLIC_KINDS[event.kind]
    key = event.subject if event.subject in titles else str(event.data.get("round", ""))
    title = str(change.words) % {"round": titles.get(key, key or _("a round"))}
    lines = [*_lines(event.data, titles, zone)]
    reason = event.data.get("reason")
    if change.shows_reason and isinstance(reason, str) and reason:
        lines.append(_("Reason: %(reason)s") % {"reason": reason})
    return Told(title, tuple(lines))


def titles_of(contest: Contest) -> dict[str, str]:
    """The titles of the rounds by key, in the reader's language."""
    return {round.key: round.local_title for round in contest.rounds.all()}


def _lines(data: Mapping[str, Any], titles: Mapping[str, str], zone: ZoneInfo) -> Iterator[str]:
    """The changes, one per line: a round and its fields, or only the fields."""
    for key, value in data.items():
        if key in FIELDS:
            yield _field(key, value, zone)
        elif key == FROZEN and isinstance(value, list) and value[-1]:
            yield _("It shows the state at %(time)s.") % {"time": _moment(value[-1], zone)}
        elif key in titles and isinstance(value, dict):
            parts = [_field(name, value[name], zone) for name in FIELDS if name in value]
            if parts:
                yield _("%(round)s — %(changes)s") % {
                    "round": titles[key],
                    "changes": "; ".join(parts),
                }
        elif key in NESTS and isinstance(value, dict):
            yield from _lines(value, titles, zone)


def _field(name: str, value: Any, zone: ZoneInfo) -> str:
    """One field, with the previous value if both are known."""
    pair = value if isinstance(value, list) and len(value) == 2 else [value]
    return f"{FIELDS[name]}: " + " → ".join(_value(name, part, zone) for part in pair)


def _value(name: str, value: Any, zone: ZoneInfo) -> str:
    if value in (None, ""):
        return "–"
    if name == "feedback":
        return str(dict(Round.Feedback.choices).get(value, value))
    if name.endswith("_at"):
        return _moment(str(value), zone)
    return str(value)


def _moment(text: str, zone: ZoneInfo) -> str:
    try:
        return shown_moment(datetime.fromisoformat(text), zone)
    except ValueError:
        return text


def since_publication(events: Iterable[Event]) -> list[Event]:
    """Events in order since the last publication; all if it is older than the trail."""
    kept: list[Event] = []
    for event in events:
        if event.kind == PUBLISHED:
            kept = []
        kept.append(event)
    return kept
