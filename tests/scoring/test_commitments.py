# SPDX-License-Identifier: Apache-2.0
"""Commit and reveal, and the command that checks both: every way to cheat makes a check fail by name."""

from __future__ import annotations

import copy
import hashlib
import hmac
import json
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.cli.main import main
from scoring.examples import SCHEMA, table
from scoring.formats.lecture import release as release_of_lines
from scoring.proof.commitments import (
    DOMAIN,
    commitment,
    derived_seed,
    mix_name,
    mix_of,
    released_order,
    shuffled,
)
from scoring.proof.reveals import (
    ALIGNED_RELEASE,
    checks_of_receipt,
    checks_of_reveal,
    checks_of_reveal_in_trail,
    mix_in,
    read_receipt,
    read_reveal,
    released,
)
from scoring.proof.trail import FIRST, event_hash, read_trail
from scoring.tables.records import Records
from scoring.tables.writing import write_table

SECRET = bytes(range(32))
PURPOSE = "release/attack/red"
SUBMISSION = b"QI1,QI2,QI3,SA1,SA2\n" + b"".join(b"1,1,2,%d,5\n" % n for n in range(40))


# The arithmetic


def test_the_commitment_is_a_digest_of_domain_and_secret():
    assert commitment(SECRET) == hashlib.sha256(DOMAIN + SECRET).hexdigest()
    assert commitment(SECRET) != hashlib.sha256(SECRET).hexdigest()
    assert DOMAIN == b"pwscup/commitment/1\n"


def test_a_seed_is_the_first_half_of_an_hmac():
    digest = hmac.new(SECRET, PURPOSE.encode(), "sha256").hexdigest()
    assert derived_seed(SECRET, PURPOSE) == int(digest[:32], 16)


def test_a_mix_is_the_digest_of_its_parts_in_any_order():
    text = '["start",["aa","bb"],"4 8 15"]'
    assert mix_of("start", ["bb", "aa"], "4 8 15") == hashlib.sha256(text.encode()).hexdigest()
    digest = hmac.new(SECRET, f"{PURPOSE}\nff".encode(), "sha256").hexdigest()
    assert derived_seed(SECRET, PURPOSE, "ff") == int(digest[:32], 16)
    purposes = ("release/attack/red", "questions", "questions/red/1", "draw", "bot/attack/red")
    assert [mix_name(p) for p in purposes] == ["release/attack"] + ["questions"] * 2 + ["start"] * 2


DAY = "2031-01-0{}T00:00:00.000000+00:00"


def trail_of(*what: tuple) -> list[dict]:
    """A trail of (day, kind, subject, details)."""
    return [
        {"position": n, "at": DAY.format(day), "kind": kind, "subject": subject, "data": data}
        for n, (day, kind, subject, data) in enumerate(what, start=1)
    ]


def gives(day: int, team: str) -> tuple:
    return day, "draw.contributed", f"team {team}", {"team": team, "sha256": team}


ANNOUNCED = (1, "draw.announced", "cup", {"source": "lottery", "due_at": DAY.format(3)})
VALUE = (4, "draw.value", "cup", {"text": "4 8 15"})
FIXED = (6, "draw.mixed", "start", {"sha256": "ff"})


@pytest.mark.parametrize(
    ("what", "teams", "public"),
    [
        ([gives(2, "a"), gives(5, "b"), FIXED, gives(7, "c")], "ab", None),
        ([FIXED, gives(7, "c")], "", None),
        # whoever knows the value may choose a text: it does not count
        ([ANNOUNCED, gives(2, "a"), VALUE, gives(5, "b"), FIXED], "a", "4 8 15"),
        ([ANNOUNCED, gives(2, "a"), gives(5, "b"), FIXED, VALUE], "ab", None),
        # a value before its date, or one that was announced after its date, is none
        ([ANNOUNCED, gives(2, "a"), (2, *VALUE[1:]), FIXED], "a", None),
        ([gives(2, "a"), (3, *ANNOUNCED[1:]), VALUE, FIXED], "a", None),
        # only the first value counts
        (
            [ANNOUNCED, gives(2, "a"), VALUE, (5, "draw.value", "cup", {"text": "9"}), FIXED],
            "a",
            "4 8 15",
        ),
    ],
)
def test_a_mix_has_what_came_before_it(what, teams, public):
    found = mix_in(trail_of(*what), "start")
    assert "".join(one["team"] for one in found["contributions"]) == teams
    assert (found["public"], found["sha256"]) == (public, "ff")


