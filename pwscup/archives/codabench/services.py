# SPDX-License-Identifier: Apache-2.0
"""A bundle is received, and made into a draft of a contest: each in one transaction."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from django.db import transaction
from django.utils.text import slugify
from django.utils.translation import gettext_lazy as _
from pydantic import TypeAdapter

from pwscup.archives.codabench.description import Competition
from pwscup.archives.codabench.notes import Note
from pwscup.archives.codabench.reading import read_bundle
from pwscup.archives.models import CodabenchBundle
from pwscup.contests import policies, services
from pwscup.contests.models import Contest, Material
from pwscup.contests.services import ContestRefused, materials
from pwscup.core import audit_log
from pwscup.core.files import storage
from pwscup.core.installation import programs
from pwscup.leaderboards.ceremony.services import change_display
from scoring.errors import ProblemsFound

if TYPE_CHECKING:
    from pwscup.accounts.models import User
    from pwscup.archives.codabench.plan import Draft

MOST_KEPT = 20
"""Bundles of a person of which no draft was made; older ones are forgotten."""
COMPETITION: TypeAdapter[Competition] = TypeAdapter(Competition)
NOTES: TypeAdapter[tuple[Note, ...]] = TypeAdapter(tuple[Note, ...])


def receive(*, actor: User, name: str, source: Path | IO[bytes]) -> CodabenchBundle:
    """Read a bundle and keep what it describes.

    Raises
    ------
    BundleRefused
        All that is wrong with it; nothing is kept then.
    ContestRefused
        The person may not create contests.
    """
    if not policies.may_create_contests(actor):
        raise ContestRefused(_("This account may not create contests."))
    competition = read_bundle(source, name)
    with transaction.atomic():
        bundle = CodabenchBundle.objects.create(
            name=name,
            sha256=_sha256(source),
            received_by=actor,
            content=COMPETITION.dump_python(competition, mode="json"),
        )
        unused = CodabenchBundle.objects.filter(received_by=actor, contest=None).order_by("-pk")
        kept = unused.values_list("pk", flat=True)[:MOST_KEPT]
        unused.exclude(pk__in=list(kept)).delete()
    return bundle


def _sha256(source: Path | IO[bytes]) -> str:
    if isinstance(source, Path):
        with source.open("rb") as file:
            return _sha256(file)
    source.seek(0)
    whole = hashlib.sha256()
    while chunk := source.read(1024 * 1024):
        whole.update(chunk)
    return whole.hexdigest()


def competition_of(bundle: CodabenchBundle) -> Competition:
    """The competition that a bundle describes."""
    return COMPETITION.validate_python(bundle.content)


def left_out_of(bundle: CodabenchBundle) -> tuple[Note, ...]:
    """All that the draft of a bundle lacks."""
    return NOTES.validate_python(bundle.left_out)


def allowed_programs() -> list[str]:
    """The names of the programs that the site's administrator has allowed, sorted."""
    try:
        return sorted(programs.known())
    except ProblemsFound:  # `manage.py check` names them
        return []


def make_draft(
    *, actor: User, bundle: CodabenchBundle, draft: Draft, timezone: str = "Asia/Tokyo"
) -> Contest:
    """Create the draft of a contest, once for each bundle."""
    stored: list[Material] = []
    try:
        with transaction.atomic():
            held = CodabenchBundle.objects.select_for_update(no_key=True).get(pk=bundle.pk)
            if held.contest_id is not None:
                raise ContestRefused(_("A draft was made of this bundle already."))
            contest = _created(actor, draft, timezone, held.sha256, stored)
            held.contest = bundle.contest = contest
            held.left_out = bundle.left_out = NOTES.dump_python(draft.left_out, mode="json")
            held.save(update_fields=["contest", "left_out"])
    except BaseException:
        for material in stored:
            if material.file is not None:
                storage.discard(material.file)
        raise
    return contest


def _created(
    actor: User, draft: Draft, timezone: str, sha256: str, stored: list[Material]
) -> Contest:
    texts: dict[str, Any] = {"title": draft.title, "summary": draft.summary}
    if draft.is_japanese:
        texts |= {"title_ja": draft.title, "summary_ja": draft.summary}
    contest = services.create_contest(
        actor=actor,
        ruleset=draft.ruleset,
        starts_at=draft.starts_at,
        timezone=timezone,
        **texts,
    )
    given: dict[str, Any] = {"actor": actor, "contest": contest}
    services.update_rounds(**given, plans=draft.rounds)
    if draft.terms:
        services.update_terms(**given, terms=draft.terms, terms_ja="")
    if draft.hidden:
        audience = contest.board_audience
        change_display(**given, audience=audience, hidden_measures=draft.hidden)
    for n, page in enumerate(draft.pages, start=1):
        material = materials.add_file(
            **given,
            title=page.title[:100],
            title_ja=page.title[:100] if draft.is_japanese else "",
            audience=Material.Audience.EVERYBODY,
            name=f"{slugify(page.title)[:40] or f'page-{n}'}.md",
            data=page.text.encode(),
        )
        stored.append(material)
    audit_log.record(
        "contest.made_of_bundle",
        actor=actor,
        contest_id=contest.pk,
        subject=contest.slug,
        sha256=sha256,
        left_out=[f"{note.where}: {note.code}" for note in draft.left_out],
    )
    return contest
