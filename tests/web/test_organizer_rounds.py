# SPDX-License-Identifier: Apache-2.0
"""The organizer's rounds: dates in the contest's zone, limits, opening and closing at once."""

from __future__ import annotations

import re
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.core.exceptions import ValidationError
from django.urls import reverse
from django.utils import timezone

from pwscup.contests import services
from pwscup.contests.forms import MomentField
from pwscup.contests.models import Contest
from pwscup.core.models import Event
from pwscup.submissions.models import Submission
from scoring.rulesets import load_ruleset, ruleset_names
from tests import factories
from tests.web import pipeline

URL = "/organize/cup/rounds/"


def local(moment: datetime) -> str:
    return moment.astimezone(ZoneInfo("Asia/Tokyo")).strftime("%Y-%m-%dT%H:%M")


def filled(contest: Contest, **changes) -> dict:
    """The form as the page shows it, with changes such as `attack__tries`."""
    data = {"version": contest.version}
    for round in contest.rounds.all():
        data |= {
            f"{round.key}-opens_at": local(round.opens_at),
            f"{round.key}-closes_at": local(round.closes_at),
            f"{round.key}-tries": round.tries,
            f"{round.key}-tries_per_day": round.tries_per_day or "",
            f"{round.key}-feedback": round.feedback,
        }
    return data | {key.replace("__", "-"): value for key, value in changes.items()}


def said(response) -> str:
    return " ".join(str(message) for message in response.context["messages"])


def errors(response) -> str:
    form = response.context["form"]
    return str(form.errors) + " ".join(str(one.errors) for one in form.rounds)


# Local times


@pytest.mark.parametrize(
    ("zone", "typed", "moment"),
    [
        ("Asia/Tokyo", "2031-07-01T10:00", datetime(2031, 7, 1, 1, 0, tzinfo=UTC)),
        ("Asia/Tokyo", "2031-07-01 10:00", datetime(2031, 7, 1, 1, 0, tzinfo=UTC)),
        ("Europe/Paris", "2031-07-01T10:00", datetime(2031, 7, 1, 8, 0, tzinfo=UTC)),
        ("Europe/Paris", "2031-01-01T10:00", datetime(2031, 1, 1, 9, 0, tzinfo=UTC)),
        ("America/New_York", "2031-03-09T03:00", datetime(2031, 3, 9, 7, 0, tzinfo=UTC)),
    ],
)
def test_times_are_read_on_the_clock_of_the_zone(zone, typed, moment):
    field = MomentField(zone=ZoneInfo(zone))
    assert field.clean(typed) == moment
    assert field.clean(field.prepare_value(moment)) == moment


@pytest.mark.parametrize(
    ("zone", "typed", "code"),
    [
        ("America/New_York", "2031-03-09T02:30", "missing"),
        ("America/New_York", "2031-11-02T01:30", "twice"),
        ("Europe/Paris", "2031-03-30T02:30", "missing"),
        ("Europe/Paris", "2031-10-26T02:30", "twice"),
        ("Asia/Tokyo", "10 o'clock", "format"),
        ("Asia/Tokyo", "2031-02-30T10:00", "format"),
        ("Asia/Tokyo", "0001-01-01T00:00", "year"),
        ("America/New_York", "9999-12-31T23:59", "year"),
        ("Asia/Tokyo", "", "required"),
    ],
)
def test_times_that_no_clock_shows_or_shows_twice_are_named(zone, typed, code):
    with pytest.raises(ValidationError) as refusal:
        MomentField(zone=ZoneInfo(zone)).clean(typed)
    assert refusal.value.code == code
    if code in ("missing", "twice"):
        assert zone in refusal.value.messages[0]
        assert typed.replace("T", " ") in refusal.value.messages[0]


def test_suggested_rounds_keep_their_hour_over_a_change_of_the_clock():
    zone = ZoneInfo("Europe/Paris")
    start = datetime(2031, 3, 20, 10, 0, tzinfo=zone)
    plans = services.suggested_rounds(load_ruleset("pwscup2015"), start, zone)
    assert [plan.closes_at.astimezone(zone).isoformat() for plan in plans] == [
        "2031-04-03T10:00:00+02:00",
        "2031-04-10T10:00:00+02:00",
    ]


