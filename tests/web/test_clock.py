# SPDX-License-Identifier: Apache-2.0
"""The clock of a contest: pauses, longer rounds, rounds opened again, and outages that do not count."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.urls import reverse
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from pwscup.accounts.models import User
from pwscup.contests import guidance, services
from pwscup.contests.forms import clock_forms
from pwscup.contests.models import Contest, Interruption, Round
from pwscup.core.models import Event
from pwscup.submissions import releases
from pwscup.submissions.services import SubmissionRefused
from scoring.rulesets import load_ruleset
from tests import factories
from tests.every import examples
from tests.web import pipeline

HOUR = timedelta(hours=1)
NOON = datetime(2031, 7, 1, 12, 0, tzinfo=UTC)
KEYS = ("anonymization", "attack")


def contest_at(first: datetime, *, length: timedelta = 4 * HOUR, zone: str = "UTC") -> Contest:
    """A contest of two rounds of four hours with an hour between them, the first from `first` on."""
    rules = load_ruleset("pwscup2015")
    contest = Contest.objects.create(
        slug="clock", title="Clock", timezone=zone, ruleset_text=rules.text, is_published=True
    )
    for position, spec in enumerate(rules.rounds):
        opens_at = first + position * (length + HOUR)
        Round.objects.create(
            contest=contest,
            key=spec.key,
            kind=spec.kind,
            position=position,
            opens_at=opens_at,
            closes_at=opens_at + length,
            tries=3,
            feedback="exact",
        )
    return contest


def dates(contest: Contest) -> dict[str, tuple[datetime, datetime]]:
    return {r.key: (r.opens_at, r.closes_at) for r in Round.objects.filter(contest=contest)}


def shifted(before: dict, by: timedelta, *names: str) -> dict:
    """The dates with some of them, such as "attack.opens_at", moved."""
    return {
        key: tuple(
            moment + (by if f"{key}.{name}" in names else timedelta())
            for name, moment in zip(("opens_at", "closes_at"), pair, strict=True)
        )
        for key, pair in before.items()
    }


LATER = ("anonymization.closes_at", "attack.opens_at", "attack.closes_at")


@pytest.fixture
def people(db):
    return factories.make_user("oscar", is_organizer=True)


@pytest.fixture
def contest(people) -> Contest:
    """Its first round is open from 10:00 to 14:00, the second from 15:00 to 19:00; now is noon."""
    made = contest_at(NOON - 2 * HOUR)
    made.organizers.add(people)
    return made


def why(refused: Any) -> str:
    return str(refused.value)


# Pause and resume


def test_while_the_clock_stands_still_nothing_opens_or_closes(people, contest):
    services.pause(actor=people, contest=contest, reason="Flood.", now=NOON)
    first, second = Round.objects.filter(contest=contest)
    tomorrow = NOON + 24 * HOUR
    assert not first.is_open(NOON)
    assert not first.is_open(tomorrow)
    assert not first.has_closed(tomorrow)
    assert not second.has_opened(tomorrow)
    assert [moment.state for moment in guidance.timeline([first, second], tomorrow)] == [
        "paused",
        "upcoming",
    ]
    assert guidance.next_boundary([first, second], tomorrow) is None


def test_after_a_pause_every_later_date_has_moved_by_its_length(people, contest):
    before = dates(contest)
    services.pause(actor=people, contest=contest, reason="Flood.", now=NOON)
    services.resume(actor=people, contest=contest, now=NOON + 90 * HOUR / 60)
    assert dates(contest) == shifted(before, 1.5 * HOUR, *LATER)
    pause = Interruption.objects.get()
    assert (pause.kind, pause.started_at, pause.ended_at) == ("pause", NOON, NOON + 1.5 * HOUR)
    assert Contest.objects.get().paused_at is None
    told = Event.objects.filter(kind__startswith="contest.").order_by("id")
    assert [(e.kind, e.subject) for e in told] == [
        ("contest.round_paused", "anonymization"),
        ("contest.round_resumed", "anonymization"),
    ]
    moved = told[1].data["moved"]
    assert moved["attack"]["opens_at"] == [
        "2031-07-01T15:00:00+00:00",
        "2031-07-01T16:30:00+00:00",
    ]
    assert told[1].data["reason"] == "Flood."


def test_a_date_at_the_very_start_of_the_pause_has_passed(people, contest):
    closing = contest.rounds.get(key="anonymization").closes_at
    services.pause(actor=people, contest=contest, reason="Flood.", now=closing)
    assert contest.rounds.get(key="anonymization").has_closed(closing)
    services.resume(actor=people, contest=contest, now=closing + 5 * HOUR)
    assert contest.rounds.get(key="anonymization").closes_at == closing


def test_a_freeze_to_come_moves_and_one_that_holds_stays(people, contest):
    for frozen_at, expected in ((NOON + 3 * HOUR, 5 * HOUR), (NOON - HOUR, -HOUR), (None, None)):
        Contest.objects.update(frozen_at=frozen_at)
        services.pause(actor=people, contest=contest, reason="Flood.", now=NOON)
        services.resume(actor=people, contest=contest, now=NOON + 2 * HOUR)
        found = Contest.objects.get().frozen_at
        assert found == (None if expected is None else NOON + expected)


def test_a_freeze_that_was_set_in_the_pause_holds(people, contest):
    services.pause(actor=people, contest=contest, reason="Flood.", now=NOON)
    Contest.objects.update(frozen_at=NOON + HOUR)
    services.resume(actor=people, contest=contest, now=NOON + 2 * HOUR)
    assert Contest.objects.get().frozen_at == NOON + HOUR


def test_a_paused_contest_is_not_paused_again_nor_one_that_runs_resumed(people, contest):
    with pytest.raises(services.ContestRefused) as refused:
        services.resume(actor=people, contest=contest, now=NOON)
    assert "is not paused" in why(refused)
    services.pause(actor=people, contest=contest, reason="Flood.", now=NOON)
    with pytest.raises(services.ContestRefused) as refused:
        services.pause(actor=people, contest=contest, reason="Fire.", now=NOON + HOUR)
    assert "paused already" in why(refused)
    for change in (services.open_round_now, services.close_round_now):
        with pytest.raises(services.ContestRefused, match="Resume it first"):
            change(actor=people, contest=contest, key="attack", now=NOON + HOUR)
    assert Event.objects.count() == 1


def test_a_contest_that_is_over_is_not_paused(people, contest):
    with pytest.raises(services.ContestRefused, match="nothing to pause"):
        services.pause(actor=people, contest=contest, reason="Flood.", now=NOON + 99 * HOUR)


@pytest.mark.parametrize(("reason", "words"), [("  ", "Give a reason"), ("x" * 501, "501 char")])
def test_a_change_of_the_clock_has_a_reason(people, contest, reason, words):
    with pytest.raises(services.ContestRefused, match=words):
        services.pause(actor=people, contest=contest, reason=reason, now=NOON)
    assert not Interruption.objects.exists()


def test_an_upload_that_began_before_the_pause_counts(cast, sent, round):
    before = timezone.now()
    services.pause(actor=cast.oscar, contest=cast.contest, reason="Flood.")
    round = cast.contest.rounds.get(key="anonymization")
    taken = pipeline.hand_in(cast.alice, cast.red, round, arrived_at=before)
    assert taken.state == "waiting"
    with pytest.raises(SubmissionRefused) as refused:
        pipeline.hand_in(cast.alice, cast.red, round)
    assert refused.value.code == "contest.paused"
    services.resume(actor=cast.oscar, contest=cast.contest)
    assert pipeline.hand_in(cast.alice, cast.red, cast.contest.rounds.get(key=round.key))


def test_nothing_is_published_in_a_pause(cast, sent, round):
    pipeline.scored(pipeline.hand_in(cast.alice, cast.red, round))
    services.pause(actor=cast.oscar, contest=cast.contest, reason="Flood.")
    later = timezone.now() + 99 * 24 * HOUR
    assert releases.publish_due(later) == 0
    services.resume(actor=cast.oscar, contest=cast.contest)
    assert releases.publish_due(later) == 1


# Longer rounds


def test_a_round_is_extended_where_there_is_room(people, contest):
    before = dates(contest)
    services.extend_round(
        actor=people, contest=contest, key="anonymization", by=HOUR, reason="Heat.", now=NOON
    )
    assert dates(contest) == shifted(before, HOUR, "anonymization.closes_at")
    event = Event.objects.get()
    assert (event.kind, event.subject) == ("contest.round_extended", "anonymization")
    assert event.data["reason"] == "Heat."
    assert list(event.data["moved"]) == ["anonymization"]


def test_without_room_the_organizer_chooses(people, contest):
    before = dates(contest)
    until = NOON + 3.5 * HOUR
    given = {"actor": people, "contest": contest, "key": "anonymization", "until": until}
    with pytest.raises(services.ContestRefused) as refused:
        services.extend_round(**given, reason="Heat.", now=NOON)
    assert "“Attack round” opens at 2031-07-01 15:00 UTC" in why(refused)
    assert "Move the later rounds too" in why(refused)
    assert dates(contest) == before
    services.extend_round(**given, moves_later=True, reason="Heat.", now=NOON)
    assert dates(contest) == shifted(before, 1.5 * HOUR, *LATER)


@pytest.mark.parametrize("until", [NOON, NOON + 2 * HOUR])
def test_an_extension_shortens_nothing(people, contest, until):
    with pytest.raises(services.ContestRefused, match="Choose a later time"):
        services.extend_round(
            actor=people, contest=contest, key="anonymization", until=until, reason="H", now=NOON
        )


def test_a_closed_round_is_opened_again_and_not_extended(people, contest):
    now = NOON + 2.5 * HOUR
    given = {"actor": people, "contest": contest, "key": "anonymization", "reason": "Storm."}
    with pytest.raises(services.ContestRefused, match="Open it again instead"):
        services.extend_round(**given, by=HOUR, now=now)
    services.reopen_round(**given, by=HOUR / 4, now=now)
    round = contest.rounds.get(key="anonymization")
    assert round.is_open(now)
    assert round.closes_at == now + HOUR / 4
    assert Event.objects.get().kind == "contest.round_reopened"
    with pytest.raises(services.ContestRefused, match="Extend it instead"):
        services.reopen_round(**given, by=HOUR, now=now)


def test_a_round_that_is_opened_again_moves_the_later_ones_if_asked(people, contest):
    now, before = NOON + 2.5 * HOUR, dates(contest)
    given = {"actor": people, "contest": contest, "key": "anonymization", "reason": "Storm."}
    with pytest.raises(services.ContestRefused, match="there is no room"):
        services.reopen_round(**given, until=NOON + 4 * HOUR, now=now)
    services.reopen_round(**given, until=NOON + 4 * HOUR, moves_later=True, now=now)
    assert dates(contest) == shifted(before, 2 * HOUR, *LATER)


def test_a_round_whose_tables_are_out_stays_closed(cast, sent, round):
    pipeline.scored(pipeline.hand_in(cast.alice, cast.red, round))
    pipeline.publish(cast.contest)
    given = {"actor": cast.oscar, "contest": cast.contest, "key": "anonymization"}
    before = dates(cast.contest)
    with pytest.raises(services.ContestRefused, match="its tables are published"):
        services.reopen_round(**given, by=HOUR, moves_later=True, reason="Storm.")
    plans = [services.plan_of(one) for one in cast.contest.rounds.all()]
    late = services.RoundPlan("anonymization", plans[0].opens_at, timezone.now() + HOUR, 3, "exact")
    with pytest.raises(services.ContestRefused, match="its tables are published"):
        services.update_rounds(actor=cast.oscar, contest=cast.contest, plans=[late])
    assert dates(cast.contest) == before


def test_a_round_whose_results_were_revealed_stays_closed(people, contest):
    Event.objects.create(kind="contest.board_revealed", contest_id=contest.pk, at=NOON + 20 * HOUR)
    with pytest.raises(services.ContestRefused, match="its results were published"):
        services.reopen_round(
            actor=people, contest=contest, key="attack", by=HOUR, reason="S", now=NOON + 21 * HOUR
        )


def test_a_round_whose_results_a_ceremony_shows_stays_closed(people, contest):
    now = NOON + 21 * HOUR
    given = {"actor": people, "contest": contest, "key": "attack", "by": HOUR, "reason": "S"}
    ceremony = contest.ceremonies.create(
        direction="lower", places=[{}], frozen=[], started_at=NOON + 20 * HOUR, step=1
    )
    with pytest.raises(services.ContestRefused, match="its results were published"):
        services.reopen_round(**given, now=now)
    ceremony.started_at = NOON  # of the rounds before
    ceremony.save()
    services.reopen_round(**given, now=now)


# Outages


def outage(people, contest, start, end, now, **changes):
    given = {"started_at": start, "ended_at": end, "reason": "No power."} | changes
    return services.record_outage(actor=people, contest=contest, now=now, **given)


def test_an_outage_moves_what_is_still_to_come(people, contest):
    before = dates(contest)
    outage(people, contest, NOON - HOUR, NOON - HOUR / 2, NOON)
    assert dates(contest) == shifted(before, HOUR / 2, *LATER)
    event = Event.objects.get()
    assert (event.kind, event.subject) == ("contest.outage_recorded", "clock")
    assert event.data["started_at"] == "2031-07-01T11:00:00+00:00"


def test_a_round_that_closed_in_the_outage_opens_again(people, contest):
    before, now = dates(contest), NOON + 2.5 * HOUR  # it closed half an hour ago
    outage(people, contest, NOON + HOUR, NOON + 2.25 * HOUR, now)
    assert dates(contest) == shifted(before, 1.25 * HOUR, *LATER)
    assert contest.rounds.get(key="anonymization").is_open(now)


def test_an_opening_that_has_happened_stays_where_it_hinders_nothing(people, contest):
    before, now = dates(contest), NOON + 4 * HOUR  # the second round is open since 15:00
    outage(people, contest, NOON + 2.5 * HOUR, NOON + 3.5 * HOUR, now)
    assert dates(contest) == shifted(before, HOUR, "attack.closes_at")


def test_a_round_with_files_keeps_a_round_before_it_closed(people, contest):
    attack = contest.rounds.get(key="attack")
    factories.make_team(contest, "Red")
    attack.submissions.create(team=contest.teams.get(), number=1, arrived_at=NOON)
    before = dates(contest)
    with pytest.raises(services.ContestRefused) as refused:
        outage(people, contest, NOON + HOUR, NOON + 3 * HOUR, NOON + 3.75 * HOUR)
    assert "“Attack round” has begun, and the round before it would be open again." in why(refused)
    assert "Extend “Attack round” instead." in why(refused)
    assert dates(contest) == before


def test_published_tables_are_named_with_what_to_do(cast, sent, round):
    pipeline.scored(pipeline.hand_in(cast.alice, cast.red, round))
    pipeline.publish(cast.contest)  # the attack is open; the round before closed two hours ago
    now = timezone.now()
    with pytest.raises(services.ContestRefused) as refused:
        outage(cast.oscar, cast.contest, now - 3 * HOUR, now - HOUR / 2, now)
    assert "cannot be opened again, because its tables or results are public" in why(refused)
    assert "Record only what lies after that" in why(refused)
    before = dates(cast.contest)
    outage(cast.oscar, cast.contest, now - HOUR / 2, now - HOUR / 4, now)
    assert dates(cast.contest) == shifted(before, HOUR / 4, "attack.closes_at")


def test_an_outage_that_is_too_long_ago_says_what_to_do(people, contest):
    with pytest.raises(services.ContestRefused, match="Open it again first, then record"):
        outage(people, contest, NOON, NOON + HOUR / 2, NOON + 2.75 * HOUR)


@pytest.mark.parametrize(
    ("start", "end", "words"),
    [
        (NOON - HOUR, NOON - HOUR, "ends before it starts"),
        (NOON - HOUR, NOON - 2 * HOUR, "ends before it starts"),
        (NOON - HOUR, NOON + HOUR, "If it continues, leave its end empty"),
        (NOON + HOUR, None, "recorded after it has happened"),
        (NOON - 3 * HOUR, NOON - HOUR, "does not lie within the contest"),
    ],
)
def test_an_outage_lies_within_the_contest_and_in_the_past(people, contest, start, end, words):
    before = dates(contest)
    with pytest.raises(services.ContestRefused, match=words):
        outage(people, contest, start, end, NOON)
    assert dates(contest) == before
    assert not Interruption.objects.exists()


@pytest.mark.parametrize(
    ("start", "end", "is_free"),
    [
        (NOON - 1.5 * HOUR, NOON - HOUR, True),
        (NOON - 1.5 * HOUR, NOON - 0.9 * HOUR, False),
        (NOON - 0.9 * HOUR, NOON - 0.8 * HOUR, False),
        (NOON - 0.9 * HOUR, NOON - 0.1 * HOUR, False),
        (NOON - 1.5 * HOUR, NOON - 0.1 * HOUR, False),
        (NOON - HOUR / 2, NOON - 0.1 * HOUR, True),
        (NOON - 1.5 * HOUR, None, False),
        (NOON - HOUR / 2, None, True),
    ],
)
def test_no_time_is_given_back_twice(people, contest, start, end, is_free):
    outage(people, contest, NOON - HOUR, NOON - HOUR / 2, NOON)
    if is_free:
        outage(people, contest, start, end, NOON)
        assert Interruption.objects.count() == 2
        return
    before = dates(contest)
    with pytest.raises(services.ContestRefused, match=r"does not count already \(No power\.\)"):
        outage(people, contest, start, end, NOON)
    assert dates(contest) == before


def test_an_outage_that_lasts_pauses_the_contest_since_its_start(people, contest):
    before = dates(contest)
    now = NOON + 2.5 * HOUR  # the first round has closed meanwhile
    outage(people, contest, NOON + HOUR, None, now)
    assert dates(contest) == before
    assert Contest.objects.get().paused_at == NOON + HOUR
    assert not contest.rounds.get(key="anonymization").has_closed(now)
    services.resume(actor=people, contest=contest, now=NOON + 3 * HOUR)
    assert dates(contest) == shifted(before, 2 * HOUR, *LATER)
    assert Interruption.objects.get().ended_at == NOON + 3 * HOUR


def test_several_problems_of_an_outage_are_said_together(people, contest):
    with pytest.raises(services.ContestRefused) as refused:
        outage(people, contest, NOON - 9 * HOUR, NOON - 10 * HOUR, NOON)
    assert len(refused.value.messages) == 2


# The clock of the zone


def test_a_pause_over_a_change_of_the_clock_lasts_as_long_as_it_lasted(people, db):
    paris = ZoneInfo("Europe/Paris")
    start = datetime(2031, 3, 29, 21, 0, tzinfo=UTC)
    contest = contest_at(start, length=24 * HOUR, zone="Europe/Paris")
    pause, end = (datetime(2031, 3, 30, hour, 30, tzinfo=paris) for hour in (1, 4))
    services.pause(actor=people, contest=contest, reason="Flood.", now=pause.astimezone(UTC))
    services.resume(actor=people, contest=contest, now=end.astimezone(UTC))
    closing = contest.rounds.get(key="anonymization").closes_at.astimezone(paris)
    assert closing.isoformat() == "2031-03-31T01:00:00+02:00"
    (shown,) = guidance.interruptions(contest, end)
    assert shown.length == "2 hours"


@pytest.mark.parametrize(
    ("minutes", "words"),
    [(0, "less than a minute"), (1, "1 minute"), (60, "1 hour"), (1501, "1 day 1 hour 1 minute")],
)
def test_lengths_are_said_in_words(minutes, words):
    assert guidance.length_text(timedelta(minutes=minutes)) == words


# The pages


def post(client, contest, name, key=None, **values):
    """Press a button of the clock's page as it stands."""
    contest.refresh_from_db()
    arguments = [contest.slug] if key is None else [contest.slug, key]
    prefix = {"organize-pause": "pause", "organize-resume": "resume", "organize-outage": "outage"}
    start = prefix.get(name, f"round-{key}")
    data = {"version": contest.version} | values
    data = {f"{start}-{field}": value for field, value in data.items()}
    return client.post(reverse(name, args=arguments), data, follow=True)