def mixed_reveal(entries: list[dict]) -> dict:
    """A reveal, and the trail of it, with the digest of what is in the mix."""
    mix = mix_in(entries, "release/attack")
    digest = mix_of(mix["name"], [one["sha256"] for one in mix["contributions"]], mix["public"])
    for entry in entries:
        if entry["kind"] == "draw.mixed":
            entry["data"]["sha256"] = digest
    seed = {"purpose": PURPOSE, "seed": str(derived_seed(SECRET, PURPOSE, digest))}
    stated = {"secret": SECRET.hex(), "commitment": commitment(SECRET), "seeds": [seed]}
    return stated | {"releases": [], "mixes": [mix | {"sha256": digest}]}


def mixed_trail() -> list[dict]:
    return trail_of(
        (1, "contest.committed", "cup", {"commitment": commitment(SECRET)}),
        gives(2, "a"),
        gives(2, "b"),
        (3, "draw.mixed", "release/attack", {"sha256": ""}),
        (3, "truth.read", "file 1", {"purpose": PURPOSE}),
        gives(4, "late"),
    )


def failing_in(reveal: dict, entries: list[dict]) -> list[str]:
    checks = checks_of_reveal(reveal) + checks_of_reveal_in_trail(reveal, entries)
    return [check.name for check in checks if not check.holds]


def test_a_reveal_with_contributions_holds():
    entries = mixed_trail()
    assert failing_in(mixed_reveal(entries), entries) == []


def without_one(reveal, _entries):
    del reveal["mixes"][0]["contributions"][0]


def another_mix(reveal, _entries):
    mix = reveal["mixes"][0]
    mix["contributions"].append({"team": "mine", "sha256": "ground"})
    mix["sha256"] = mix_of(mix["name"], [one["sha256"] for one in mix["contributions"]])
    reveal["seeds"][0]["seed"] = str(derived_seed(SECRET, PURPOSE, mix["sha256"]))


def no_mix(reveal, _entries):
    reveal["mixes"] = []


def secret_alone(reveal, _entries):
    del reveal["mixes"]
    reveal["seeds"][0]["seed"] = str(derived_seed(SECRET, PURPOSE))


def drawn_before(_reveal, entries):
    entries[3]["position"], entries[4]["position"] = 5, 4
    entries[3:5] = entries[4], entries[3]


@pytest.mark.parametrize(
    ("cheat", "names"),
    [
        (without_one, ["mix release/attack", "mix release/attack in events"]),
        (another_mix, ["mix release/attack in events"]),
        (no_mix, [f"seed {PURPOSE}", "mixes in events"]),
        (secret_alone, ["mixes in events"]),
        (drawn_before, ["mix release/attack in events"]),
    ],
)
def test_a_draw_that_somebody_chose_is_named(cheat, names):
    entries = mixed_trail()
    reveal = mixed_reveal(entries)
    cheat(reveal, entries)
    assert failing_in(reveal, entries) == names


@pytest.mark.parametrize("secret", [b"", bytes(31), bytes(33)])
def test_a_secret_of_another_length_is_refused(secret):
    with pytest.raises(ValueError, match="32 bytes"):
        commitment(secret)
    with pytest.raises(ValueError, match="32 bytes"):
        derived_seed(secret, PURPOSE)


@given(st.integers(0, 2**128 - 1), st.integers(0, 60))
def test_the_released_order_sorts_the_numbers_that_the_seed_gives(seed, n):
    """In plain Python, from the stream only: what anybody could write instead."""
    drawn = [int(np.random.PCG64(seed).random_raw(i + 1)[i]) for i in range(n)]
    assert released_order(n, seed).tolist() == sorted(range(n), key=drawn.__getitem__)


def test_the_stream_is_the_one_that_was_published():
    """A NumPy that gave other numbers would make every past reveal unverifiable."""
    assert np.random.PCG64(2**100 + 7).random_raw(3).tolist() == [
        1204997375016922528,
        1915797790937793275,
        263536130769448583,
    ]
    assert released_order(8, 2**100 + 7).tolist() == [2, 0, 1, 7, 4, 6, 5, 3]


def test_every_order_of_three_is_equally_likely():
    counts: dict[tuple[int, ...], int] = {}
    for n in range(6_000):
        order = tuple(released_order(3, derived_seed(SECRET, str(n))).tolist())
        counts[order] = counts.get(order, 0) + 1
    assert len(counts) == 6
    assert all(abs(count - 1_000) < 150 for count in counts.values())  # 5 standard deviations