def test_suggested_rounds_of_minutes_last_them_over_a_change_of_the_clock():
    zone = ZoneInfo("Europe/Paris")
    start = datetime(2031, 3, 30, 1, 50, tzinfo=zone)
    plans = services.suggested_rounds(load_ruleset("microdata-classroom"), start, zone)
    assert [plan.closes_at.astimezone(zone).isoformat() for plan in plans] == [
        "2031-03-30T03:05:00+02:00",
        "2031-03-30T03:20:00+02:00",
    ]
    assert [plan.closes_at - plan.opens_at for plan in plans] == [timedelta(minutes=15)] * 2


# The form


def test_dates_tries_and_feedback_are_saved_with_an_event(cast, oscar):
    attack = cast.contest.rounds.get(key="attack")
    later = attack.closes_at + timedelta(days=1)
    changes = {"attack__closes_at": local(later), "attack__tries": 5, "attack__feedback": "coarse"}
    response = oscar.post(URL, filled(cast.contest, **changes), follow=True)
    assert said(response) == "Saved."
    attack.refresh_from_db()
    assert attack.closes_at == later.replace(second=0, microsecond=0)
    assert (attack.tries, attack.feedback) == (5, "coarse")
    event = Event.objects.get()
    assert (event.kind, event.actor) == ("contest.rounds_changed", cast.oscar)
    assert event.data["attack"]["tries"] == [3, 5]
    assert set(event.data) == {"attack"}


def test_tries_of_a_day_are_set_and_taken_away(cast, oscar):
    oscar.post(URL, filled(cast.contest, attack__tries_per_day=2))
    assert cast.contest.rounds.get(key="attack").tries_per_day == 2
    assert Event.objects.get().data == {"attack": {"tries_per_day": [None, 2]}}
    cast.contest.refresh_from_db()
    oscar.post(URL, filled(cast.contest, attack__tries_per_day=""))
    assert cast.contest.rounds.get(key="attack").tries_per_day is None


@pytest.mark.parametrize("name", [name for name in ruleset_names() if name != "pwscup2015"])
def test_rounds_of_every_format_are_set_by_stage(cast, oscar, name):
    contest = services.create_contest(
        actor=cast.oscar, ruleset=name, title="Next", slug="next", starts_at=timezone.now()
    )
    url = "/organize/next/rounds/"
    page = oscar.get(url)
    stages = page.context["stages"]
    specs = contest.ruleset.stages
    used = [spec.title["en"] for spec in specs if contest.ruleset.rounds_of(spec.key)]
    assert [stage.title for stage in stages] == (used if len(specs) > 1 else [""])
    assert sum(len(stage.rows) for stage in stages) == contest.rounds.count()
    last = contest.rounds.last()
    later = {f"{last.key}__closes_at": local(last.closes_at + timedelta(hours=1))}
    response = oscar.post(url, filled(contest, **later), follow=True)
    assert said(response) == "Saved."
    moved = contest.rounds.get(key=last.key).closes_at - last.closes_at
    assert abs(moved - timedelta(hours=1)) < timedelta(minutes=1)


