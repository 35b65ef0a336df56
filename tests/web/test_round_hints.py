# SPDX-License-Identifier: Apache-2.0
"""Hints for teams: hidden until their share of the round is over or an organizer publishes them."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from pwscup.contests.models import Contest, RoundHint
from pwscup.contests.services import ContestRefused
from pwscup.contests.services import hints as services
from pwscup.core.models import Event
from tests.web import archives, pipeline

HOUR = timedelta(hours=1)


@pytest.fixture
def halfway(cast, round):
    """The cast's contest, at half of its first round."""
    now = timezone.now()
    pipeline.move(round, now - HOUR, now + HOUR)
    return cast


def add(cast, text="Look at the towns.", after=None) -> RoundHint:
    return services.add_hint(
        actor=cast.oscar,
        contest=cast.contest,
        key="anonymization",
        text=text,
        text_ja="市区町村に注目",
        after_percent=after,
    )


def page(client, cast) -> str:
    return client.get(reverse("round", args=[cast.contest.slug, "anonymization"])).content.decode()


def test_a_hint_is_published_after_its_share_of_the_round(halfway, as_user, client):
    add(halfway, "early", 40)
    add(halfway, "late", 60)
    add(halfway, "by hand")
    alice = as_user(halfway.alice)
    assert "early" not in page(alice, halfway)
    now = timezone.now()
    for _twice in range(2):
        services.publish_due(now)
    assert "early" in page(alice, halfway)
    assert "early" in page(as_user(halfway.oscar), halfway)
    for hidden in ("late", "by hand"):
        assert hidden not in page(alice, halfway)
    for stranger in (client, as_user(halfway.eve)):
        assert "early" not in page(stranger, halfway)
    event = Event.objects.get(kind="hint.published")
    assert (event.actor, event.subject, event.data) == (None, "anonymization", {"text": "early"})


def test_the_time_moves_with_the_round_and_stops_with_the_contest(halfway, round):
    add(halfway, after=60)
    later = timezone.now() + timedelta(minutes=30)
    Contest.objects.filter(pk=halfway.contest.pk).update(paused_at=timezone.now())
    services.publish_due(later)
    assert RoundHint.objects.get().published_at is None
    Contest.objects.filter(pk=halfway.contest.pk).update(paused_at=None)
    pipeline.move(round, later - HOUR, later + 9 * HOUR)
    services.publish_due(later)
    assert RoundHint.objects.get().published_at is None
    pipeline.move(round, later - 6 * HOUR, later + HOUR)
    services.publish_due(later)
    assert RoundHint.objects.get().published_at == later


def test_an_organizer_publishes_and_deletes_hints(halfway, as_user):
    oscar, contest = as_user(halfway.oscar), halfway.contest
    address = reverse("organize-hints", args=[contest.slug])
    given = {"version": 0, "key": "anonymization", "text": "Try k = 3.", "text_ja": ""}
    assert oscar.post(address, given | {"text": ""}).status_code == 422
    assert oscar.post(address, given | {"after_percent": 101}).status_code == 422
    contest.refresh_from_db()
    assert oscar.post(address, given | {"version": contest.version}).status_code == 302
    hint = RoundHint.objects.get()
    url = reverse("organize-hint", args=[contest.slug, hint.pk])
    assert "Try k = 3." in oscar.get(address).content.decode()
    for button in ("publish", "publish", "remove"):
        contest.refresh_from_db()
        assert oscar.post(url, {"do": button, "version": contest.version}).status_code == 302
        if button == "publish":
            assert "Try k = 3." in page(as_user(halfway.alice), halfway)
    assert "Try k = 3." not in page(as_user(halfway.alice), halfway)
    assert oscar.post(url, {"do": "remove"}).status_code == 404
    kinds = Event.objects.filter(kind__startswith="hint.").values_list("kind", flat=True)
    assert list(kinds) == ["hint.added", "hint.published", "hint.removed"]


def test_a_draft_publishes_nothing_and_bounds_hold(halfway, monkeypatch):
    add(halfway, after=0)
    Contest.objects.filter(pk=halfway.contest.pk).update(is_published=False)
    services.publish_due(timezone.now())
    assert RoundHint.objects.get().published_at is None
    monkeypatch.setattr(services, "MOST", 1)
    with pytest.raises(ContestRefused, match="at most 1 hints"):
        add(halfway)


def test_an_archive_holds_hints(halfway, unsent):
    hint = add(halfway)
    add(halfway, "later", 60)
    services.publish_hint(actor=halfway.oscar, contest=halfway.contest, number=hint.pk)
    data = archives.bytes_of(archives.written(halfway.contest, halfway.oscar))
    copy = archives.imported(halfway.oscar, data).contest
    found = RoundHint.objects.filter(round__contest=copy).order_by("pk")
    assert [(h.text, h.after_percent, h.published_at is None) for h in found] == [
        ("Look at the towns.", None, False),
        ("later", 60, True),
    ]
    open_ = archives.written(halfway.contest, halfway.oscar, with_key=False)
    assert b"later" not in archives.entries(archives.bytes_of(open_))["hints.json"]
