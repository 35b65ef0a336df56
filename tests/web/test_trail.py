# SPDX-License-Identifier: Apache-2.0
"""The audit trail as a chain: sealed without gaps, by several at once, and broken by every change."""

from __future__ import annotations

import copy
import io
import json
import re
import threading
from itertools import pairwise
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, connections, transaction
from django.db.models import ProtectedError
from django.utils import timezone

from pwscup.accounts import services as accounts
from pwscup.contests.organize.trail import EVENT_TITLES
from pwscup.core import audit_log, seals
from pwscup.core.models import AppendOnlyError, Event, Seal
from pwscup.core.tasks import seal as seal_task
from scoring.proof.trail import FIRST, event_hash, first_broken, read_trail
from tests.web.pipeline import hand_in


def happened(n: int, contest_id: int | None = 1) -> list[Event]:
    return [audit_log.record("test", contest_id=contest_id, number=i) for i in range(n)]


def positions(contest_id: int | None = 1) -> list[tuple[int, int]]:
    links = Seal.objects.filter(contest_id=contest_id).order_by("position")
    return list(links.values_list("position", "event_id"))


@pytest.fixture(autouse=True)
def nothing_settled(monkeypatch):
    monkeypatch.setattr(seals, "_settled", 0)


# Sealing


def test_an_event_is_sealed_with_everything_in_it(cast):
    event = audit_log.record(
        "contest.published", actor=cast.oscar, contest_id=3, subject="cup", names=["ä", None], x=1.5
    )
    assert seals.seal(3) == 1
    (entry,) = seals.chain(3)
    link = Seal.objects.get()
    assert entry == {
        "position": 1,
        "previous": FIRST,
        "id": event.pk,
        "at": entry["at"],
        "actor": cast.oscar.pk,
        "contest": 3,
        "kind": "contest.published",
        "subject": "cup",
        "data": {"names": ["ä", None], "x": 1.5},
        "hash": link.hash,
    }
    assert event_hash(entry) == link.hash
    assert timezone.datetime.fromisoformat(entry["at"]) == event.at
    assert "Oscar" not in json.dumps(entry)


def test_each_contest_has_its_chain_and_what_belongs_to_none_has_one(db):
    happened(3, 1), happened(2, 2), happened(2, None)
    assert seals.sweep() == 7
    assert [[p for p, _ in positions(c)] for c in (1, 2, None)] == [[1, 2, 3], [1, 2], [1, 2]]
    happened(1, 1), happened(1, None)
    assert seals.sweep() == 2
    assert seals.sweep() == 0
    for contest_id, n in ((1, 4), (2, 2), (None, 3)):
        links = list(seals.chain(contest_id))
        assert len(links) == n
        assert first_broken(links) is None
        assert links[0]["previous"] == FIRST
        assert all(a["hash"] == b["previous"] for a, b in pairwise(links))
        assert seals.head(contest_id).hash == links[-1]["hash"]


def test_an_event_that_was_committed_late_is_sealed_later(db):
    now = timezone.now()
    Event.objects.create(id=1_000, kind="test", contest_id=1, at=now)
    seals.sweep()
    Event.objects.create(id=990, kind="test", contest_id=1, at=now)
    seals.sweep()
    assert positions() == [(1, 1_000), (2, 990)]
    assert first_broken(seals.chain(1)) is None


def test_the_sweep_does_not_look_at_what_is_sealed_for_long(db, django_assert_num_queries):
    far = 5 * seals.MARGIN
    Event.objects.create(id=far, kind="test", contest_id=1)
    seals.sweep()
    seals.sweep()
    assert seals._settled == far - seals.MARGIN
    Event.objects.create(id=7, kind="test", contest_id=1)
    Event.objects.create(id=far - 1, kind="test", contest_id=1)
    assert seals.sweep() == 1
    seals.seal_all(1)  # an export looks at everything
    assert positions() == [(1, far), (2, far - 1), (3, 7)]


def test_a_sweep_waits_for_what_it_has_not_sealed_yet(db, monkeypatch):
    """A backlog longer than a batch: nothing of it is taken for settled before its turn came."""
    monkeypatch.setattr(seals, "BATCH", 2)
    monkeypatch.setattr(seals, "MARGIN", 1)
    happened(9)
    assert [seals.sweep() for _ in range(6)] == [2, 2, 2, 2, 1, 0]
    assert [p for p, _ in positions()] == list(range(1, 10))


def test_a_sealing_is_bounded_and_asks_little(db, monkeypatch, django_assert_max_num_queries):
    happened(40)
    monkeypatch.setattr(seals, "BATCH", 30)
    with django_assert_max_num_queries(6):
        assert seals.seal(1) == 30
    assert seals.n_waiting(1) == 10
    seals.seal_all(1)
    assert seals.n_waiting(1) == 0
    assert first_broken(seals.chain(1)) is None


