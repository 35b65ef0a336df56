"""Times as text for readers."""

from __future__ import annotations

from datetime import datetime, tzinfo


def shown_moment(moment: datetime, zone: tzinfo) -> str:
    """In the contest's zone, with the zone: “2031-05-01 10:00 JST”."""
    return f"{moment.astimezone(zone):%Y-%m-%d %H:%M %Z}"
