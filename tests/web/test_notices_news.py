# SPDX-License-Identifier: Apache-2.0
"""News of a contest: announcements, what the trail says in public, the feed, and who sees what is unread."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from pwscup.contests import services as contests
from pwscup.contests.models import Contest
from pwscup.core import audit_log
from pwscup.core.models import Event
from pwscup.notices import changes, selectors, services
from pwscup.notices.models import Announcement, Visit
from tests import factories
from tests.web import pipeline

pytestmark = pytest.mark.django_db
ATOM = "{http://www.w3.org/2005/Atom}"
WORDS = {"title": "Rows", "text": "See https://example.org/x?a=1&b=2 <b>now</b>"}


@pytest.fixture
def announced(cast) -> Announcement:
    return services.publish_announcement(actor=cast.oscar, contest=cast.contest, values=WORDS)


def page(client, contest, name="news") -> str:
    return client.get(reverse(name, args=[contest.slug])).text


def announce(client, contest, **values):
    return client.post(reverse("organize-news", args=[contest.slug]), values)


# Announcements


def test_an_organizer_announces_and_everybody_reads_it_with_safe_links(cast, oscar, as_user):
    assert announce(oscar, cast.contest, **WORDS).status_code == 302
    for user in (None, cast.eve, cast.alice):
        text = page(as_user(user), cast.contest)
        assert '<a href="https://example.org/x?a=1&amp;b=2" rel="nofollow">' in text
        assert "&lt;b&gt;now&lt;/b&gt;" in text
        assert "<b>now" not in text
    event = Event.objects.get(kind="announcement.published")
    assert event.actor == cast.oscar
    assert event.data == WORDS


def test_everybody_reads_their_own_language_or_the_one_there_is(cast, as_user):
    both = WORDS | {"title_ja": "行について", "text_ja": "本文"}
    services.publish_announcement(actor=cast.oscar, contest=cast.contest, values=both)
    english_only = {"title": "Only English", "text": ""}
    services.publish_announcement(actor=cast.oscar, contest=cast.contest, values=english_only)
    visitor = as_user(None)
    url = reverse("news", args=[cast.contest.slug])
    japanese = visitor.get(url, headers={"Accept-Language": "ja"}).text
    assert "行について" in japanese
    assert "Only English" in japanese
    assert ">Rows<" not in japanese
    assert "行について" not in visitor.get(url).text


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({}, "Write a title and a text"),
        ({"text": "no title"}, "Give the text a title"),
        ({"title": "English", "text_ja": "本文"}, "Give the text a title"),
        ({"title": "bell \x07"}, "control character"),
        ({"title": "two\nlines"}, "single line"),
        ({"title": "x" * 151}, "at most 150 characters"),
    ],
)
def test_what_cannot_be_announced_is_said(cast, oscar, values, words):
    response = announce(oscar, cast.contest, **values)
    assert response.status_code == 200
    if values:
        assert words in response.text
    assert not Announcement.objects.exists()


def test_a_draft_announces_nothing(cast, oscar, draft):
    text = announce(oscar, draft, **WORDS).text
    assert "Publish it before" in text
    assert not Announcement.objects.exists()


def test_a_draft_has_no_feed_and_no_dot_before_it(cast, oscar):
    url = reverse("news", args=[cast.contest.slug])
    assert "</a> · <a" in oscar.get(url).text
    Contest.objects.update(is_published=False)
    page = oscar.get(url).text
    assert "Feed" not in page
    assert "</a> · " not in page


def test_a_correction_is_marked_and_the_former_words_are_in_the_trail(
    cast, oscar, as_user, announced
):
    url = reverse("organize-announcement", args=[cast.contest.slug, announced.pk])
    corrected = {"title": "Rows", "text": "Corrected", "version": announced.version}
    assert oscar.post(url, corrected).status_code == 302
    text = page(as_user(None), cast.contest)
    assert "Corrected" in text
    assert "edited" in text
    event = Event.objects.get(kind="announcement.corrected")
    assert event.data == {"text": [WORDS["text"], "Corrected"]}


def test_of_two_organizers_at_once_the_second_is_told(cast, oscar, announced):
    url = reverse("organize-announcement", args=[cast.contest.slug, announced.pk])
    first = {"title": "First", "text": "x", "version": announced.version}
    oscar.post(url, first)
    text = oscar.post(url, first | {"title": "Second"}, follow=True).text
    assert "Another organizer changed this announcement" in text
    announced.refresh_from_db()
    assert announced.title == "First"


def test_pinning_moves_it_to_the_top_and_is_no_edit(cast, as_user, announced):
    later = {"title": "Later", "text": ""}
    services.publish_announcement(actor=cast.oscar, contest=cast.contest, values=later)
    text = page(as_user(None), cast.contest)
    assert text.index("Later") < text.index("Rows")
    services.correct_announcement(
        actor=cast.oscar, announcement=announced, version=0, values={"is_pinned": True}
    )
    text = page(as_user(None), cast.contest)
    assert text.index("Rows") < text.index("Later")
    announced.refresh_from_db()
    assert announced.edited_at is None


def test_what_is_withdrawn_leaves_its_title_and_the_reason(cast, oscar, as_user, announced):
    url = reverse("organize-announcement-withdraw", args=[cast.contest.slug, announced.pk])
    assert oscar.post(url, {"reason": ""}).status_code == 200  # a reason is needed
    assert "See " in page(as_user(None), cast.contest)
    oscar.post(url, {"reason": "It was wrong"})
    text = page(as_user(None), cast.contest)
    assert "Withdrawn: It was wrong" in text
    assert "See " not in text
    with pytest.raises(services.NoticeRefused):
        services.correct_announcement(
            actor=cast.oscar, announcement=announced, version=1, values=WORDS
        )
    assert Event.objects.filter(kind="announcement.withdrawn").count() == 1


def test_an_announcement_of_another_contest_is_not_found(cast, oscar, announced):
    other = factories.make_contest("other", organizer=cast.oscar)
    url = reverse("organize-announcement", args=[other.slug, announced.pk])
    assert oscar.get(url).status_code == 404


# Changes


def test_changed_dates_are_news_on_the_contests_clock(cast, as_user, round):
    plan = contests.plan_of(round)
    later = type(plan)(
        key=plan.key,
        opens_at=plan.opens_at,
        closes_at=plan.closes_at + timedelta(hours=1),
        tries=plan.tries,
        feedback=plan.feedback,
    )
    contests.update_rounds(actor=cast.oscar, contest=cast.contest, plans=[later])
    text = page(as_user(None), cast.contest)
    zone = cast.contest.tz
    before, after = (f"{p.closes_at.astimezone(zone):%Y-%m-%d %H:%M} JST" for p in (plan, later))
    assert f"closes: {before} → {after}" in text
    assert "Oscar" not in text


def test_every_public_kind_has_words_and_shows_nothing_but_the_listed_fields(cast, as_user):
    secret = {
        "digest": "abcdef0123",
        "user_id": 471147114711,
        "note": "hush",
        "team": "red",
        "reason": "why",
    }
    for kind in changes.PUBLIC_KINDS:
        audit_log.record(
            kind, actor=cast.oscar, contest_id=cast.contest.pk, subject="attack", **secret
        )
    text = page(as_user(None), cast.contest)
    for kind, change in changes.PUBLIC_KINDS.items():
        title = (str(change.words) % {"round": "Attack round"}).replace("Attack round", "")
        assert title.strip("“”").split("”")[-1] in text, kind
    assert "%(round)s" not in text
    assert not [value for value in ("abcdef0123", "471147114711", "hush") if value in text]
    assert text.count("Reason: why") == sum(c.shows_reason for c in changes.PUBLIC_KINDS.values())


def test_the_clock_of_a_contest_in_words(cast, as_user):
    """The shape in which pauses, extensions and outages are recorded."""
    moved = {"attack": {"closes_at": ["2030-01-01T00:00:00+00:00", "2030-01-01T02:00:00+00:00"]}}
    audit_log.record(
        "contest.outage_recorded",
        actor=cast.oscar,
        contest_id=cast.contest.pk,
        subject=cast.contest.slug,
        started_at="2029-12-31T00:00:00+00:00",
        ended_at=None,
        reason="the power failed",
        moved=moved,
    )
    text = page(as_user(None), cast.contest)
    assert "from: 2029-12-31 09:00 JST" in text
    assert "until: –" in text
    assert "closes: 2030-01-01 09:00 JST → 2030-01-01 11:00 JST" in text
    assert "Reason: the power failed" in text


def test_a_frozen_board_says_as_of_when(cast, as_user):
    frozen_at = [None, "2030-01-01T00:00:00+00:00"]
    for kind, pair in (("board_frozen", frozen_at), ("board_revealed", frozen_at[::-1])):
        audit_log.record(f"contest.{kind}", contest_id=cast.contest.pk, frozen_at=pair)
    text = page(as_user(None), cast.contest)
    assert text.count("It shows the state at 2030-01-01 09:00 JST.") == 1


def test_nothing_before_publication_is_news(cast, oscar, draft, as_user):
    audit_log.record("contest.round_paused", contest_id=draft.pk, subject="attack", reason="early")
    assert as_user(None).get(reverse("news", args=[draft.slug])).status_code == 404
    assert as_user(cast.alice).get(reverse("news", args=[draft.slug])).status_code == 404
    audit_log.record("contest.published", contest_id=draft.pk, subject=draft.slug)
    type(draft).objects.filter(pk=draft.pk).update(is_published=True)
    audit_log.record("contest.round_resumed", contest_id=draft.pk, subject="attack", reason="late")
    text = page(as_user(None), draft)
    assert "early" not in text
    assert "late" in text
    assert "The contest was published" in text


def test_published_tables_are_one_piece_of_news(cast, as_user, round):
    for user, team in ((cast.alice, cast.red), (cast.carol, cast.blue)):
        pipeline.scored(pipeline.hand_in(user, team, round))
    pipeline.publish(cast.contest)
    text = page(as_user(None), cast.contest)
    assert text.count("The tables to attack are published") == 1
    assert "Tables: 2" in text
    assert "Red" not in text


# Feed, unread, pages


def test_the_feed_is_atom_of_published_contests_only(cast, draft, as_user, announced):
    url = reverse("news-feed", args=[cast.contest.slug])
    response = as_user(None).get(url)
    assert response["Content-Type"].startswith("application/atom+xml")
    feed = ET.fromstring(response.content)
    [entry] = feed.findall(f"{ATOM}entry")
    assert entry.findtext(f"{ATOM}title") == "Rows"
    summary = entry.findtext(f"{ATOM}summary")
    assert "&lt;b&gt;now&lt;/b&gt;" in summary
    assert "<b>" not in summary
    link = entry.find(f"{ATOM}link").get("href")
    assert link.endswith(f"/c/cup/news/#announcement-{announced.pk}")
    services.withdraw_announcement(actor=cast.oscar, announcement=announced, reason="wrong")
    assert "Withdrawn: wrong" in as_user(None).get(url).text
    for user in (None, cast.oscar):
        hidden = reverse("news-feed", args=[draft.slug])
        assert as_user(user).get(hidden).status_code == 404


def test_the_tab_counts_what_a_member_has_not_seen(cast, as_user, announced):
    overview = reverse("contest", args=[cast.contest.slug])
    count = '<span class="tab-count">1</span>'
    alice = as_user(cast.alice)
    assert count in alice.get(overview).text
    assert "tab-count" not in as_user(cast.eve).get(overview).text
    assert "tab-count" not in as_user(None).get(overview).text
    page(alice, cast.contest)
    assert "tab-count" not in alice.get(overview).text
    assert Visit.objects.filter(user=cast.alice).count() == 1
    audit_log.record(
        "contest.round_paused", contest_id=cast.contest.pk, subject="attack", reason="x"
    )
    assert count in alice.get(overview).text
    assert count in as_user(cast.oscar).get(overview).text  # not what Oscar announced


def test_old_news_is_on_further_pages(cast, as_user):
    now = timezone.now()
    Announcement.objects.bulk_create(
        Announcement(contest=cast.contest, title=f"T{n}.", created_at=now - timedelta(hours=n))
        for n in range(35)
    )
    url = reverse("news", args=[cast.contest.slug])
    visitor = as_user(None)
    first, second = visitor.get(url).text, visitor.get(url, {"page": 2}).text
    assert "T29." in first
    assert "T30." not in first
    assert "T34." in second


@pytest.mark.parametrize("name", ["news", "news-feed", "organize-news", "organize-questions"])
def test_more_teams_and_news_cost_no_more_queries(
    cast, as_user, name, django_assert_max_num_queries
):
    client, url = as_user(cast.oscar), reverse(name, args=[cast.contest.slug])

    def grow(n: int) -> None:
        for _ in range(n):
            user = factories.make_user(f"{name}{cast.contest.teams.count()}")
            team = factories.make_team(cast.contest, f"Team {user.display_name}", user)
            services.ask_question(user=user, team=team, subject="s", text="t")
            services.publish_announcement(actor=cast.oscar, contest=cast.contest, values=WORDS)
            audit_log.record("contest.round_paused", contest_id=cast.contest.pk, subject="attack")

    grow(1)
    client.get(url)  # notes the visit
    with django_assert_max_num_queries(40) as few:
        client.get(url)
    n_queries = len(few)
    grow(27)
    client.get(url)
    with django_assert_max_num_queries(n_queries):
        client.get(url)


def test_own_acts_are_no_unread_news(cast):
    services.publish_announcement(actor=cast.oscar, contest=cast.contest, values=WORDS)
    closed = {"actor": cast.oscar, "contest_id": cast.contest.pk, "subject": "anonymize"}
    audit_log.record("contest.round_closed", **closed)
    assert selectors.n_unread(cast.oscar.pk, cast.contest.pk) == 0
    assert selectors.n_unread(cast.alice.pk, cast.contest.pk) == 2
