# SPDX-License-Identifier: Apache-2.0
"""The only access to the answer key: complete originals, row mappings, and all submissions.

Only `pwscup.submissions.evaluation` may import this module, as import contracts check; every read is recorded
with its reason.
"""

from __future__ import annotations

import base64
import json
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

import numpy as np
from django.conf import settings

from pwscup.contests.services.commitment import ensure_committed, ensure_mixed
from pwscup.core import audit_log
from pwscup.core.files import storage
from scoring.proof import commitments
from scoring.questions import bitmaps
from scoring.questions.bitmaps import packed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pwscup.contests.models import Contest, Dataset
    from pwscup.core.models import StoredFile
    from scoring.formulas.uncertainty import Found
    from scoring.tables.records import Records


_on_record: ContextVar[frozenset[tuple[int, str]]] = ContextVar("_on_record", default=frozenset())
"""The content of an event of `on_record`: the keys of files, and that of the secret with the purpose of the seed."""


@contextmanager
def on_record(
    files: Iterable[StoredFile],
    *,
    reason: str,
    contest: Contest,
    subject: str,
    purpose: str | None = None,
) -> Iterator[None]:
    """Record several reads in one event before the first of them: reads of these files inside are not recorded again.

    Reads of other files inside are recorded, as is a seed for another purpose than the one named here.
    """
    named = {(file.pk, "") for file in files}
    seed = {}
    if purpose is not None:
        ensure_mixed(contest, purpose)
        named.add((ensure_secret(contest).pk, purpose))
        seed["purpose"] = purpose
    audit_log.record(
        "truth.read",
        contest_id=contest.pk,
        subject=subject,
        reason=reason,
        files=", ".join(map(str, sorted({pk for pk, _ in named}))),
        **seed,
    )
    token = _on_record.set(frozenset(named))
    try:
        yield
    finally:
        _on_record.reset(token)


def read_sealed(
    file: StoredFile, *, reason: str, contest_id: int | None, actor: Any = None, **data: str
) -> bytes:
    """The bytes of a sealed file; the reader and the reason are recorded before they are returned."""
    storage.refuse_erased(file)
    if (file.pk, data.get("purpose", "")) not in _on_record.get():
        audit_log.record(
            "truth.read",
            actor=actor,
            contest_id=contest_id,
            subject=f"file {file.pk}",
            reason=reason,
            **data,
        )
    return (settings.PRIVATE_ROOT / file.path).read_bytes()


def original_records(dataset: Dataset, *, reason: str) -> Records:
    """An original without its identifier columns, which are never scored."""
    from scoring.tables.reading import read_records

    data = read_sealed(dataset.sealed, reason=reason, contest_id=dataset.contest_id)
    records = read_records(data, dataset.schema, file="original", original=True)
    for name in set(records.names) - set(dataset.schema.public().names):
        records = records.without(name)
    return records


def answer_key(answer: Mapping[str, Any]) -> bytes:
    """The bytes of the answer key of a release, to be stored sealed."""
    return json.dumps(dict(answer)).encode()


def release_answer(key: StoredFile, *, reason: str, contest_id: int) -> dict[str, Any]:
    """The answer key of a release, as written by the format of the contest."""
    found: dict[str, Any] = json.loads(read_sealed(key, reason=reason, contest_id=contest_id))
    return found


def right_key(right: np.ndarray) -> str:
    """The text that says which units a guess got right: part of the answer key, to be shown to nobody."""
    return base64.b64encode(packed(right)).decode()


def right_units(right: str) -> np.ndarray:
    """The units that a guess got right, from what `right_key` wrote: for comparisons of guesses only."""
    return bitmaps.unpacked(base64.b64decode(right))


def most_found(rights: Iterable[str]) -> int:
    """The largest number of guesses that got the same unit right, from what `right_key` wrote for each.

    This number is a result, as the rates are: boards read it often, and no event says so.
    """
    return bitmaps.most_found(base64.b64decode(right) for right in rights if right)


def found_records(rights: Mapping[int, str]) -> Found[int]:
    """Of the guesses about one table how many records each two got right: sums, from which no record follows.

    Results of the same kind as rates, so no event says that boards read them.
    """
    from scoring.formulas.uncertainty import found_of

    return found_of({key: base64.b64decode(right) for key, right in rights.items() if right})


# The draw of a team with its own table


def draw_key(rows: Mapping[str, np.ndarray]) -> bytes:
    """The bytes that say what a team got of the organizer's table: to be stored sealed.

    All are 0-based: the rows of the team's records and of its decoys, and the row that each line of its table of
    candidates is; of a series the positions of its people among all of them sorted by id.
    """
    return json.dumps({name: found.tolist() for name, found in rows.items()}).encode()


def drawn_rows(draw: Dataset, *, reason: str) -> dict[str, np.ndarray]:
    """The content written by `draw_key`."""
    data = read_sealed(draw.sealed, reason=reason, contest_id=draw.contest_id)
    return {name: np.asarray(rows, dtype=np.int64) for name, rows in json.loads(data).items()}


# The secret behind every draw


def ensure_secret(contest: Contest) -> StoredFile:
    """The contest's secret; drawn, and committed to, unless that has been done."""
    ensure_committed(contest)
    assert contest.secret is not None
    return contest.secret


def derived_seed(contest: Contest, purpose: str) -> int:
    """The seed of 128 bits that is derived from the contest's secret and a mix for one purpose.

    The event names the purpose: the list of these events is revealed at the end. The mix is fixed before.
    """
    mix = ensure_mixed(contest, purpose)
    return commitments.derived_seed(_secret(contest, reason="seed", purpose=purpose), purpose, mix)


def revealed_secret(contest: Contest, *, actor: Any) -> bytes:
    """The secret itself, published when nothing can be drawn from it any more."""
    return _secret(contest, reason="reveal", actor=actor)


def _secret(contest: Contest, *, reason: str, actor: Any = None, **data: str) -> bytes:
    secret = ensure_secret(contest)
    text = read_sealed(secret, reason=reason, contest_id=contest.pk, actor=actor, **data)
    return bytes.fromhex(text.decode("ascii"))
