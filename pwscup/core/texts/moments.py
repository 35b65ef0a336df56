# SPDX-License-Identifier: Apache-2.0
"""Times as text for readers."""

from __future__ import annotations

from datetime import datetime, tzinfo

from django.utils.translation import gettext as _


def shown_moment(moment: datetime, zone: tzinfo) -> str:
    """In the contest's zone, with the zone: “2031-05-01 10:00 JST”."""
    return f"{moment.astimezone(zone):%Y-%m-%d %H:%M %Z}"


def zone_name(zone: str) -> str:
    """A time zone as its people call it, where they have a name for it; otherwise its identifier."""
    return _("Japan Standard Time (JST)") if zone in ("Asia/Tokyo", "Japan") else zone
