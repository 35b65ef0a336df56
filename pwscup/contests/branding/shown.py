# SPDX-License-Identifier: Apache-2.0
"""The appearance of a contest as its readers get it: addresses, sizes and text alternatives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.core.exceptions import ObjectDoesNotExist
from django.db.models import Q, QuerySet
from django.urls import reverse
from django.utils import translation

from pwscup.core.models import StoredFile

if TYPE_CHECKING:
    from pwscup.contests.models import Branding, Contest

SITE = "site"
"""In the place of a colour in an address."""
DIGEST_CHARS = 16
"""Of the SHA-256 in an address: another picture has another address."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture of a page, with its text alternative in the reader's language."""

    url: str
    width: int
    height: int
    alt: str
    size_bytes: int


@dataclass(frozen=True, slots=True)
class Brand:
    """The colour and the pictures of a contest; the colour is blank for that of the site."""

    colour: str = ""
    logo: Picture | None = None
    picture: Picture | None = None

    @property
    def style_sheet(self) -> str:
        """The address of the tokens of the colour."""
        return style_sheet_url(self.colour) if self.colour else ""


@dataclass(frozen=True, slots=True)
class ShownSponsor:
    """A sponsor; `url` may be blank."""

    number: int
    name: str
    url: str
    logo: Picture | None


def style_sheet_url(colour: str) -> str:
    """The address of the style sheet of a colour, or of previews in the colour of the site."""
    return reverse("brand-style", args=[colour.removeprefix("#") or SITE])


def branding_of(contest: Contest) -> Branding | None:
    """The branding of a contest, if it has any; a dry run shows that of its contest."""
    try:
        return (contest.rehearsal_of or contest).branding
    except ObjectDoesNotExist:
        return None


def brand_of(contest: Contest) -> Brand:
    """The colour and the pictures of a contest."""
    found = branding_of(contest)
    if found is None:
        return Brand()
    japanese = translation.get_language() == "ja"
    logo_alt = found.logo_alt_ja if japanese and found.logo_alt_ja else found.logo_alt
    alt = found.picture_alt_ja if japanese and found.picture_alt_ja else found.picture_alt
    return Brand(
        found.colour,
        _picture(contest, found.logo, found.logo_width, found.logo_height, logo_alt),
        _picture(contest, found.picture, found.picture_width, found.picture_height, alt),
    )


def sponsors_of(contest: Contest) -> list[ShownSponsor]:
    """The sponsors of a contest in their order."""
    found = (contest.rehearsal_of or contest).sponsors.select_related("logo")
    return [
        ShownSponsor(
            one.pk,
            one.name,
            one.url,
            _picture(contest, one.logo, one.logo_width, one.logo_height, one.name),
        )
        for one in found.all()
    ]


def _picture(
    contest: Contest, file: StoredFile | None, width: int, height: int, alt: str
) -> Picture | None:
    if file is None:
        return None
    url = reverse("contest-picture", args=[contest.slug, name_of(file)])
    return Picture(url, width, height, alt, file.size_bytes)


def name_of(file: StoredFile) -> str:
    """The last part of a picture's address.

    Examples
    --------
    >>> name_of(StoredFile(name="logo.png", sha256="0123456789abcdef" * 4))
    '0123456789abcdef.png'
    """
    return f"{file.sha256[:DIGEST_CHARS]}.{file.name.rpartition('.')[2]}"


def files_of(contest: Contest) -> QuerySet[StoredFile]:
    """The logo, the picture and the logos of the sponsors of a contest."""
    held = type(contest).objects.filter(pk=contest.pk)
    return StoredFile.objects.filter(
        Q(pk__in=held.values("branding__logo"))
        | Q(pk__in=held.values("branding__picture"))
        | Q(pk__in=held.values("sponsors__logo"))
    )


def file_named(contest: Contest, name: str) -> StoredFile | None:
    """The picture of a contest at this address."""
    digest = name.partition(".")[0]
    if len(digest) != DIGEST_CHARS:
        return None
    found = files_of(contest.rehearsal_of or contest).filter(sha256__startswith=digest)
    return next((file for file in found if name_of(file) == name), None)
