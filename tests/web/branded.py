# SPDX-License-Identifier: Apache-2.0
"""A contest with an appearance of its own."""

from __future__ import annotations

import io
from typing import Any

from pwscup.contests.branding import pictures
from pwscup.contests.branding.pictures import LOGO, PICTURE
from pwscup.contests.models import Contest
from pwscup.contests.services import branding as services
from tests.pictures import photo, picture


def clean(data: bytes, kind: pictures.Kind = LOGO) -> pictures.Cleaned:
    return pictures.cleaned(io.BytesIO(data), len(data), kind)


def brand(cast: Any, contest: Contest | None = None) -> Contest:
    """A contest with a colour, a logo, a picture and two sponsors."""
    contest = contest or cast.contest
    held = {"actor": cast.oscar, "contest": contest}
    services.change(**held, values={"colour": "#ffdd00"})
    logo, banner = clean(picture()), clean(photo(), PICTURE)
    services.set_picture(**held, which="logo", picture=logo, alt="A cube", alt_ja="立方体")
    services.set_picture(**held, which="picture", picture=banner, alt="A hall", alt_ja="会場")
    services.add_sponsor(**held, name="ACME", url="https://acme.example.org/", logo=logo)
    services.add_sponsor(**held, name="Without logo", url="")
    return Contest.objects.get(pk=contest.pk)
