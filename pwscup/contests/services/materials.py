# SPDX-License-Identifier: Apache-2.0
"""The materials of a contest: added, changed, moved and removed by organizers."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from django.db import transaction
from django.utils.translation import gettext_lazy as _

from pwscup.contests import materials
from pwscup.contests.models import Material
from pwscup.contests.selectors import original_of
from pwscup.contests.services.common import ContestRefused, lock
from pwscup.core import audit_log
from pwscup.core.files import storage
from pwscup.core.files.names import plain_name
from pwscup.core.texts.parts import listed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pwscup.accounts.models import User
    from pwscup.contests.models import Contest
    from pwscup.core.models import StoredFile

MOST = 40
"""Materials of a contest."""
MAX_BYTES = 20 * 1024 * 1024
MAX_HIERARCHY_BYTES = 1024 * 1024
SCHEMES = ("http", "https")


def is_web_address(url: str) -> bool:
    """An address that a browser opens as a page of the web, and no script.

    Examples
    --------
    >>> [is_web_address(url) for url in ("https://example.org/a", "javascript:alert(1)", "//a")]
    [True, False, False]
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in SCHEMES and bool(parts.hostname) and url.isprintable() and " " not in url


def add_link(
    *,
    actor: User,
    contest: Contest,
    version: int | None = None,
    title: str,
    title_ja: str,
    audience: str,
    url: str,
) -> Material:
    """Add a link to a page of the web."""
    if not is_web_address(url):
        raise ContestRefused(_("Enter a link that begins with http:// or https://."))
    link = Material(
        kind=Material.Kind.LINK, title=title, title_ja=title_ja, audience=audience, url=url
    )
    return _added(actor, contest, version, link)


def add_file(
    *,
    actor: User,
    contest: Contest,
    version: int | None = None,
    title: str,
    title_ja: str,
    audience: str,
    name: str,
    data: bytes | Iterable[bytes],
) -> Material:
    """Add a file, which is only ever served as a download."""
    name = plain_name(name)
    if materials.suffix_of(name) not in materials.TYPES:
        raise ContestRefused(
            _("Files of this kind are not accepted — expected %(expected)s — got “%(got)s”.")
            % {"expected": listed(materials.TYPES), "got": name}
        )
    material = Material(kind=Material.Kind.FILE, title=title, title_ja=title_ja, audience=audience)
    file = storage.write(data, area=storage.Area.PUBLISHED, name=name)
    return _kept(actor, contest, version, material, file)


def add_hierarchies(
    *,
    actor: User,
    contest: Contest,
    version: int | None = None,
    title: str,
    title_ja: str,
    audience: str,
    name: str,
    data: bytes,
) -> Material:
    """Add the contest's generalization hierarchies; they replace the ones before.

    Raises
    ------
    ProblemsFound
        All that does not fit the contest's table.
    ContestRefused
        The contest has no table yet.
    """
    dataset = original_of(contest)
    if dataset is None:
        raise ContestRefused(_("The hierarchies are checked against the table: upload it first."))
    name = plain_name(name)
    materials.check(data, name, dataset)
    before = materials.file_of_hierarchies(contest)
    file = storage.write(data, area=storage.Area.PUBLISHED, name=name)
    if before is not None:
        return _replaced(actor, contest, version, before, file)
    material = Material(
        kind=Material.Kind.HIERARCHIES, title=title, title_ja=title_ja, audience=audience
    )
    return _kept(actor, contest, version, material, file)


def _kept(
    actor: User, contest: Contest, version: int | None, material: Material, file: StoredFile
) -> Material:
    try:
        return _added(actor, contest, version, material, file)
    except BaseException:
        storage.discard(file)
        raise


@transaction.atomic
def _added(
    actor: User,
    contest: Contest,
    version: int | None,
    material: Material,
    file: StoredFile | None = None,
) -> Material:
    held = _lock(contest, version)
    present = list(held.materials.values_list("position", flat=True))
    if len(present) >= MOST:
        raise ContestRefused(
            _("A contest has at most %(expected)s materials. Remove one first.")
            % {"expected": MOST}
        )
    if file is not None:
        file.save()
    material.contest, material.file = held, file
    material.position = max(present, default=0) + 1
    material.save()
    _record("added", actor, material, audience=material.audience, **_content(material))
    return material


def _replaced(
    actor: User, contest: Contest, version: int | None, material: Material, file: StoredFile
) -> Material:
    """Another file in the place of an earlier one, whose bytes are deleted."""
    try:
        with transaction.atomic():
            _lock(contest, version)
            file.save()
            before, material.file = material.file, file
            material.save(update_fields=["file"])
            hashes = [before.sha256 if before else "", file.sha256]
            _record("changed", actor, material, sha256=hashes)
            storage.forget([before] if before else [])
    except BaseException:
        storage.discard(file)
        raise
    return material


@transaction.atomic
def change(
    *,
    actor: User,
    contest: Contest,
    version: int | None = None,
    number: int,
    title: str,
    title_ja: str,
    audience: str,
) -> None:
    """Change the titles of a material, or who gets it."""
    material = _found(_lock(contest, version), number)
    given = {"title": title, "title_ja": title_ja, "audience": audience}
    changed = {
        name: [getattr(material, name), value]
        for name, value in given.items()
        if getattr(material, name) != value
    }
    if not changed:
        return
    for name in changed:
        setattr(material, name, given[name])
    material.save(update_fields=list(changed))
    _record("changed", actor, material, **changed)


@transaction.atomic
def move_up(*, actor: User, contest: Contest, version: int | None = None, number: int) -> None:
    """Move a material before the one above it."""
    held = _lock(contest, version)
    order = list(held.materials.all())
    place = order.index(_found(held, number))
    if place == 0:
        return
    order[place - 1], order[place] = order[place], order[place - 1]
    for position, material in enumerate(order, start=1):
        material.position = position
    Material.objects.bulk_update(order, ["position"])
    _record("moved", actor, order[place - 1], position=[place + 1, place])


@transaction.atomic
def remove(*, actor: User, contest: Contest, version: int | None = None, number: int) -> None:
    """Remove a material with its file."""
    material = _found(lock(contest, version), number)
    file = material.file
    _record("removed", actor, material, **_content(material))
    material.delete()
    storage.forget([file] if file else [])


def _lock(contest: Contest, version: int | None) -> Contest:
    held = lock(contest, version)
    if held.erased_at is not None:
        raise ContestRefused(_("The data of this contest are deleted already."))
    return held


def _found(contest: Contest, number: int) -> Material:
    material = contest.materials.select_related("file").filter(pk=number).first()
    if material is None:
        raise ContestRefused(_("This material was removed in the meantime."))
    return material


def _content(material: Material) -> dict[str, str | int]:
    if material.file is None:
        return {"url": material.url}
    return {"file": material.file.name, "sha256": material.file.sha256}


def _record(what: str, actor: User, material: Material, **data: object) -> None:
    audit_log.record(
        f"material.{what}",
        actor=actor,
        contest_id=material.contest_id,
        subject=material.title,
        **data,
    )
