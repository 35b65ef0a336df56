# SPDX-License-Identifier: Apache-2.0
"""An organizer makes a contest: creation, settings, publication, people, and the audit trail."""

from __future__ import annotations

import csv
import io
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.urls import reverse
from django.utils import timezone

from pwscup.accounts import services as accounts
from pwscup.contests import services
from pwscup.contests.forms import NewContestForm, zone_choices
from pwscup.contests.models import Contest, TableDraft
from pwscup.contests.organize import trail
from pwscup.core import audit_log
from pwscup.core.models import Event, StoredFile
from tests import factories
from tests.web.test_organizer_data import TABLE, upload

NEW = {
    "ruleset": "pwscup2015",
    "title": "Winter Cup 2031",
    "title_ja": "冬杯",
    "timezone": "Asia/Tokyo",
    "max_team_size": 5,
    "starts_at": "2031-01-10T10:00",
}


def kinds() -> list[str]:
    return list(Event.objects.values_list("kind", flat=True))


def said(response) -> str:
    """The messages that the next page shows."""
    return " ".join(str(message) for message in response.context["messages"])


# Creation


def test_a_contest_is_created_as_a_draft_by_its_ruleset(cast, oscar):
    response = oscar.post("/organize/new/", NEW)
    assert response["Location"] == "/organize/winter-cup-2031/data/"
    contest = Contest.objects.get(slug="winter-cup-2031")
    assert not contest.is_published
    assert list(contest.organizers.all()) == [cast.oscar]
    first, second = contest.rounds.all()
    assert first.opens_at == datetime(2031, 1, 10, 1, 0, tzinfo=UTC)
    assert (first.closes_at - first.opens_at, first.tries) == (timedelta(days=14), 20)
    assert second.opens_at == first.closes_at
    assert (second.closes_at - second.opens_at, second.tries) == (timedelta(days=7), 3)
    assert kinds() == ["contest.created"]


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("timezone", "Mars/Olympus", "no time zone"),
        ("slug", "new", "address is taken"),
        ("slug", "cup", "address is taken"),
        ("slug", "CUP", "address is taken"),
        ("max_team_size", "11", "at most 10"),
        ("max_team_size", "0", "greater than or equal to 1"),
        ("starts_at", "tomorrow", "Enter a date"),
        ("starts_at", "1031-01-01T10:00", "from 2000 to 2099"),
        ("ruleset", "chess", "valid choice"),
    ],
)
def test_what_a_new_contest_must_be(cast, oscar, field, value, words):
    response = oscar.post("/organize/new/", NEW | {field: value})
    assert response.status_code == 200
    assert words in str(response.context["form"].errors[field])
    assert Contest.objects.count() == 1


def test_a_title_in_japanese_suffices(cast, oscar):
    response = oscar.post("/organize/new/", NEW | {"title": "", "title_ja": ""})
    assert "required" in str(response.context["form"].errors["title"])
    oscar.post("/organize/new/", NEW | {"title": "", "slug": "fuyu"})
    contest = Contest.objects.get(slug="fuyu")
    assert (contest.title, contest.title_ja) == ("冬杯", "冬杯")


def test_the_start_is_read_on_the_clock_of_the_chosen_zone(db):
    form = NewContestForm(NEW | {"timezone": "America/New_York"})
    assert form.is_valid()
    assert form.cleaned_data["starts_at"] == datetime(2031, 1, 10, 15, 0, tzinfo=UTC)


def test_tokyo_is_proposed_and_the_world_is_there(db):
    assert NewContestForm()["timezone"].value() == "Asia/Tokyo"
    zones = dict(zone_choices())
    assert {"UTC", "Asia/Tokyo", "Europe/Paris", "America/Argentina/Buenos_Aires"} <= set(zones)
    for zone in zones:
        ZoneInfo(zone)


@pytest.mark.parametrize(
    ("title", "slug"),
    [("Cup", "cup-2"), ("New", "new-2"), ("杯", "contest"), ("A  Cup: ’31!", "a-cup-31")],
)
def test_a_free_address_is_made_of_the_title(cast, title, slug):
    assert services.free_slug(title) == slug


# Settings


def settings_of(contest: Contest, **changes) -> dict:
    fields = {name: getattr(contest, name) for name in ("title", "title_ja", "timezone")}
    return (
        fields
        | {"max_team_size": 3, "admission": contest.admission, "version": contest.version}
        | changes
    )