def said(response) -> str:
    return " ".join(str(message) for message in response.context["messages"])


def test_pause_and_resume_through_the_page(cast, oscar, as_user):
    assert "is paused" in said(post(oscar, cast.contest, "organize-pause", reason="Flood."))
    page = as_user(cast.alice).get("/c/cup/").content.decode()
    assert "The contest has been paused since" in page
    assert "Flood." in page
    assert "paused" in as_user(None).get("/").content.decode()
    assert "Resume" in oscar.get("/organize/cup/clock/").content.decode()
    assert "continues" in said(post(oscar, cast.contest, "organize-resume", reason=""))
    page = as_user(None).get("/c/cup/").content.decode()
    assert "Excluded time" in page
    assert "Flood." in page


def test_the_round_page_names_the_reason_of_a_pause(cast, as_user, round):
    page = reverse("round", args=["cup", round.key])
    assert "Reason of the pause" not in as_user(cast.alice).get(page).content.decode()
    services.pause(actor=cast.oscar, contest=cast.contest, reason="Flood in the hall.")
    assert (
        "Reason of the pause: Flood in the hall." in as_user(cast.alice).get(page).content.decode()
    )


def test_extending_and_opening_again_through_the_page(cast, oscar):
    before = dates(cast.contest)
    key = "anonymization"
    done = post(oscar, cast.contest, "organize-round-extend", key, hours=1, minutes=30, reason="H")
    assert said(done) == "The round is extended."
    assert dates(cast.contest) == shifted(before, 1.5 * HOUR, "anonymization.closes_at")
    pipeline.close(cast.contest.rounds.get(key=key))
    done = post(oscar, cast.contest, "organize-round-reopen", key, hours=2, reason="Storm.")
    assert said(done) == "The round is open again."
    assert cast.contest.rounds.get(key=key).is_open(timezone.now())