def test_records_and_rows_move_together_and_nothing_is_changed():
    records, source = Records.of(table("original"), SCHEMA), np.array([3, 1, 0, 2])
    before = write_table(records, SCHEMA)
    moved, rows = shuffled(records, source, 5)
    order = released_order(4, 5)
    assert rows.tolist() == source[order].tolist()
    assert moved.numbers["SA1"].tolist() == records.numbers["SA1"][order].tolist()
    assert write_table(records, SCHEMA) == before


# What is released of a file


def test_a_column_of_row_numbers_is_left_out():
    lines = SUBMISSION.splitlines()
    with_rows = [lines[0] + b",source_row", *(b"%b,%d" % (x, n) for n, x in enumerate(lines[1:]))]
    assert released(b"\n".join(with_rows), 9, SCHEMA) == released(SUBMISSION, 9, SCHEMA)


def test_all_lines_of_an_aligned_table_move_as_the_lecture_releases_them():
    aligned = b"QI1,QI2,QI3,SA1,SA2\n1,1,2,10,5\n,,,,\n1,1,2,30,5\n,,,,\n1,1,2,50,5\n"
    own = np.arange(5)
    lines = release_of_lines(own, np.array([0, 2, 4]), own, rng=np.random.default_rng(77))
    expected = [b",,,," if at < 0 else b"1,1,2,%d,5" % (10 + 20 * at) for at in lines.positions]
    assert released(aligned, 77, SCHEMA, kind=ALIGNED_RELEASE).splitlines()[1:] == expected


# A small contest


def event(kind: str, subject: str = "", **data: object) -> dict:
    return {"kind": kind, "subject": subject, "data": data}


def sealed(events: list[dict]) -> list[dict]:
    previous, found = FIRST, []
    for position, one in enumerate(events, start=1):
        at = datetime(2031, 1, 1, tzinfo=UTC) + timedelta(seconds=position)
        entry = {"position": position, "previous": previous, "id": 10 + position} | one
        entry |= {"at": at.isoformat(timespec="microseconds"), "actor": None, "contest": 1}
        previous = entry["hash"] = event_hash(entry)
        found.append(entry)
    return found


@pytest.fixture
def published() -> dict:
    """What a small contest has published: reveal, events, one team's files and receipt."""
    release = released(SUBMISSION, derived_seed(SECRET, PURPOSE), SCHEMA)
    digests = [hashlib.sha256(data).hexdigest() for data in (SUBMISSION, release)]
    entries = sealed(
        [
            event("contest.created", "cup", commitment=commitment(SECRET)),
            event(
                "submission.received",
                "1c",
                team="red",
                round="anonymization",
                files={"anonymized": digests[0]},
            ),
            event("truth.read", "file 1", reason="seed", purpose="evaluation/1c/1"),
            event("truth.read", "file 1", reason="seed", purpose=PURPOSE),
            event("release.published", "7f", team="red", submission="1c", sha256=digests[1]),
            event("truth.read", "file 1", reason="reveal"),
            event("contest.revealed", "cup"),
        ]
    )
    reveal = {
        "format": "pwscup-reveal",
        "version": 1,
        "contest": "cup",
        "commitment": commitment(SECRET),
        "secret": SECRET.hex(),
        "seeds": [
            {"purpose": p, "seed": str(derived_seed(SECRET, p))}
            for p in ("evaluation/1c/1", PURPOSE)
        ],
        "releases": [
            {
                "purpose": PURPOSE,
                "kind": "attack",
                "sha256": digests[1],
                "submission": "1c",
                "files": {"anonymized": digests[0]},
            }
        ],
        "trail": {key: entries[5][key] for key in ("position", "hash")},
    }
    receipt = {
        "format": "pwscup-receipt",
        "version": 1,
        "submission": "1c",
        "team": "red",
        "round": "anonymization",
        "files": [{"key": "anonymized", "sha256": digests[0]}],
        "trail": {key: entries[1][key] for key in ("position", "hash")},
        "head": {key: entries[2][key] for key in ("position", "hash")},
    }
    return {"reveal": reveal, "events": entries, "receipt": receipt, "release": release}


def failing(checks) -> list[str]:
    return [check.name for check in checks if not check.holds]


