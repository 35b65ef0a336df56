# SPDX-License-Identifier: Apache-2.0
"""The live part of the organizer's first page: figures, bars of the hours, and the same as CSV."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pwscup.core.http.polling import etag

if TYPE_CHECKING:
    from pwscup.contests.models import Contest
    from pwscup.submissions.live.figures import Hour, Live

HEADER = ("hour", "received", "rejected")
WIDTH, HEIGHT = 720, 150
BASE, TOP = 126, 14
"""The lines in the picture where bars stand and where the highest one ends."""
PITCH, BAR = 28, 20
LEFT = 40
EVERY = 6
"""Every sixth hour is named below its bar."""


@dataclass(frozen=True, slots=True)
class Bar:
    """An hour in the picture: the part that was accepted or waits, on the part that was rejected; in pixels."""

    hour: Hour
    x: int
    accepted_y: float
    accepted_height: float
    rejected_y: float
    rejected_height: float
    label: str
    """The hour on the clock of the contest, at every sixth bar."""

    @property
    def middle(self) -> float:
        return self.x + BAR / 2


@dataclass(frozen=True, slots=True)
class Picture:
    """Bars of hours, and the number that the highest bar stands for."""

    bars: tuple[Bar, ...]
    highest: int
    width: int = WIDTH
    height: int = HEIGHT
    base: int = BASE
    top: int = TOP
    left: int = LEFT
    bar: int = BAR
    labels_y: int = HEIGHT - 6


def picture_of(hours: tuple[Hour, ...], contest: Contest) -> Picture:
    """The bars of these hours, all on one scale from 0."""
    highest = max((hour.n_received for hour in hours), default=0)
    scale = (BASE - TOP) / max(1, highest)
    return Picture(tuple(_bar(n, hour, scale, contest) for n, hour in enumerate(hours)), highest)


def _bar(place: int, hour: Hour, scale: float, contest: Contest) -> Bar:
    rejected = round(hour.n_rejected * scale, 1)
    accepted = round((hour.n_received - hour.n_rejected) * scale, 1)
    label = f"{hour.starts_at.astimezone(contest.tz):%H:%M}" if place % EVERY == 0 else ""
    return Bar(
        hour=hour,
        x=LEFT + PITCH * place,
        rejected_y=BASE - rejected,
        rejected_height=rejected,
        accepted_y=round(BASE - rejected - accepted, 1),
        accepted_height=accepted,
        label=label,
    )


def live_page(contest: Contest, live: Live) -> dict[str, Any]:
    """The context of `submissions/_live_panel.html`."""
    return {
        "contest": contest,
        "live": live,
        "picture": picture_of(live.hours, contest),
        "busy_hours": [hour for hour in reversed(live.hours) if hour.n_received],
        "etag": etag(live, contest.slug),
    }


def csv_rows(contest: Contest, hours: list[Hour]) -> Iterator[list[object]]:
    """A row per hour, the oldest first, with its start in the contest's zone."""
    for hour in hours:
        yield [hour.starts_at.astimezone(contest.tz).isoformat(), hour.n_received, hour.n_rejected]
