# SPDX-License-Identifier: Apache-2.0
"""Public checks of a contest after its end: its draws, its audit trail, and a receipt.

Each check compares what was published at different times by different ways: the commitment from the
first day, the secret from the last, the trail that the organizers exported, and the files and receipts
that a team has kept itself.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from scoring.proof.commitments import (
    SECRET_BYTES,
    commitment,
    derived_seed,
    mix_name,
    mix_of,
    shuffled,
)
from scoring.proof.trail import first_broken
from scoring.tables.archives import is_archive, unpacked
from scoring.tables.text import UTF8_BOM

if TYPE_CHECKING:
    from scoring.tables.schema import Schema

REVEAL, RECEIPT = "pwscup-reveal", "pwscup-receipt"
VERSIONS = {REVEAL: (1, 2), RECEIPT: (1, 2)}
"""Those that are read. Reveals of version 1 have no mixes. Receipts of version 1 name positions in the trail, by which
others' events could be counted."""
ALIGNED_RELEASE = "candidate-attack"
"""The kind of round that publishes all lines of an aligned table, those of deleted records among them."""

Entry = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was checked: its name, whether it holds, and what was found."""

    name: str
    holds: bool
    words: str

    def to_dict(self) -> dict[str, Any]:
        """The check as JSON-able data."""
        return {"check": self.name, "holds": self.holds, "words": self.words}


# Reading


def read_reveal(data: bytes) -> dict[str, Any]:
    """The reveal that a contest has published.

    Raises
    ------
    ValueError
        Where the file is none; all that is wrong with it is named.

    Examples
    --------
    >>> read_reveal(b'{"format": "pwscup-receipt"}')
    Traceback (most recent call last):
    ValueError: format — expected pwscup-reveal — got 'pwscup-receipt'
    """
    found = _document(data, REVEAL)
    wrong = [
        f"{key} — expected {2 * SECRET_BYTES} hexadecimal digits — got {found.get(key)!r}"
        for key in ("secret", "commitment")
        if not _is_hex(found.get(key))
    ]
    lists = {"seeds": ("purpose", "seed"), "releases": ("purpose", "sha256")}
    for key, needed in (
        lists | ({"mixes": ("name", "sha256")} if found["version"] > 1 else {})
    ).items():
        items = found.get(key)
        if not isinstance(items, list) or not all(_has(item, needed) for item in items):
            wrong.append(f"{key} — expected a list of objects with {' and '.join(needed)}")
        elif key == "mixes" and not all(
            isinstance(mix.get("contributions"), list)
            and all(_has(one, ("team", "sha256")) for one in mix["contributions"])
            for mix in items
        ):
            wrong.append("mixes — expected contributions: objects with team and sha256")
    if wrong:
        raise ValueError("\n".join(wrong))
    return found


def read_receipt(data: bytes) -> dict[str, Any]:
    """The receipt of a submission.

    Raises
    ------
    ValueError
        Where the file is none.

    Examples
    --------
    >>> read_receipt(b"[]")
    Traceback (most recent call last):
    ValueError: expected a JSON object — got list
    """
    found = _document(data, RECEIPT)
    needed = ("submission", "team", "round")
    files = found.get("files")
    if not _has(found, needed) or not isinstance(files, list):
        raise ValueError(f"expected the keys {', '.join(needed)} and files")
    if not all(_has(file, ("key", "sha256")) for file in files):
        raise ValueError("files — expected a list of objects with key and sha256")
    return found


def _document(data: bytes, expected: str) -> dict[str, Any]:
    try:
        found = json.loads(data)
    except ValueError as error:
        raise ValueError(f"expected JSON — {error}") from error
    if not isinstance(found, dict):
        raise ValueError(f"expected a JSON object — got {type(found).__name__}")
    if found.get("format") != expected:
        raise ValueError(f"format — expected {expected} — got {found.get('format')!r}")
    if found.get("version") not in VERSIONS[expected]:
        known = " or ".join(map(str, VERSIONS[expected]))
        raise ValueError(f"version — expected {known} — got {found.get('version')!r}")
    return found


def _is_hex(text: object) -> bool:
    digits = set("0123456789abcdef")
    return isinstance(text, str) and len(text) == 2 * SECRET_BYTES and set(text) <= digits


def _has(item: object, keys: Sequence[str]) -> bool:
    return isinstance(item, dict) and all(isinstance(item.get(key), str) for key in keys)


# The draws


def mix_in(entries: Iterable[Entry], name: str) -> dict[str, Any]:
    """The contributions and the public value in a mix, by the events before it was fixed, or so far.

    `entries` stand in their order, and `name` is of `mix_name`. `sha256` is blank where the mix is not fixed,
    `public` None where no value was entered in time; with a value, contributions after its date are left out.

    Examples
    --------
    >>> mix_in([], "start")
    {'name': 'start', 'sha256': '', 'contributions': [], 'public': None}
    """
    given: list[tuple[str, dict[str, str]]] = []
    digest, due, public = "", "", None
    for entry in entries:
        data = entry["data"]
        if _is(entry, "draw", "contributed"):
            given.append((entry["at"], {"team": data["team"], "sha256": data["sha256"]}))
        elif _is(entry, "draw", "announced"):
            due = max(due, data["due_at"]) if entry["at"] < data["due_at"] else due
        elif _is(entry, "draw", "value") and due and public is None and entry["at"] >= due:
            public = data["text"]
        elif _is(entry, "draw", "mixed") and entry["subject"] == name:
            digest = data["sha256"]
            break
    contributions = [one for at, one in given if public is None or at < due]
    return {"name": name, "sha256": digest, "contributions": contributions, "public": public}


def checks_of_reveal(reveal: Entry, *, published: str | None = None) -> list[Check]:
    """Check that a secret is the one committed to, and that every seed follows from it.

    Parameters
    ----------
    reveal : mapping
        As `read_reveal` returns it.
    published : str, optional
        The commitment as it stood on the contest's page before the secret was known; without it the
        reveal is only compared with itself.

    Examples
    --------
    >>> from scoring.proof.commitments import commitment, derived_seed
    >>> secret = bytes(32)
    >>> reveal = {"secret": secret.hex(), "commitment": commitment(secret), "seeds": [
    ...     {"purpose": "draw/red", "seed": str(derived_seed(secret, "draw/red"))}], "releases": []}
    >>> [(check.name, check.holds) for check in checks_of_reveal(reveal)]
    [('commitment', True), ('seeds', True)]
    """
    secret = bytes.fromhex(reveal["secret"])
    made, stated = commitment(secret), reveal["commitment"]
    found = [
        Check(
            "commitment",
            made == stated,
            f"the secret gives {made}" if made == stated else f"{made}, but it says {stated}",
        )
    ]
    if published is not None:
        same = published.lower() == made
        words = (
            "as was published" if same else f"published was {published}, the secret gives {made}"
        )
        found.append(Check("published commitment", same, words))
    found += [_mix_check(mix) for mix in reveal.get("mixes", ())]
    wrong = [_seed_check(secret, seed, reveal) for seed in reveal["seeds"]]
    failing = [check for check in wrong if check is not None]
    n = len(reveal["seeds"])
    return found + (failing or [Check("seeds", True, f"all {n} follow from the secret")])


def _mix_check(mix: Entry) -> Check:
    made = mix_of(mix["name"], (one["sha256"] for one in mix["contributions"]), mix.get("public"))
    words = f"{len(mix['contributions'])} contributions, public value {mix.get('public')!r}"
    same = made == mix["sha256"]
    words += "" if same else f": they give {made}, but it says {mix['sha256']}"
    return Check(f"mix {mix['name']}", same, words)


def _derived(secret: bytes, purpose: str, reveal: Entry) -> int:
    """The seed of a purpose; one without its mix differs from every stated one."""
    if "mixes" not in reveal:
        return derived_seed(secret, purpose)
    mixes = {mix["name"]: mix["sha256"] for mix in reveal["mixes"]}
    return derived_seed(secret, purpose, mixes.get(mix_name(purpose), ""))


def _seed_check(secret: bytes, seed: Entry, reveal: Entry) -> Check | None:
    made = str(_derived(secret, seed["purpose"], reveal))
    if made == seed["seed"]:
        return None
    words = f"the secret gives {made}, but it says {seed['seed']}"
    return Check(f"seed {seed['purpose']}", False, words)


def released(submission: bytes, seed: int, schema: Schema, *, kind: str = "attack") -> bytes:
    """The file that is published of a submission: its records in the order of a seed, as canonical CSV.

    Parameters
    ----------
    submission : bytes
        The anonymized table as submitted, with or without a column ``source_row``.
    seed : int
        0 or more.
    schema : Schema
        Of the contest's table.
    kind : str
        The kind of the attack round; where it is `ALIGNED_RELEASE`, all lines of an aligned table.

    Raises
    ------
    ProblemsFound
        Where the table cannot be read.

    Examples
    --------
    >>> from scoring.examples import SCHEMA
    >>> data = b"QI1,QI2,QI3,SA1,SA2\\n1,1,1,10,0\\n1,1,1,20,0\\n1,1,1,30,0\\n1,1,1,40,0\\n"
    >>> released(data, 1, SCHEMA).decode().split()[1:]
    ['1,1,1,30,0', '1,1,1,10,0', '1,1,1,40,0', '1,1,1,20,0']
    """
    import numpy as np

    from scoring.tables.aligned import read_release, write_aligned
    from scoring.tables.reading import read_records, split_source_row
    from scoring.tables.schema import SOURCE_ROW
    from scoring.tables.writing import write_table

    public = schema.public()
    if kind == ALIGNED_RELEASE:
        table, rows, n_lines = read_release(submission, schema=public, file="submission")
        positions = np.full(n_lines, -1, dtype=np.int64)
        positions[rows] = np.arange(len(rows))
        lines = np.random.default_rng(seed).permutation(
            n_lines
        )  # as scoring.formats.lecture.release
        return write_aligned(table, positions[lines], public)
    if SOURCE_ROW.encode() in submission.partition(b"\n")[0]:
        submission, _rows = split_source_row(submission, public)
    records = read_records(submission, public, file="submission")
    moved, _order = shuffled(records, np.arange(len(records)), seed)
    return write_table(moved, public)


def checks_of_release(
    reveal: Entry, submission: bytes, release: bytes, schema: Schema, purpose: str | None = None
) -> list[Check]:
    """Check that a published table is a team's own file in the order of the secret, byte for byte.

    Parameters
    ----------
    reveal : mapping
        As `read_reveal` returns it.
    submission, release : bytes
        The table as the team submitted it, and as attackers could download it; of several tables that belong together
        an archive each.
    schema : Schema
    purpose : str, optional
        Which release it is, such as ``release/attack/red``; found by its SHA-256 where it is not named.

    Raises
    ------
    ProblemsFound
        Where the submission cannot be read.

    Examples
    --------
    >>> from scoring.examples import SCHEMA
    >>> [check.words for check in checks_of_release({"releases": []}, b"", b"", SCHEMA)]
    ['no release of the reveal has the SHA-256 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855']
    """
    digest = hashlib.sha256(release).hexdigest()
    key, wanted = ("sha256", digest) if purpose is None else ("purpose", purpose)
    found = next((one for one in reveal["releases"] if one[key] == wanted), None)
    if found is None:
        what = f"the SHA-256 {digest}" if purpose is None else f"the purpose {purpose}"
        return [Check("release", False, f"no release of the reveal has {what}")]
    handed_in = hashlib.sha256(submission).hexdigest()
    seed = _derived(bytes.fromhex(reveal["secret"]), found["purpose"], reveal)
    if is_archive(release):
        same = _same("release SHA-256", found["sha256"], digest)
        return [same, *_checks_of_tables(found, submission, release, seed, schema)]
    derived = released(submission, seed, schema, kind=found.get("kind", "attack"))
    stated = (found.get("files") or {}).get("anonymized")
    return [
        _same("release SHA-256", found["sha256"], digest),
        _same("submission SHA-256", stated, handed_in),
        _same_bytes(found["purpose"], derived, release.removeprefix(UTF8_BOM)),
    ]


def _checks_of_tables(
    found: Entry, submission: bytes, release: bytes, seed: int, schema: Schema
) -> Iterator[Check]:
    """The checks of several tables that belong together: both files are archives of them."""
    stated = found.get("files") or {}
    submitted = unpacked(submission, [*stated], file="submission")
    for key, table in unpacked(release, [*stated], file="release").items():
        names = table.partition(b"\n")[0].decode().split(",")
        own = schema.only([column for column in schema.names if column in names])
        digest = hashlib.sha256(submitted[key]).hexdigest()
        yield _same(f"submission SHA-256, {key}", stated[key], digest)
        derived = released(submitted[key], seed, own, kind=found.get("kind", "attack"))
        yield _same_bytes(f"{found['purpose']}, {key}", derived, table)


def _same(name: str, stated: object, found: object) -> Check:
    if stated == found:
        return Check(name, True, f"{found}")
    return Check(name, False, f"expected {stated}, got {found}")


def _same_bytes(purpose: str, derived: bytes, release: bytes) -> Check:
    """The check of a release without its byte order mark, which those of earlier versions lack."""
    name = "released order"
    if derived == release:
        return Check(name, True, f"{purpose}: the file follows byte for byte from the submission")
    if sorted(derived.split(b"\n")) == sorted(release.split(b"\n")):
        return Check(name, False, f"{purpose}: the same records, but in another order")
    return Check(name, False, f"{purpose}: other records than those of the submission")


# The trail


def checks_of_trail(entries: Sequence[Entry]) -> list[Check]:
    """Check a chain of events.

    Parameters
    ----------
    entries : sequence of mapping
        As `scoring.proof.trail.read_trail` returns them.

    Examples
    --------
    >>> checks_of_trail([])
    [Check(name='events', holds=True, words='there is none')]
    """
    broken = first_broken(entries)
    if broken is not None:
        return [Check("events", False, str(broken))]
    words = (
        f"{len(entries)}, the last with hash {entries[-1]['hash']}" if entries else "there is none"
    )
    return [Check("events", True, words)]


def checks_of_reveal_in_trail(reveal: Entry, entries: Sequence[Entry]) -> list[Check]:
    """Check that the trail agrees with the reveal about the draws, and that the commitment came first.

    Parameters
    ----------
    reveal : mapping
        As `read_reveal` returns it.
    entries : sequence of mapping
        The trail of the same contest.

    Examples
    --------
    >>> reveal = {"commitment": "00", "seeds": [], "releases": []}
    >>> [check.name for check in checks_of_reveal_in_trail(reveal, []) if not check.holds]
    ['commitment in events']
    """
    head = reveal.get("trail")
    until = entries if head is None else [e for e in entries if e["position"] <= head["position"]]
    drawn = {
        entry["data"]["purpose"]: entry["position"]
        for entry in reversed(until)
        if _is(entry, "truth", "read") and "purpose" in entry["data"]
    }
    found = [_committed_first(reveal["commitment"], until, drawn), _same_draws(reveal, drawn)]
    found += [_mix_in_trail(mix, until, drawn) for mix in reveal.get("mixes", ())]
    fixed = {entry["subject"] for entry in until if _is(entry, "draw", "mixed")}
    if left := fixed - {mix["name"] for mix in reveal.get("mixes", ())}:
        words = f"not in the reveal: {', '.join(sorted(left))}"
        found.append(Check("mixes in events", False, words))
    published = {
        (entry["data"].get("submission"), entry["data"].get("sha256"))
        for entry in until
        if _is(entry, "release", "published")
    }
    found += [
        Check(f"{one['purpose']} in events", False, "no event published this file")
        for one in reveal["releases"]
        if (one.get("submission"), one["sha256"]) not in published
    ]
    return found if head is None else [*found, _link_check("head of reveal", head, entries)]


def _is(entry: Entry, what: str, happened: str) -> bool:
    return bool(entry["kind"] == f"{what}.{happened}")


def _committed_first(stated: str, entries: Iterable[Entry], drawn: Mapping[str, int]) -> Check:
    name = "commitment in events"
    at = next((e["position"] for e in entries if e["data"].get("commitment") == stated), None)
    if at is None:
        return Check(name, False, f"no event committed to {stated}")
    first = min(drawn.values(), default=None)
    if first is not None and first < at:
        return Check(name, False, f"event {first} drew before event {at} committed")
    return Check(name, True, f"event {at} committed before anything was drawn")


def _mix_in_trail(mix: Entry, entries: Sequence[Entry], drawn: Mapping[str, int]) -> Check:
    """The mix is that of the events, with all that they have before it, and was fixed before it was used."""
    name = f"mix {mix['name']} in events"
    expected = mix_in(entries, mix["name"])
    differing = [key for key, value in expected.items() if mix.get(key) != value]
    if differing:
        return Check(name, False, f"the events have another {', '.join(differing)}")
    at = next(
        e["position"] for e in entries if _is(e, "draw", "mixed") and e["subject"] == mix["name"]
    )
    first = min((n for purpose, n in drawn.items() if mix_name(purpose) == mix["name"]), default=at)
    if first < at:
        return Check(name, False, f"event {first} drew before event {at} fixed the mix")
    return Check(name, True, f"event {at} fixed it with all contributions before")


def _same_draws(reveal: Entry, drawn: Mapping[str, int]) -> Check:
    stated = {seed["purpose"] for seed in reveal["seeds"]}
    wrong = [f"{purpose} is not in the events" for purpose in sorted(stated - set(drawn))]
    wrong += [f"{purpose} is not in the reveal" for purpose in sorted(set(drawn) - stated)]
    words = "; ".join(wrong) or f"all {len(stated)} are in the events, and no other"
    return Check("draws in events", not wrong, words)


def _link_check(name: str, link: Entry, entries: Iterable[Entry]) -> Check:
    """True if the event at a position, or any event if none is given, has the expected hash."""
    position, stated = link.get("position"), link.get("hash")
    if position is None:
        at = next((e["position"] for e in entries if e["hash"] == stated), None)
        words = (
            f"no event has the noted hash {stated}"
            if at is None
            else f"event {at} has the noted hash"
        )
        return Check(name, at is not None, words)
    found = next((e["hash"] for e in entries if e["position"] == position), None)
    if found is None:
        return Check(name, False, f"the events have no position {position}")
    if found != stated:
        return Check(name, False, f"event {position}: noted was {stated}, the events have {found}")
    return Check(name, True, f"event {position} is as it was noted")


def checks_of_receipt(receipt: Entry, entries: Sequence[Entry]) -> list[Check]:
    """Check that a trail still is the one of a receipt.

    Parameters
    ----------
    receipt : mapping
        As `read_receipt` returns it.
    entries : sequence of mapping
        The trail of the same contest.

    Examples
    --------
    >>> receipt = {"submission": "1c", "team": "red", "round": "attack", "files": []}
    >>> [check.words for check in checks_of_receipt(receipt, [])]
    ['no event says that submission 1c was received']
    """
    name = f"receipt {receipt['submission']}"
    links = {"trail": name, "head": f"{name}, head"}
    noted = {key: receipt[key] for key in links if isinstance(receipt.get(key), dict)}
    found = [_link_check(links[key], link, entries) for key, link in noted.items()]
    received = next(
        (
            entry["data"]
            for entry in entries
            if _is(entry, "submission", "received") and entry["subject"] == receipt["submission"]
        ),
        None,
    )
    if received is None:
        words = f"no event says that submission {receipt['submission']} was received"
        return [*found, Check(f"{name}, event", False, words)]
    stated = {key: receipt[key] for key in ("team", "round", "original") if key in receipt}
    stated["files"] = {file["key"]: file["sha256"] for file in receipt["files"]}
    differing = [key for key, value in stated.items() if received.get(key) != value]
    given = {e["data"].get("sha256") for e in entries if _is(e, "draw", "contributed")}
    if receipt.get("contribution") not in given | {None}:
        differing.append("contribution")
    words = ", ".join(differing)
    words = f"the events have another {words}" if words else "team, round and SHA-256 are the same"
    return [*found, Check(f"{name}, event", not differing, words)]