def test_everything_holds(published):
    reveal, entries = published["reveal"], published["events"]
    assert failing(checks_of_reveal(reveal, published=commitment(SECRET).upper())) == []
    assert failing(checks_of_reveal_in_trail(reveal, entries)) == []
    assert failing(checks_of_receipt(published["receipt"], entries)) == []


def test_another_secret_is_found(published):
    reveal = published["reveal"] | {"secret": bytes(32).hex()}
    expected = ["commitment", "seed evaluation/1c/1", f"seed {PURPOSE}"]
    assert failing(checks_of_reveal(reveal)) == expected
    consistent = reveal | {"commitment": commitment(bytes(32)), "seeds": []}
    assert failing(checks_of_reveal(consistent)) == []  # what only the first day's page tells
    assert failing(checks_of_reveal(consistent, published=commitment(SECRET))) == [
        "published commitment"
    ]
    assert "commitment in events" in failing(
        checks_of_reveal_in_trail(consistent, published["events"])
    )


def test_every_wrong_seed_is_named(published):
    for seed in published["reveal"]["seeds"]:
        seed["seed"] = str(int(seed["seed"]) + 1)
    assert failing(checks_of_reveal(published["reveal"])) == [
        "seed evaluation/1c/1",
        f"seed {PURPOSE}",
    ]


def changed(published, change) -> list[str]:
    """What fails of reveal and receipt in a trail that was written again from the first event on."""
    events = copy.deepcopy(published["events"])
    change(events)
    entries = sealed([{key: e[key] for key in ("kind", "subject", "data")} for e in events])
    found = checks_of_reveal_in_trail(published["reveal"], entries)
    return failing([*found, *checks_of_receipt(published["receipt"], entries)])


def test_a_draw_before_the_commitment_is_found(published):
    def late(events):
        events[0]["data"], events[3]["data"] = {}, events[3]["data"] | events[0]["data"]

    assert "commitment in events" in changed(published, late)


def test_a_draw_that_is_concealed_is_found(published):
    published["reveal"]["seeds"].pop(0)
    assert changed(published, lambda events: None) == ["draws in events"]


def test_a_draw_that_never_was_is_found(published):
    def without(events):
        events[2]["data"] = {"reason": "scoring"}

    assert "draws in events" in changed(published, without)


def test_another_release_is_found(published):
    def other(events):
        events[4]["data"]["sha256"] = "0" * 64

    assert f"{PURPOSE} in events" in changed(published, other)


def test_a_receipt_does_not_fit_a_history_that_was_written_again(published):
    def other_file(events):
        events[1]["data"]["files"] = {"anonymized": "0" * 64}

    names = ["receipt 1c", "receipt 1c, head", "receipt 1c, event"]
    assert changed(published, other_file) == ["head of reveal", *names]
    assert changed(published, lambda events: events.pop(1)) == ["head of reveal", *names]


def test_a_receipt_without_positions_is_verified_by_its_hash(published):
    """Version 2: positions would show how much others do."""
    digest = published["events"][1]["hash"]
    receipt = published["receipt"] | {"version": 2, "trail": {"hash": digest}}
    del receipt["head"]
    receipt = read_receipt(json.dumps(receipt).encode())
    found = checks_of_receipt(receipt, published["events"])
    assert [(check.name, check.words) for check in found] == [
        ("receipt 1c", "event 2 has the noted hash"),
        ("receipt 1c, event", "team, round and SHA-256 are the same"),
    ]
    assert all(check.holds for check in found)
    first, *_others = checks_of_receipt(receipt, published["events"][:1])
    assert (first.holds, first.words) == (False, f"no event has the noted hash {digest}")


def test_a_trail_that_ends_early_does_not_fit(published):
    entries = published["events"][:1]
    found = checks_of_receipt(published["receipt"], entries)
    assert [check.words for check in found] == [
        "the events have no position 2",
        "the events have no position 3",
        "no event says that submission 1c was received",
    ]


# The command


