# SPDX-License-Identifier: Apache-2.0
"""Many readers at once after a fact: what all of them need is made by one of them, and the others find it."""

from __future__ import annotations

import threading
import time
from types import SimpleNamespace

import pytest
from django.utils import timezone

from pwscup.contests.models import Contest
from pwscup.core.db.recent import Recent
from pwscup.core.db.revisions import Numbers
from pwscup.leaderboards import facts, pages, services
from pwscup.leaderboards.scope import scope_of
from tests.web import board_facts

N_READERS = 8


def at_once(ask):
    """What each of some threads gets."""
    found, start = [], threading.Barrier(N_READERS)

    def read():
        start.wait()
        found.append(ask())

    threads = [threading.Thread(target=read) for _ in range(N_READERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


class Slow:
    """Takes a while, and counts how often."""

    def __init__(self, make) -> None:
        self.make, self.n = make, 0

    def __call__(self, *given):
        self.n += 1
        time.sleep(0.05)
        return self.make(*given)


def test_a_board_is_rendered_once(monkeypatch):
    kept: Recent[str] = Recent(10)

    def rendered(contest, shown, etag):
        kept.put(etag, f"<p>{etag}</p>")
        return f"<p>{etag}</p>"

    slow = Slow(rendered)
    monkeypatch.setattr(pages, "RENDERED", kept)
    monkeypatch.setattr(pages, "_rendered", slow)
    shown = SimpleNamespace(fragment_etag=lambda: "e")
    assert at_once(lambda: pages.fragment(None, shown)) == ["<p>e</p>"] * N_READERS
    assert slow.n == 1


@pytest.mark.django_db
def test_the_facts_are_looked_through_once(cast, monkeypatch):
    board_facts.game(cast.contest)
    contest, now = Contest.objects.prefetch_related("rounds").get(), timezone.now()
    scope = scope_of(contest, now)
    slow = Slow(lambda scope: "k" * 64)
    monkeypatch.setattr(facts, "key_of", slow)
    monkeypatch.setattr(services.revisions, "current", lambda contest_id: Numbers(1, 2))
    monkeypatch.setattr(services, "_read_again", lambda contest: contest)
    monkeypatch.setattr(services, "moments", lambda contest: [])
    keys = at_once(lambda: services._key_now(scope, now)[0])
    assert (keys, slow.n) == (["k" * 64] * N_READERS, 1)
