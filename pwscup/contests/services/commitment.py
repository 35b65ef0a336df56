# SPDX-License-Identifier: Apache-2.0
"""The secret of a contest and the commitment to it, drawn at the start, and what teams and the public add to it.

Contributions are events of the audit trail; of a team's text only the SHA-256 is kept. A mix of them is fixed by the
first draw that needs it, and waits for nobody.
"""

from __future__ import annotations

import hashlib
import secrets
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypedDict

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from pwscup.contests.models import Contest
from pwscup.contests.services.common import ContestRefused, lock
from pwscup.core import audit_log
from pwscup.core.files import storage
from pwscup.core.models import Event
from scoring.proof.commitments import SECRET_BYTES, commitment, mix_name, mix_of
from scoring.proof.reveals import mix_in

if TYPE_CHECKING:
    from pwscup.accounts.models import Team, User
    from pwscup.core.models import StoredFile

LONGEST_SOURCE, LONGEST_VALUE = 200, 500


class Commitment(TypedDict):
    """The fields of a contest with its commitment."""

    secret: StoredFile
    commitment: str
    mixes: dict[str, str]


def drawn() -> Commitment:
    """A new secret, sealed, and its public commitment."""
    secret = secrets.token_bytes(SECRET_BYTES)
    sealed = storage.store(secret.hex().encode(), area=storage.Area.SEALED, name="secret")
    return {"secret": sealed, "commitment": commitment(secret), "mixes": {}}


def ensure_committed(contest: Contest) -> None:
    """Commit to a secret if the contest has none: it was created before commitments existed."""
    if contest.commitment:
        return
    with transaction.atomic():
        held = Contest.objects.select_for_update(no_key=True).get(pk=contest.pk)
        if not held.commitment:
            Contest.objects.filter(pk=held.pk).update(**(fields := drawn()))
            held.secret, held.commitment = fields["secret"], fields["commitment"]
            held.mixes = fields["mixes"]
            audit_log.record(
                "contest.committed",
                contest_id=held.pk,
                subject=held.slug,
                commitment=held.commitment,
            )
    contest.secret, contest.commitment = held.secret, held.commitment
    contest.mixes = held.mixes


# What others put into the draws


def mixes_of(contest: Contest) -> list[dict[str, Any]]:
    """What goes into the draws by name, as `scoring.proof.reveals.mix_in` returns it; none where the secret decides
    alone."""
    if contest.mixes is None:
        return []
    attacks = [round for round in contest.rounds.all() if round.format.has_targets]
    names = ["start", *(f"release/{round.key}" for round in attacks)]
    names += ["questions"] if any(round.format.asks_questions for round in attacks) else []
    entries = _entries(contest)
    return [mix_in(entries, name) for name in names]


def public_value_of(contest: Contest) -> dict[str, Any] | None:
    """The announced public value: source, due_at, and the text once it is entered; None without one."""
    entries = _entries(contest)
    announced = next((e["data"] for e in entries if e["kind"] == "draw.announced"), None)
    text = next((e["data"]["text"] for e in entries if e["kind"] == "draw.value"), None)
    if announced is None:
        return None
    return announced | {"due_at": datetime.fromisoformat(announced["due_at"]), "text": text}


def _entries(contest: Contest) -> list[dict[str, Any]]:
    events = Event.objects.filter(contest_id=contest.pk, kind__startswith="draw.").order_by("id")
    return [
        {"kind": e.kind, "subject": e.subject, "at": _utc(e.at), "data": e.data} for e in events
    ]


def _utc(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="microseconds")


def ensure_mixed(contest: Contest, purpose: str) -> str | None:
    """The mix for a purpose, fixed now unless it is; None where seeds follow from the secret alone."""
    ensure_committed(contest)
    name = mix_name(purpose)
    if contest.mixes is None:
        return None
    if name not in contest.mixes:
        with transaction.atomic():
            held = Contest.objects.select_for_update(no_key=True).get(pk=contest.pk)
            contest.mixes = held.mixes or {}
            if name not in contest.mixes:
                mix = mix_in(_entries(held), name)
                digests = [one["sha256"] for one in mix["contributions"]]
                contest.mixes[name] = mix_of(name, digests, mix["public"])
                Contest.objects.filter(pk=held.pk).update(mixes=contest.mixes)
                _record(held, "draw.mixed", name, None, sha256=contest.mixes[name])
    return str(contest.mixes[name])


def contribution_of(team: Team) -> str | None:
    """The SHA-256 of what the team has put into the draws."""
    given = Event.objects.filter(contest_id=team.contest_id, kind="draw.contributed")
    event = given.filter(subject=f"team {team.slug}").order_by("id").first()
    return None if event is None else str(event.data["sha256"])


@transaction.atomic
def contribute(*, user: User, team: Team, text: str) -> None:
    """Record the SHA-256 of a team's text, once, for all mixes that are not fixed; an empty text is none."""
    # The row is also locked where a mix is fixed: the order of events says what is in it.
    held = Contest.objects.select_for_update(no_key=True).get(pk=team.contest_id)
    if text.strip() and held.mixes is not None and contribution_of(team) is None:
        digest = hashlib.sha256(text.strip().encode()).hexdigest()
        subject = f"team {team.slug}"
        _record(held, "draw.contributed", subject, user, team=team.slug, sha256=digest)


@transaction.atomic
def add_public_value(
    *,
    actor: User,
    contest: Contest,
    version: int | None = None,
    source: str = "",
    due_at: datetime | None = None,
    text: str = "",
) -> None:
    """Announce a public value of a later date; from that date on, enter it, once."""
    now, held = timezone.now(), lock(contest, version)
    known = public_value_of(held)
    if held.mixes is None:
        raise ContestRefused(_("All draws of this contest follow from its secret alone."))
    if known is None:
        if not source.strip() or due_at is None or due_at <= now:
            raise ContestRefused(_("Name a source, and a date that is not over."))
        what = {"source": source.strip()[:LONGEST_SOURCE], "due_at": _utc(due_at)}
        _record(held, "draw.announced", held.slug, actor, **what)
    elif known["text"] is not None or not text.strip() or now < known["due_at"]:
        raise ContestRefused(_("The value is entered once, from its date on, and is not empty."))
    else:
        _record(held, "draw.value", held.slug, actor, text=text.strip()[:LONGEST_VALUE])


def _record(contest: Contest, kind: str, subject: str, actor: User | None, **data: str) -> None:
    audit_log.record(kind, actor=actor, contest_id=contest.pk, subject=subject, **data)