@pytest.fixture
def run(tmp_path, published, monkeypatch, capsys):
    """Write what was published, run the command in that folder; returns status and what was printed."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "S.toml").write_text(SCHEMA.to_toml())
    (tmp_path / "Y.csv").write_bytes(SUBMISSION)

    def call(line: str) -> tuple[int, str, str]:
        (tmp_path / "V.json").write_text(json.dumps(published["reveal"]))
        (tmp_path / "T.json").write_text(json.dumps(published["receipt"]))
        lines = [json.dumps(entry) + "\n" for entry in published["events"]]
        (tmp_path / "E.jsonl").write_text("".join(lines))
        (tmp_path / "Z.csv").write_bytes(published["release"])
        status = main(["verify", *line.split()])
        return status, *capsys.readouterr()

    return call


ALL = "--reveal V.json --events E.jsonl --receipt T.json"
FILES = "--submission Y.csv --release Z.csv --schema S.toml"


def test_the_command_verifies_all_there_is(run):
    status, out, _ = run(f"{ALL} --commitment {commitment(SECRET)} {FILES} --purpose {PURPOSE}")
    assert status == 0
    assert out.splitlines()[-1] == "verified: 13 checks hold"
    status, out, _ = run(f"{ALL} {FILES} --json")
    found = json.loads(out)
    assert (status, found["holds"]) == (0, True)
    assert all(check["holds"] for check in found["checks"])
    order = next(c["words"] for c in found["checks"] if c["check"] == "released order")
    assert order == f"{PURPOSE}: the file follows byte for byte from the submission"


def test_the_command_names_every_check_that_fails(run, published):
    published["reveal"]["seeds"][0]["seed"] = "1"
    published["events"][3]["subject"] = "file 2"
    status, out, _ = run(ALL)
    assert status == 1
    assert out.splitlines()[-1] == (
        "not verified: 2 of 9 checks fail: events, seed evaluation/1c/1"
    )
    assert "position 4 — changed" in out
    status, out, _ = run(f"{ALL} --json")
    names = [check["check"] for check in json.loads(out)["checks"] if not check["holds"]]
    assert (status, names) == (1, ["events", "seed evaluation/1c/1"])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda lines: [lines[0], *reversed(lines[1:])], "in another order"),
        (lambda lines: lines[:-1], "other records"),
    ],
)
def test_the_command_finds_another_release(run, published, change, words):
    lines = published["release"].splitlines(keepends=True)
    published["release"] = b"".join(change(lines))
    status, out, _ = run(f"--reveal V.json {FILES} --purpose {PURPOSE}")
    assert status == 1
    assert words in out
    assert out.splitlines()[-1].endswith("release SHA-256, released order")
    status, out, _ = run(f"--reveal V.json {FILES}")
    assert status == 1
    assert "no release of the reveal has the SHA-256" in out


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("", "name --reveal, --events or both"),
        ("--events E.jsonl --commitment 00", "--commitment needs --reveal"),
        ("--reveal V.json --receipt T.json", "--receipt needs --events"),
        ("--reveal V.json --submission Y.csv", "--submission needs --release"),
        ("--reveal V.json --release Z.csv", "--release needs --submission"),
        ("--reveal V.json --purpose draw/red", "--purpose needs --submission"),
        (f"--events E.jsonl {FILES}", "--submission needs --reveal"),
        ("--reveal T.json", "T.json: format — expected pwscup-reveal — got 'pwscup-receipt'"),
        ("--events V.json", "V.json: line 1 — not an event of a trail"),
        ("--reveal E.jsonl", "E.jsonl: expected JSON"),
        ("--events no.jsonl", "cannot read no.jsonl"),
    ],
)
def test_wrong_use_is_said(run, line, words):
    status, out, err = run(line)
    assert (status, out) == (2, "")
    assert words in err


def test_a_reveal_says_all_that_is_wrong_with_it():
    text = json.dumps({"format": "pwscup-reveal", "version": 1, "secret": "xy", "seeds": [1]})
    with pytest.raises(ValueError, match="secret — expected 64") as caught:
        read_reveal(text.encode())
    assert [line.split(" ")[0] for line in str(caught.value).splitlines()] == [
        "secret",
        "commitment",
        "seeds",
        "releases",
    ]


@pytest.mark.parametrize(
    "extra", [{"version": 3}, {"files": None}, {"files": [{"key": 1}]}, {"team": None}]
)
def test_a_receipt_of_another_shape_is_refused(published, extra):
    with pytest.raises(ValueError, match="expected"):
        read_receipt(json.dumps(published["receipt"] | extra).encode())


@pytest.mark.parametrize("line", [b"x", b"[]", b"{}", b'{"position": 1}'])
def test_every_line_that_is_no_event_is_named(published, line):
    good = json.dumps(published["events"][0]).encode()
    with pytest.raises(ValueError, match="line 2 — not an event") as caught:
        read_trail(b"\n".join([good, line, good, line]))
    assert "line 4" in str(caught.value)
    assert len(read_trail(good + b"\n")) == 1