@pytest.mark.parametrize(("gap", "is_ticked"), [(timedelta(), True), (HOUR, False)])
def test_later_rounds_move_by_default_where_they_leave_no_room(cast, oscar, gap, is_ticked):
    first, second = cast.contest.rounds.all()
    second.opens_at = first.closes_at + gap
    second.save(update_fields=["opens_at"])
    shown = oscar.get("/organize/cup/clock/").context["rows"]
    assert [row["form"]["moves_later"].value() for row in shown] == [is_ticked, False]


def test_a_refused_extension_comes_back_open_with_what_was_typed(cast, oscar):
    before = dates(cast.contest)
    typed = {"hours": 99, "reason": "Heat in the hall."}
    refused = post(oscar, cast.contest, "organize-round-extend", "anonymization", **typed)
    assert refused.status_code == 422
    form = refused.context["rows"][0]["form"]
    assert (form["hours"].value(), form["reason"].value()) == ("99", "Heat in the hall.")
    page = refused.content.decode()
    (opened,) = [part for part in page.split("<details")[1:] if "Heat in the hall." in part]
    assert " open>" in opened.partition("<summary")[0]
    assert "so there is no room" in opened.partition("</details>")[0]
    assert dates(cast.contest) == before
    again = {"round-anonymization-version": form["version"].value()}
    again |= {f"round-anonymization-{name}": value for name, value in typed.items()}
    again["round-anonymization-moves_later"] = "on"
    url = reverse("organize-round-extend", args=["cup", "anonymization"])
    assert said(oscar.post(url, again, follow=True)) == "The round is extended."