def test_an_unchanged_form_moves_nothing_not_even_seconds(cast, oscar):
    before = list(cast.contest.rounds.values_list("opens_at", "closes_at"))
    assert any(moment.second or moment.microsecond for pair in before for moment in pair)
    oscar.post(URL, filled(cast.contest))
    assert list(cast.contest.rounds.values_list("opens_at", "closes_at")) == before
    assert not Event.objects.exists()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"attack__closes_at": "2020-01-01T10:00"}, "“Attack round” ends before it starts."),
        (
            {"anonymization__closes_at": "2090-01-01T10:00"},
            "“Attack round” opens while “Anonymization round” is still open. Open it later, or",
        ),
        ({"attack__tries": 0}, "greater than or equal to 1"),
        ({"attack__tries": "many"}, "whole number"),
        ({"attack__tries_per_day": 0}, "greater than or equal to 1"),
        ({"attack__feedback": "never"}, "valid choice"),
        ({"anonymization__feedback": "coarse"}, "valid choice"),
        ({"attack__opens_at": "soon"}, "Enter a date and a time"),
    ],
)
def test_what_cannot_be_is_refused_with_what_to_do(cast, oscar, changes, words):
    before = list(cast.contest.rounds.values())
    response = oscar.post(URL, filled(cast.contest, **changes))
    assert response.status_code == 200
    assert words in errors(response).replace("&#x27;", "'")
    assert list(cast.contest.rounds.values()) == before
    assert "2090-01-01T10:00" in response.content.decode() or "2090" not in str(changes)


def test_marks_of_estimates_cannot_be_told_at_once(cast, as_user):
    """They are exact: after each try they would tell of the hidden table for nothing."""
    contest = factories.make_dp_contest(organizer=cast.oscar)
    url = f"/organize/{contest.slug}/rounds/"
    refused = as_user(cast.oscar).post(url, filled(contest, interactive__feedback="exact"))
    assert "valid choice" in errors(refused)
    assert {round.feedback for round in contest.rounds.all()} == {"after_close"}


def test_an_opening_that_something_follows_from_stays(cast, oscar):
    first = cast.contest.rounds.get(key="anonymization")
    moved = {"anonymization__opens_at": local(first.opens_at - timedelta(days=1))}
    Submission.objects.create(
        round=first, team=cast.red, number=1, arrived_at=timezone.now(), submitted_by=cast.alice
    )
    response = oscar.post(URL, filled(cast.contest, **moved), follow=True)
    assert "its opening can no longer be changed" in said(response)
    longer = first.closes_at + timedelta(days=1)
    oscar.post(URL, filled(cast.contest, anonymization__closes_at=local(longer)))
    first.refresh_from_db()
    assert first.closes_at == longer.replace(second=0, microsecond=0)


def test_the_last_of_two_organizers_overwrites_nothing(cast, oscar):
    old = filled(cast.contest)
    oscar.post(URL, old | {"attack-tries": 4})
    response = oscar.post(URL, old | {"attack-tries": 9}, follow=True)
    assert "Another organizer changed this contest" in said(response)
    assert cast.contest.rounds.get(key="attack").tries == 4


def test_several_problems_are_said_together(cast):
    first, second = map(services.plan_of, cast.contest.rounds.all())
    upside_down = services.RoundPlan("a", first.closes_at, first.opens_at, 1, "exact")
    early = services.RoundPlan("b", first.opens_at - timedelta(days=9), first.opens_at, 1, "exact")
    with pytest.raises(services.ContestRefused) as refusal:
        services.update_rounds(
            actor=cast.oscar,
            contest=cast.contest,
            plans=[
                services.RoundPlan("anonymization", first.closes_at, first.opens_at, 1, "exact"),
                services.RoundPlan("attack", early.opens_at, early.closes_at, 1, "exact"),
            ],
        )
    assert len(refusal.value.messages) == 2
    assert len(services.round_problems([("A", upside_down), ("B", early)])) == 2
    assert services.round_problems([("A", first), ("B", second)]) == []


# At once


def press(client, key, action, contest, **more):
    url = reverse(f"organize-round-{action}", args=["cup", key])
    version = Contest.objects.get(pk=contest.pk).version
    return client.post(url, {"version": version} | more, follow=True)