def test_settings_are_saved_with_what_was_and_what_is(cast, oscar):
    url = reverse("organize-settings", args=["cup"])
    oscar.post(url, settings_of(cast.contest, title="Better Cup", summary="Short."))
    cast.contest.refresh_from_db()
    assert (cast.contest.title, cast.contest.summary) == ("Better Cup", "Short.")
    event = Event.objects.get()
    assert (event.kind, event.actor) == ("contest.settings_changed", cast.oscar)
    assert event.data == {"title": ["Test Cup", "Better Cup"], "summary": ["", "Short."]}


def test_saving_nothing_new_is_no_event(cast, oscar):
    oscar.post(reverse("organize-settings", args=["cup"]), settings_of(cast.contest))
    assert kinds() == []


def test_the_last_of_two_organizers_overwrites_nothing(cast, oscar):
    url = reverse("organize-settings", args=["cup"])
    old = settings_of(cast.contest)
    oscar.post(url, old | {"title": "First"})
    response = oscar.post(url, old | {"title": "Second"}, follow=True)
    assert "Another organizer changed this contest" in said(response)
    assert Contest.objects.get().title == "First"
    assert response.context["form"]["title"].value() == "First"


# Publication


def test_publishing_says_what_is_missing(cast, oscar, draft):
    page = oscar.get("/organize/next/").content.decode()
    assert "The original data is missing." in page
    response = oscar.post("/organize/next/publish/", {"version": draft.version}, follow=True)
    assert "The original data is missing." in said(response)
    assert not Contest.objects.get(slug="next").is_published


def test_an_uploaded_table_is_not_missing_only_its_columns_are_not_confirmed(cast, oscar, draft):
    upload(oscar, draft, TABLE)
    page = oscar.get("/organize/next/").text
    assert "Confirm the columns of the original data." in page
    assert "original data is missing" not in page


def test_publishing_and_taking_it_back(cast, oscar, draft, as_user):
    factories.attach_original(draft)
    oscar.post("/organize/next/publish/", {"version": draft.version})
    assert as_user(None).get("/c/next/").status_code == 404, "no dry run has played the rules"
    known = {"version": draft.version, "sentence": "A practice contest."}
    oscar.post("/organize/next/publish/", known)
    assert as_user(None).get("/c/next/").status_code == 200
    response = oscar.post("/organize/next/unpublish/", follow=True)
    assert "unpublished" in said(response)
    assert as_user(None).get("/c/next/").status_code == 404
    assert kinds()[-2:] == ["contest.published", "contest.unpublished"]


def test_a_contest_with_teams_stays_public(cast, oscar):
    response = oscar.post("/organize/cup/unpublish/", follow=True)
    assert "Teams have joined" in said(response)
    assert Contest.objects.get().is_published
    assert "Unpublish" not in response.content.decode()


def test_publishing_forgets_the_drafted_table(
    cast, draft, settings, django_capture_on_commit_callbacks
):
    services.upload_table(actor=cast.oscar, contest=draft, name="t.csv", data=factories.ORIGINAL)
    kept = TableDraft.objects.get().file
    path = settings.PRIVATE_ROOT / kept.path
    factories.attach_original(draft)
    assert path.exists()
    with django_capture_on_commit_callbacks(execute=True):
        services.publish(actor=cast.oscar, contest=draft)
    assert not path.exists()
    assert not TableDraft.objects.exists()
    assert not StoredFile.objects.filter(area="draft").exists()


# People


def test_a_second_organizer_enters_and_leaves(cast, oscar, as_user):
    url = reverse("organize-organizers", args=["cup"])
    factories.add_organizer(cast, cast.eve)
    assert as_user(cast.eve).get("/organize/cup/").status_code == 200
    assert as_user(cast.eve).get("/organize/").status_code == 200
    response = as_user(cast.eve).post(url, {"remove": cast.eve.pk})
    assert response["Location"] == "/"
    assert as_user(cast.eve).get("/organize/cup/").status_code == 404
    assert kinds() == [
        "contest.office_invited",
        "contest.organizer_added",
        "contest.organizer_removed",
    ]