def test_the_loser_of_two_sealers_changes_nothing(db, monkeypatch):
    """It has read the events and the head before the winner wrote."""
    happened(3)
    head = seals.head

    def slow_head(contest_id):
        last = head(contest_id)
        monkeypatch.setattr(seals, "head", head)
        assert seals.seal(contest_id) == 3
        return last

    monkeypatch.setattr(seals, "head", slow_head)
    assert seals.seal(1) == 0
    assert [p for p, _ in positions()] == [1, 2, 3]


@pytest.mark.django_db(transaction=True)
def test_many_sealers_at_once_make_one_chain(monkeypatch):
    monkeypatch.setattr(seals, "BATCH", 7)
    failures = []

    def work(write: bool) -> None:
        try:
            for _ in range(15):
                if write:
                    with transaction.atomic():
                        happened(3)
                        happened(1, None)
                else:
                    seals.sweep()
        except BaseException as error:
            failures.append(error)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=work, args=[i < 2]) for i in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    for contest_id, n in ((1, 90), (None, 30)):
        seals.seal_all(contest_id)
        links = list(seals.chain(contest_id))
        assert [link["position"] for link in links] == list(range(1, n + 1))
        assert len({link["id"] for link in links}) == n
        assert first_broken(links) is None


def test_a_worker_seals(db):
    happened(1)
    seal_task.delay()
    assert positions() != []


# Nothing is changed


def test_events_and_seals_are_neither_changed_nor_deleted_through_models(db):
    happened(1)
    seals.seal(1)
    for model in (Event, Seal):
        for change in (
            lambda m=model: m.objects.update(contest_id=2),
            lambda m=model: m.objects.filter(contest_id=1).delete(),
            lambda m=model: m.objects.all().delete(),
            lambda m=model: m.objects.bulk_update(m.objects.all(), ["contest_id"]),
        ):
            with pytest.raises(AppendOnlyError), transaction.atomic():
                change()
    with pytest.raises(ProtectedError):
        Event.objects.get().delete()


@pytest.mark.parametrize("table", ["core_event", "core_seal"])
def test_the_database_refuses_to_change_a_row(db, table):
    happened(1)
    seals.seal(1)
    change = f"UPDATE {table} SET contest_id = 2"
    with pytest.raises(DatabaseError, match="never changed"), transaction.atomic():
        connection.cursor().execute(change)
    event = Event.objects.get()
    event.subject = "another"
    with pytest.raises(DatabaseError, match="never changed"), transaction.atomic():
        event.save()
    assert first_broken(seals.chain(1)) is None


# What breaks a chain


@pytest.fixture
def links(cast):
    audit_log.record(
        "contest.created", actor=cast.oscar, contest_id=1, subject="cup", digest="d" * 64
    )
    happened(4)
    audit_log.record("truth.read", contest_id=1, subject="file 7", reason="seed")
    seals.seal(1)
    return list(seals.chain(1))


def broken(links) -> tuple[int, str] | None:
    found = first_broken(links)
    return found and (found.position, found.what)


CHANGES = {
    "id": 99,
    "at": "2031-01-01T00:00:00.000000+00:00",
    "actor": 4,
    "contest": 2,
    "kind": "other",
    "subject": "x",
    "data": {"number": 7},
    "hash": "0" * 64,
    "previous": "f" * 64,
}


@pytest.mark.parametrize("key", CHANGES)
def test_a_change_is_found_where_it_is(links, key):
    assert broken(links) is None
    links[2][key] = CHANGES[key]
    assert broken(links) == (3, "changed")


def test_a_change_that_is_sealed_anew_breaks_the_next_link(links):
    links[2]["subject"] = "x"
    links[2]["hash"] = event_hash(links[2])
    assert broken(links) == (4, "changed")


@pytest.mark.parametrize("gone", [0, 2, 4])
def test_what_is_missing_is_found(links, gone):
    del links[gone]
    assert broken(links) == (gone + 1, "missing")


def test_what_is_reordered_or_repeated_is_found(links):
    swapped = copy.deepcopy(links)
    swapped[1], swapped[3] = swapped[3], swapped[1]
    assert broken(swapped) == (2, "reordered")
    assert broken([*links[:3], links[1], *links[3:]]) == (4, "reordered")


# The command


def verify(*arguments: str) -> str:
    out = io.StringIO()
    call_command("verify_trail", *arguments, stdout=out)
    return out.getvalue()