def test_closing_one_round_and_opening_the_next(cast, oscar):
    first, second = cast.contest.rounds.all()
    assert "has not closed yet. Close it first" in said(
        press(oscar, "attack", "open", cast.contest)
    )
    asks = oscar.get("/organize/cup/rounds/").content.decode()
    (question,) = re.findall(r'data-confirm="(Close “.*?)"', asks)
    assert "No more submissions will be accepted. “Attack round” opens at " in question
    closed = said(press(oscar, "anonymization", "close", cast.contest))
    assert re.fullmatch(
        r"The round is closed\. “Attack round” opens at .* press “Open now”.*", closed
    )
    first.refresh_from_db()
    assert first.has_closed(timezone.now())
    assert said(press(oscar, "attack", "open", cast.contest)) == "The round is open."
    second.refresh_from_db()
    assert second.is_open(timezone.now())
    kinds = list(Event.objects.values_list("kind", "subject"))
    assert kinds == [("contest.round_closed", "anonymization"), ("contest.round_opened", "attack")]


@pytest.mark.parametrize("keeps_end", [False, True])
def test_a_round_that_is_opened_early_keeps_its_length_or_its_end(keeps_end, cast, oscar):
    first, second = cast.contest.rounds.all()
    opens_at, closes_at = timezone.now() + timedelta(days=7), timezone.now() + timedelta(days=8)
    for round in (first, second):  # 15 minutes each, a week from now, a day apart
        round.opens_at, round.closes_at = opens_at, opens_at + timedelta(minutes=15)
        round.save()
        opens_at, closes_at = closes_at, closes_at + timedelta(minutes=15)
    planned = services.plan_of(second)
    more = {"keeps_end": "1"} if keeps_end else {}
    assert said(press(oscar, "anonymization", "open", cast.contest, **more)) == "The round is open."
    early, later = cast.contest.rounds.all()
    by = early.opens_at - first.opens_at
    assert early.is_open(timezone.now())
    if keeps_end:
        assert early.closes_at == first.closes_at
        assert services.plan_of(later) == planned
        assert "moved" not in Event.objects.get().data
    else:
        assert early.closes_at - early.opens_at == timedelta(minutes=15)
        assert later.opens_at - planned.opens_at == later.closes_at - planned.closes_at == by
        assert Event.objects.get().data["moved"]["attack"].keys() == {"opens_at", "closes_at"}


# The whole chain


def planned(contest, *, weeks=1):
    """Rounds of 15 minutes with pauses of five, some weeks from now; the contest is frozen in the last one."""
    opens_at = timezone.now() + timedelta(weeks=weeks)
    for round in contest.rounds.all():
        pipeline.move(round, opens_at, opens_at + timedelta(minutes=15))
        opens_at += timedelta(minutes=20)
    Contest.objects.filter(pk=contest.pk).update(frozen_at=opens_at - timedelta(minutes=10))
    return list(contest.rounds.all())


@pytest.mark.parametrize("weeks", [1, -1])
def test_a_lesson_starts_now_with_its_lengths_and_pauses(weeks, cast, oscar):
    before = planned(cast.contest, weeks=weeks)
    start = reverse("organize-start", args=["cup"])
    assert start in oscar.get(URL).text
    assert "If started now" in oscar.get(start).text
    assert list(cast.contest.rounds.all()) == before
    version = Contest.objects.get(pk=cast.contest.pk).version
    response = oscar.post(start, {"version": version}, follow=True)
    assert said(response) == "The lesson has started."
    first, second = cast.contest.rounds.all()
    assert first.is_open(timezone.now())
    by = first.opens_at - before[0].opens_at
    assert [(r.opens_at, r.closes_at) for r in (first, second)] == [
        (r.opens_at + by, r.closes_at + by) for r in before
    ]
    event = Event.objects.get()
    assert event.kind == "contest.rounds_started"
    assert event.data["moved"].keys() == {"anonymization", "attack"}
    if weeks > 0:  # a freeze that is past stays
        frozen_at = Contest.objects.get(pk=cast.contest.pk).frozen_at
        assert frozen_at - second.opens_at == timedelta(minutes=10)


def test_a_lesson_is_not_started_over_what_was_submitted_nor_as_a_draft(cast, oscar):
    start = reverse("organize-start", args=["cup"])
    first = cast.contest.rounds.get(key="anonymization")
    Submission.objects.create(
        round=first, team=cast.red, number=1, arrived_at=timezone.now(), submitted_by=cast.alice
    )
    assert start not in oscar.get(URL).text
    assert "has begun: its opening" in said(oscar.post(start, follow=True))
    Submission.objects.all().delete()
    Contest.objects.update(is_published=False)
    assert "Publish it, then start" in said(oscar.post(start, follow=True))
    assert not Event.objects.exists()