def test_a_button_extends_by_an_hour_or_a_day(cast, oscar):
    before = dates(cast.contest)
    key = "anonymization"
    for plus in (1, 24):
        given = {"plus": plus, "moves_later": "on", "reason": "Heat."}
        assert said(post(oscar, cast.contest, "organize-round-extend", key, **given)) == (
            "The round is extended."
        )
    assert dates(cast.contest) == shifted(before, 25 * HOUR, *LATER)
    odd = post(oscar, cast.contest, "organize-round-extend", key, plus=7, reason="Heat.")
    assert odd.status_code == 422


@pytest.mark.parametrize(
    "values",
    [
        {"reason": "H"},
        {"hours": 1, "until": "2090-01-01T10:00", "reason": "H"},
        {"hours": -1, "reason": "H"},
        {"hours": "many", "reason": "H"},
        {"hours": 1, "reason": " "},
        {"until": "soon", "reason": "H"},
    ],
)
def test_a_form_that_cannot_be_read_comes_back(cast, oscar, values):
    before = dates(cast.contest)
    response = post(oscar, cast.contest, "organize-round-extend", "anonymization", **values)
    assert response.status_code == 422
    assert any(row["form"].errors for row in response.context["rows"])
    assert dates(cast.contest) == before


def test_outages_are_typed_on_the_contests_clock(cast, oscar):
    tokyo = ZoneInfo("Asia/Tokyo")
    now = timezone.now()
    start, end = (f"{(now - ago).astimezone(tokyo):%Y-%m-%dT%H:%M}" for ago in (3 * HOUR, 2 * HOUR))
    before = dates(cast.contest)
    given = {"started_at": start, "ended_at": end, "reason": "No power."}
    assert "is recorded" in said(post(oscar, cast.contest, "organize-outage", **given))
    assert dates(cast.contest) == shifted(before, HOUR, *LATER)
    assert "1 hour" in oscar.get("/organize/cup/clock/").content.decode()
    assert post(oscar, cast.contest, "organize-outage", reason="x").status_code == 422


