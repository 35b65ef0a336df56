# SPDX-License-Identifier: Apache-2.0
"""Notices on open pages: for their audience only, one for each event, and nothing to read while nothing is new."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from pwscup.notices import services, toasts
from pwscup.notices.models import Notice
from pwscup.notices.sending import outbox

pytestmark = pytest.mark.django_db
URL = "/toasts/"


def announce(cast, title: str = "Data replaced", text: str = "Load it again."):
    values = {"title": title, "title_ja": "", "text": text, "text_ja": "", "is_pinned": False}
    return services.publish_announcement(actor=cast.oscar, contest=cast.contest, values=values)


def test_a_page_learns_of_what_comes_after_it(cast, as_user):
    announce(cast, "Before")
    alice = as_user(cast.alice)
    first = alice.get(URL).json()
    assert first["toasts"] == []
    announce(cast, text="Load\n it again. " * 30)
    found = alice.get(URL, {"after": first["newest"]}).json()
    (toast,) = found["toasts"]
    assert (toast["title"], toast["contest"]) == ("Data replaced", "Test Cup")
    assert toast["url"].startswith("/c/cup/news/#announcement-")
    assert len(toast["text"]) <= toasts.MOST_CHARACTERS
    assert alice.get(URL, {"after": found["newest"]}).json()["toasts"] == []


def test_nothing_new_has_no_body(cast, as_user):
    announce(cast)
    alice = as_user(cast.alice)
    first = alice.get(URL)
    again = alice.get(URL, headers={"if-none-match": first["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    announce(cast, "Another")
    assert alice.get(URL, headers={"if-none-match": first["ETag"]}).status_code == 200
    assert "no-cache" in first["Cache-Control"]


def test_each_audience_learns_of_its_own_only(cast, as_user):
    question = services.ask_question(user=cast.alice, team=cast.red, subject="Rows", text="Which?")
    services.answer_question(actor=cast.oscar, question=question, answer="All.")
    titles = {
        name: [
            one["title"]
            for one in as_user(getattr(cast, name)).get(URL, {"after": 0}).json()["toasts"]
        ]
        for name in ("alice", "bob", "carol", "eve", "oscar")
    }
    assert titles == {
        "alice": ["Answer: Rows"],
        "bob": ["Answer: Rows"],
        "carol": [],
        "eve": [],
        "oscar": ["Question: Rows"],
    }
    assert as_user(None).get(URL).status_code == 302


def test_what_is_withdrawn_old_or_useless_is_no_toast(cast, as_user):
    alice = as_user(cast.alice)

    def shown() -> int:
        return len(alice.get(URL, {"after": 0}).json()["toasts"])

    announcement = announce(cast)
    assert shown() == 1
    announcement.withdrawn_at = timezone.now()
    announcement.save()
    assert shown() == 0
    announce(cast)
    Notice.objects.update(at=timezone.now() - toasts.RECENT - timedelta(seconds=1))
    assert shown() == 0
    announce(cast)
    Notice.objects.update(useless_after=timezone.now())
    assert shown() == 0


def test_an_event_is_one_notice_and_many_are_the_newest(cast, as_user):
    for _ in range(3):
        outbox.notify(
            contest=cast.contest, kind="round.opened", key="opened:a", round_key="anonymization"
        )
    assert len(as_user(cast.alice).get(URL, {"after": 0}).json()["toasts"]) == 1
    for n in range(7):
        announce(cast, f"News {n}")
    found = as_user(cast.alice).get(URL, {"after": 0}).json()["toasts"]
    assert [one["title"] for one in found] == ["News 3", "News 4", "News 5", "News 6"]


@pytest.mark.parametrize("after", ["x", "-1", "9" * 40, "１"])
def test_a_wrong_key_is_none(cast, as_user, after):
    announce(cast)
    assert as_user(cast.alice).get(URL, {"after": after}).json()["toasts"] == []


def test_pages_ask_only_for_those_who_are_signed_in(cast, as_user):
    assert 'id="toasts"' in as_user(cast.alice).get("/c/cup/").text
    assert 'id="toasts"' not in as_user(None).get("/c/cup/").text