def test_the_trail_names_people_only_as_long_as_they_have_an_account(cast, oscar):
    factories.add_organizer(cast, cast.eve)
    url = reverse("organize-events", args=["cup"])
    assert "<td>Eve</td>" in oscar.get(url).content.decode()
    accounts.delete_account(user=cast.eve)
    assert ">Eve<" not in oscar.get(url).content.decode()
    assert "Eve" not in str(list(Event.objects.values_list("subject", "data")))


def test_the_last_organizer_stays(cast, oscar):
    url = reverse("organize-organizers", args=["cup"])
    response = oscar.post(url, {"remove": cast.oscar.pk}, follow=True)
    assert "at least one organizer" in said(response)
    assert list(cast.contest.organizers.all()) == [cast.oscar]


def test_an_address_that_is_none_is_said_at_the_field(cast, oscar):
    response = oscar.post(reverse("organize-organizers", args=["cup"]), {"email": "eve"})
    assert "valid email" in str(response.context["organizer_form"].errors)


def test_somebody_who_may_create_sees_an_empty_list(cast, as_user):
    olga = factories.make_user("olga", is_organizer=True)
    page = as_user(olga).get("/organize/").content.decode()
    assert "You do not organize a contest yet." in page
    assert "Test Cup" not in page


# The audit trail


def test_events_are_shown_newest_first_on_the_contests_clock(cast, oscar):
    Event.objects.create(
        kind="contest.created",
        actor=cast.oscar,
        contest_id=cast.contest.pk,
        at=datetime(2031, 1, 1, 20, 0, tzinfo=UTC),
    )
    audit_log.record(
        "something.else",
        contest_id=cast.contest.pk,
        subject="later",
        before=[None, 3],
        tries=[3, 5],
    )
    audit_log.record("contest.created", contest_id=cast.contest.pk + 1, subject="another contest's")
    response = oscar.get("/organize/cup/events/")
    events = response.context["events"]
    assert [(event.words, event.actor) for event in events] == [
        ("", ""),
        ("contest created", "Oscar"),
    ]
    assert events[0].details == (("before", "nothing → 3"), ("Attempts", "3 → 5"))
    page = response.content.decode()
    assert "2031-01-02 05:00 JST" in page
    assert "another contest" not in page


def test_events_are_paged(cast, oscar, django_assert_max_num_queries):
    for number in range(120):
        audit_log.record("test", actor=cast.oscar, contest_id=cast.contest.pk, subject=f"n{number}")
    with django_assert_max_num_queries(18):
        response = oscar.get("/organize/cup/events/?page=2")
    assert [event.subject for event in response.context["events"]][::49] == ["n69", "n20"]
    for odd in ("0", "x", "99999"):
        assert oscar.get(f"/organize/cup/events/?page={odd}").status_code == 200


def test_moments_in_details_are_shown_on_the_contests_clock(cast):
    audit_log.record(
        "test", contest_id=1, opens_at=["2031-01-01T20:00:00+00:00", "THE END"], deep={"a": 1}
    )
    (event,) = trail.shown(Event.objects.all(), ZoneInfo("Asia/Tokyo"))
    assert event.details == (("Opens", "2031-01-02 05:00:00 JST → THE END"), ("deep · a", "1"))


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_no_exported_cell_is_a_formula(cast, oscar, start):
    cast.oscar.display_name = f"{start}1+1"
    cast.oscar.save()
    audit_log.record("test", actor=cast.oscar, contest_id=cast.contest.pk, subject=f"{start}cmd")
    response = oscar.get("/organize/cup/events.csv")
    assert response["Content-Disposition"] == 'attachment; filename="cup-events.csv"'
    text = response.getvalue().decode("utf-8-sig")
    _header, row = csv.reader(io.StringIO(text, newline=""))
    assert row[2:5] == [f"'{start}1+1", "test", f"'{start}cmd"]


def test_the_export_holds_every_event(cast, oscar):
    for _number in range(60):
        audit_log.record("test", contest_id=cast.contest.pk)
    rows = list(csv.reader(io.StringIO(oscar.get("/organize/cup/events.csv").getvalue().decode())))
    assert len(rows) == 61
    assert datetime.fromisoformat(rows[1][1]).utcoffset() == timedelta(hours=9)
    assert datetime.fromisoformat(rows[1][1]) <= timezone.now()