@pytest.mark.parametrize(
    ("name", "prefix", "values"),
    [
        ("organize-pause", "pause", {}),
        ("organize-outage", "outage", {"started_at": "2020-01-01T10:00"}),
        ("organize-round-extend", "round-attack", {"hours": 1}),
    ],
)
def test_the_last_of_two_organizers_changes_nothing(cast, oscar, name, prefix, values):
    old = cast.contest.version
    services.pause(actor=cast.oscar, contest=cast.contest, reason="First.")
    services.resume(actor=cast.oscar, contest=cast.contest)
    before = dates(cast.contest)
    data = {"version": old, "reason": "Second."} | values
    key = ["attack"] if name.endswith("extend") else []
    response = oscar.post(
        reverse(name, args=["cup", *key]),
        {f"{prefix}-{field}": value for field, value in data.items()},
        follow=True,
    )
    assert "Another organizer changed this contest" in response.content.decode()
    assert dates(cast.contest) == before


def test_a_round_that_is_none_has_no_clock(cast, oscar):
    for action in ("extend", "reopen"):
        url = reverse(f"organize-round-{action}", args=["cup", "final"])
        assert oscar.post(url).status_code == 404


def test_every_form_of_the_page_knows_the_version(cast):
    assert all(form.initial == {"version": 0} for form in clock_forms(cast.contest).values())


