"""Moments as people read them."""

from __future__ import annotations

from datetime import datetime, tzinfo


def shown_moment(moment: datetime, zone: tzinfo) -> str:
    """On the clock of a contest, the zone named: “2031-05-01 10:00 JST”."""
    return f"{moment.astimezone(zone):%Y-%m-%d %H:%M %Z}"