def test_a_round_that_is_opened_early_moves_the_freeze_with_it(cast, oscar):
    _first, last = planned(cast.contest)
    frozen_at = Contest.objects.get(pk=cast.contest.pk).frozen_at
    press(oscar, "anonymization", "open", cast.contest)
    by = cast.contest.rounds.get(key="attack").opens_at - last.opens_at
    assert Contest.objects.get(pk=cast.contest.pk).frozen_at == frozen_at + by


@pytest.mark.parametrize(
    ("key", "action", "words"),
    [
        ("anonymization", "open", "has opened already"),
        ("attack", "close", "is not open"),
    ],
)
def test_what_is_open_is_not_opened_nor_what_is_closed_closed(cast, oscar, key, action, words):
    assert words in said(press(oscar, key, action, cast.contest))
    assert not Event.objects.exists()


def test_a_button_on_an_old_page_does_nothing(cast, oscar):
    old = cast.contest.version
    oscar.post(URL, filled(cast.contest, attack__tries=4))
    url = reverse("organize-round-close", args=["cup", "anonymization"])
    assert "Another organizer" in said(oscar.post(url, {"version": old}, follow=True))
    assert cast.contest.rounds.get(key="anonymization").is_open(timezone.now())


def test_a_round_that_is_none_is_not_found(cast, oscar):
    url = reverse("organize-round-open", args=["cup", "final"])
    assert oscar.post(url).status_code == 404


def test_the_page_offers_what_can_be_done(cast, oscar):
    page = oscar.get(URL).content.decode()
    assert reverse("organize-round-close", args=["cup", "anonymization"]) in page
    assert reverse("organize-round-open", args=["cup", "attack"]) in page
    assert reverse("organize-round-open", args=["cup", "anonymization"]) not in page
    assert "All times are in Japan Standard Time (JST)." in page
    factories.make_contest(slug="over", phase="after", organizer=cast.oscar)
    assert "Open now" not in oscar.get("/organize/over/rounds/").content.decode()


def test_twelve_rounds_are_set_in_one_form(cast, oscar):
    """A format may have as many rounds as it likes; each keeps its place, its tries and its dates."""
    first, second = (round.kind for round in cast.contest.rounds.all())
    text = cast.contest.ruleset.text
    head, *blocks = re.split(r"(?m)^(?=\[\[round\]\])", text)
    last, rest = re.split(r"(?m)^(?=\[(?!\[?round))", blocks[-1], maxsplit=1)
    blocks[-1] = last
    many = [block.replace('key = "', f'key = "n{n}-', 1) for n in range(6) for block in blocks]
    Contest.objects.filter(pk=cast.contest.pk).update(ruleset_text=head + "".join(many) + rest)
    cast.contest.rounds.all().delete()
    contest = Contest.objects.get(pk=cast.contest.pk)
    plans = services.suggested_rounds(contest.ruleset, timezone.now(), contest.tz)
    for position, plan in enumerate(plans):
        kind = (first, second)[position % 2]
        contest.rounds.create(position=position, kind=kind, **asdict(plan))
    assert contest.rounds.count() == 12
    later = {f"{plan.key}-tries": position + 1 for position, plan in enumerate(plans)}
    response = oscar.post(URL, filled(contest) | later, follow=True)
    assert said(response) == "Saved."
    assert list(contest.rounds.values_list("tries", flat=True)) == list(range(1, 13))


def test_a_round_of_a_draft_opens_when_it_is_published(oscar, draft):
    draft.rounds.filter(position=0).update(opens_at=timezone.now() - timedelta(minutes=5))
    for page in ("", "rounds/", "clock/"):
        text = oscar.get(f"/organize/{draft.slug}/{page}").content.decode()
        assert "opens when you publish" in text
        assert "Close now" not in text