# Laws


MINUTES = st.integers(1, 300)
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["pause", "resume", "extend", "move", "reopen", "outage", "lasting"]),
        MINUTES,  # how long after the step before
        MINUTES,  # how long, or how long ago
        MINUTES,
        st.sampled_from(KEYS),
    ),
    max_size=12,
)


def remaining(contest: Contest, now: datetime) -> dict[str, timedelta]:
    """How long each round will still be open."""
    contest = Contest.objects.get(pk=contest.pk)
    clock = contest.clock(now)
    return {
        key: max(timedelta(), closes_at - max(opens_at, clock))
        for key, (opens_at, closes_at) in dates(contest).items()
    }


def step(contest: Contest, user: User, what: str, now: datetime, numbers: tuple) -> bool:
    """Do one thing with the clock; False where it is refused."""
    first, second, key = numbers
    given = {"actor": user, "contest": contest, "now": now, "reason": "Law."}
    minutes = timedelta(minutes=first)
    start = now - timedelta(minutes=first + second)
    try:
        match what:
            case "pause":
                services.pause(**given)
            case "resume":
                services.resume(**given)
            case "extend" | "move":
                services.extend_round(**given, key=key, by=minutes, moves_later=what == "move")
            case "reopen":
                services.reopen_round(**given, key=key, by=minutes, moves_later=True)
            case "outage":
                services.record_outage(**given, started_at=start, ended_at=start + minutes)
            case "lasting":
                services.record_outage(**given, started_at=start)
    except services.ContestRefused:
        return False
    return True


