# SPDX-License-Identifier: Apache-2.0
"""The appearance of a contest: colour, pictures and sponsors, changed by organizers.

These are no data of participants, so they stay when the data of a contest are deleted, and may be changed then.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.utils.translation import gettext_lazy as _

from pwscup.contests.branding.colours import is_colour
from pwscup.contests.models import Branding, Sponsor
from pwscup.contests.services.common import ContestRefused, lock
from pwscup.contests.services.materials import is_web_address
from pwscup.core import audit_log
from pwscup.core.files import storage

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pwscup.accounts.models import User
    from pwscup.contests.branding.pictures import Cleaned
    from pwscup.contests.models import Contest
    from pwscup.core.models import StoredFile

MOST_SPONSORS = 12
APPEARANCE = "contest.appearance_changed"
VALUES = ("colour", "logo_alt", "logo_alt_ja", "picture_alt", "picture_alt_ja")
WRONG_COLOUR = _("Enter a colour as # and six hexadecimal digits, such as #2457c5.")
WRONG_LINK = _("Enter a link that begins with http:// or https://.")


# Colour and pictures


@transaction.atomic
def change(
    *, actor: User, contest: Contest, version: int | None = None, values: Mapping[str, str]
) -> None:
    """Change the colour or text alternatives; what is not named stays."""
    if values.get("colour") and not is_colour(values["colour"]):
        raise ContestRefused(WRONG_COLOUR)
    branding = _branding(_lock(contest, version))
    changed = {
        name: [getattr(branding, name), values[name]]
        for name in VALUES
        if name in values and getattr(branding, name) != values[name]
    }
    for name in changed:
        setattr(branding, name, values[name])
    branding.save()
    if changed:
        _record(APPEARANCE, actor, branding.contest_id, "", **changed)


def set_picture(
    *,
    actor: User,
    contest: Contest,
    version: int | None = None,
    which: str,
    picture: Cleaned | None,
    alt: str = "",
    alt_ja: str = "",
) -> None:
    """Set the logo or the picture with its text alternative; without a picture the present one stays.

    Raises
    ------
    ContestRefused
        There is neither a new nor a present picture.
    """
    with _kept(picture, which) as file, transaction.atomic():
        branding = _branding(_lock(contest, version))
        before: StoredFile | None = getattr(branding, which)
        if before is None and file is None:
            raise ContestRefused(_("Choose a file."))
        texts = {f"{which}_alt": alt, f"{which}_alt_ja": alt_ja}
        changed: dict[str, Any] = {
            name: [getattr(branding, name), text]
            for name, text in texts.items()
            if getattr(branding, name) != text
        }
        for name, text in texts.items():
            setattr(branding, name, text)
        if picture is not None and file is not None:
            changed[which] = [before.sha256 if before else "", file.sha256]
            _put(branding, which, file, picture)
        branding.save()
        if picture is not None and before is not None:
            storage.forget([before])
        if changed:
            _record(APPEARANCE, actor, branding.contest_id, "", **changed)


@transaction.atomic
def remove_picture(
    *, actor: User, contest: Contest, version: int | None = None, which: str
) -> None:
    """Remove the logo or the picture with its text alternative."""
    branding = _branding(_lock(contest, version))
    before: StoredFile | None = getattr(branding, which)
    if before is None:
        return
    _take_away(branding, which)
    setattr(branding, f"{which}_alt", "")
    setattr(branding, f"{which}_alt_ja", "")
    branding.save()
    storage.forget([before])
    changed: dict[str, Any] = {which: [before.sha256, ""]}
    _record(APPEARANCE, actor, branding.contest_id, "", **changed)


# Sponsors


def add_sponsor(
    *,
    actor: User,
    contest: Contest,
    version: int | None = None,
    name: str,
    url: str,
    logo: Cleaned | None = None,
) -> Sponsor:
    """Add a sponsor after the others."""
    _check_link(url)
    with _kept(logo, "logo") as file, transaction.atomic():
        held = _lock(contest, version)
        present = list(held.sponsors.values_list("position", flat=True))
        if len(present) >= MOST_SPONSORS:
            raise ContestRefused(
                _("A contest shows at most %(expected)s sponsors. Remove one first.")
                % {"expected": MOST_SPONSORS}
            )
        position = max(present, default=0) + 1
        sponsor = Sponsor(contest=held, name=name, url=url, position=position)
        if logo is not None and file is not None:
            _put(sponsor, "logo", file, logo)
        sponsor.save()
        _record("sponsor.added", actor, held.pk, name, url=url, sha256=file.sha256 if file else "")
    return sponsor


def change_sponsor(
    *,
    actor: User,
    contest: Contest,
    version: int | None = None,
    number: int,
    name: str,
    url: str,
    logo: Cleaned | None = None,
) -> None:
    """Change the name, the link and, where there is a new one, the logo of a sponsor."""
    _check_link(url)
    with _kept(logo, "logo") as file, transaction.atomic():
        sponsor = _sponsor(_lock(contest, version), number)
        before = sponsor.logo
        changed: dict[str, Any] = {
            key: [getattr(sponsor, key), value]
            for key, value in (("name", name), ("url", url))
            if getattr(sponsor, key) != value
        }
        sponsor.name, sponsor.url = name, url
        if logo is not None and file is not None:
            changed["logo"] = [before.sha256 if before else "", file.sha256]
            _put(sponsor, "logo", file, logo)
        sponsor.save()
        if logo is not None and before is not None:
            storage.forget([before])
        if changed:
            _record("sponsor.changed", actor, sponsor.contest_id, name, **changed)


@transaction.atomic
def remove_sponsor_logo(
    *, actor: User, contest: Contest, version: int | None = None, number: int
) -> None:
    """Remove the logo of a sponsor, whose name stays."""
    sponsor = _sponsor(_lock(contest, version), number)
    before = sponsor.logo
    if before is None:
        return
    _take_away(sponsor, "logo")
    sponsor.save()
    storage.forget([before])
    _record("sponsor.changed", actor, sponsor.contest_id, sponsor.name, logo=[before.sha256, ""])


@transaction.atomic
def move_sponsor_up(
    *, actor: User, contest: Contest, version: int | None = None, number: int
) -> None:
    """Move a sponsor before the one above it."""
    held = _lock(contest, version)
    order = list(held.sponsors.all())
    place = order.index(_sponsor(held, number))
    if place == 0:
        return
    order[place - 1], order[place] = order[place], order[place - 1]
    for position, sponsor in enumerate(order, start=1):
        sponsor.position = position
    Sponsor.objects.bulk_update(order, ["position"])
    _record("sponsor.moved", actor, held.pk, order[place - 1].name, position=[place + 1, place])


@transaction.atomic
def remove_sponsor(
    *, actor: User, contest: Contest, version: int | None = None, number: int
) -> None:
    """Remove a sponsor with its logo."""
    sponsor = _sponsor(_lock(contest, version), number)
    file = sponsor.logo
    _record("sponsor.removed", actor, sponsor.contest_id, sponsor.name, url=sponsor.url)
    sponsor.delete()
    storage.forget([file] if file else [])


# Common parts


def _lock(contest: Contest, version: int | None) -> Contest:
    held = lock(contest, version)
    if held.rehearsal_of_id is not None:
        raise ContestRefused(
            _("A dry run has the appearance of its contest. Change it on the page of the contest.")
        )
    return held


def _branding(held: Contest) -> Branding:
    found, _is_new = Branding.objects.select_related("logo", "picture").get_or_create(contest=held)
    return found


def _sponsor(held: Contest, number: int) -> Sponsor:
    found = held.sponsors.select_related("logo").filter(pk=number).first()
    if found is None:
        raise ContestRefused(_("This sponsor was removed in the meantime."))
    return found


def _check_link(url: str) -> None:
    if url and not is_web_address(url):
        raise ContestRefused(WRONG_LINK)


def _put(row: Branding | Sponsor, which: str, file: StoredFile, picture: Cleaned) -> None:
    file.save()
    setattr(row, which, file)
    setattr(row, f"{which}_width", picture.width)
    setattr(row, f"{which}_height", picture.height)


def _take_away(row: Branding | Sponsor, which: str) -> None:
    setattr(row, which, None)
    setattr(row, f"{which}_width", 0)
    setattr(row, f"{which}_height", 0)


@contextmanager
def _kept(picture: Cleaned | None, name: str) -> Iterator[StoredFile | None]:
    """The picture on the disk, under a name that says nothing about the uploaded file; discarded after an error."""
    if picture is None:
        yield None
        return
    file = storage.write(picture.data, area=storage.Area.PUBLISHED, name=f"{name}.{picture.suffix}")
    try:
        yield file
    except BaseException:
        storage.discard(file)
        raise


def _record(kind: str, actor: User, contest_id: int, subject: str, **data: Any) -> None:
    audit_log.record(kind, actor=actor, contest_id=contest_id, subject=subject, **data)