def tamper(sql: str, *parameters: object) -> None:
    """As somebody with the database in hand can."""
    drop = "DROP TRIGGER {0}_append_only" + (" ON {0}" if connection.vendor == "postgresql" else "")
    with connection.cursor() as cursor:
        for table in ("core_event", "core_seal"):
            cursor.execute(drop.format(table))
        if connection.vendor == "sqlite":
            cursor.execute("PRAGMA foreign_keys = OFF")
        cursor.execute(sql, parameters)


def test_the_command_tells_of_every_chain(cast, draft):
    audit_log.record("team.created", contest_id=cast.contest.pk, subject="team red")
    audit_log.record("person.did", actor=cast.eve)
    seals.sweep()
    audit_log.record("team.left", contest_id=cast.contest.pk, subject="team red")
    lines = verify().splitlines()
    assert lines[0].startswith("no contest: 1 event holds, the last has position 1 and hash ")
    assert lines[0].endswith(seals.head(None).hash)
    assert lines[1].startswith("cup: 1 event holds")
    assert lines[1].endswith(f"{seals.head(cast.contest.pk).hash}; 1 not sealed yet")
    assert lines[2].startswith("next: 1 event holds")
    assert verify("cup").splitlines() == [lines[1]]
    with pytest.raises(CommandError, match="nocup"):
        verify("nocup")


def test_the_command_verifies_what_is_left_of_a_deleted_contest(cast):
    happened(2, 4711)
    seals.sweep()
    assert "contest 4711, deleted: 2 events hold" in verify()
    tamper("UPDATE core_event SET kind = 'x' WHERE id = %s", Event.objects.last().pk)
    with pytest.raises(CommandError, match="contest 4711, deleted: position 2 — changed"):
        verify()


def test_the_command_finds_a_changed_event(cast):
    happened(3, cast.contest.pk)
    seals.sweep()
    tamper("UPDATE core_event SET subject = 'x' WHERE id = %s", Event.objects.all()[1].pk)
    with pytest.raises(CommandError, match="cup: position 2 — changed"):
        verify()


def test_the_command_finds_a_seal_that_is_gone(cast):
    happened(3, cast.contest.pk)
    seals.sweep()
    tamper("DELETE FROM core_seal WHERE position = %s", 2)
    with pytest.raises(CommandError, match="cup: position 2 — missing"):
        verify("cup")


# The export


def test_the_export_holds_the_whole_chain_and_is_verified(cast, oscar):
    for _ in range(3):
        audit_log.record("team.created", actor=cast.alice, contest_id=cast.contest.pk, team="red")
    audit_log.record("team.created", contest_id=cast.contest.pk + 1)
    response = oscar.get("/organize/cup/events.jsonl")
    assert response["Content-Type"].startswith("application/x-ndjson")
    assert 'filename="cup-events.jsonl"' in response["Content-Disposition"]
    entries = read_trail(b"".join(response.streaming_content))
    assert [entry["position"] for entry in entries] == [1, 2, 3]
    assert {entry["contest"] for entry in entries} == {cast.contest.pk}
    assert first_broken(entries) is None


def test_the_page_shows_the_head_of_the_chain(cast, oscar):
    assert "No event has a hash yet" in oscar.get("/organize/cup/events/").content.decode()
    happened(2, cast.contest.pk)
    seals.sweep()
    page = oscar.get("/organize/cup/events/").content.decode()
    assert seals.head(cast.contest.pk).hash in page
    assert "/organize/cup/events.jsonl" in page


# Who and what


def test_an_account_that_goes_leaves_no_name_and_no_gap(cast, round, oscar):
    hand_in(cast.carol, cast.blue, round)
    audit_log.record(
        "contest.organizer_added", actor=cast.oscar, contest_id=cast.contest.pk, user_id=1
    )
    seals.sweep()
    before = list(seals.chain(cast.contest.pk))
    cast.blue.captain = None
    cast.blue.save()
    accounts.delete_account(user=cast.carol)
    export = b"".join(oscar.get("/organize/cup/events.jsonl").streaming_content)
    assert b"Carol" not in export
    assert b"carol@" not in export
    entries = read_trail(export)
    assert entries[: len(before)] == before
    assert cast.carol.pk in {entry["actor"] for entry in entries}
    assert first_broken(entries) is None


RECORDED = re.compile(r'record\(\s*"([a-z]+\.[a-z_]+)"')


def test_every_kind_of_event_of_a_contest_has_words():
    sources = Path(settings.BASE_DIR, "pwscup").rglob("*.py")
    kinds = {kind for source in sources for kind in RECORDED.findall(source.read_text())}
    assert len(kinds) > 25
    assert {kind for kind in kinds - set(EVENT_TITLES) if not kind.startswith("account.")} == set()