class ClockLaws(TestCase):
    """What holds whatever organizers do with the clock."""

    @settings(max_examples=examples(0.4), suppress_health_check=[HealthCheck.too_slow])
    @given(steps=STEPS)
    def test_rounds_stay_in_order_and_nobody_loses_time(self, steps):
        user = factories.make_user("oscar", is_organizer=True)
        contest, now = contest_at(NOON), NOON
        for what, later, first, second, key in steps:
            now += timedelta(minutes=later)
            before, n_events = remaining(contest, now), Event.objects.count()
            done = step(contest, user, what, now, (first, second, key))
            assert Event.objects.count() == n_events + done
            after = remaining(contest, now)
            assert all(after[key] >= before[key] for key in KEYS)
            found = list(dates(contest).values())
            assert all(opens_at < closes_at for opens_at, closes_at in found)
            assert all(one[1] <= other[0] for one, other in pairwise(found))
            spans = Interruption.objects.filter(contest=contest)
            ends = [(span.started_at, span.ended_at or now) for span in spans]
            assert all(one[1] <= other[0] for one, other in pairwise(sorted(ends)))

    @settings(max_examples=examples(0.25), suppress_health_check=[HealthCheck.too_slow])
    @given(pauses=st.lists(st.tuples(MINUTES, MINUTES), max_size=6))
    def test_pauses_take_no_minute_from_a_round(self, pauses):
        """However often the clock stands still, each round is open for its four hours in the end."""
        user = factories.make_user("oscar", is_organizer=True)
        contest, now = contest_at(NOON), NOON
        spans = []
        for after, length in pauses:
            now += timedelta(minutes=after)
            if step(contest, user, "pause", now, (1, 1, "attack")):
                spans.append((now, now + timedelta(minutes=length)))
                now = spans[-1][1]
                assert step(contest, user, "resume", now, (1, 1, "attack"))
        for opens_at, closes_at in dates(contest).values():
            lost = [min(end, closes_at) - max(start, opens_at) for start, end in spans]
            assert closes_at - opens_at - sum(filter(_positive, lost), timedelta()) == 4 * HOUR


def _positive(length: timedelta) -> bool:
    return length > timedelta()
