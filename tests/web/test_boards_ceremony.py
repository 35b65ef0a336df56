# SPDX-License-Identifier: Apache-2.0
"""The closing ceremony: the final order step by step, and nothing of it before its step."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from pwscup.contests.models import Contest, Division
from pwscup.contests.services import ContestRefused
from pwscup.core.models import Event
from pwscup.core.templatetags.pwscup import machine_time
from pwscup.core.texts.moments import shown_moment
from pwscup.leaderboards.ceremony import services
from pwscup.leaderboards.models import Ceremony
from pwscup.submissions.decisions import rulings
from pwscup.submissions.models import LateAllowance, Ruling, Submission
from tests import factories
from tests.web import board_facts
from tests.web.test_boards_frozen import long_ago

pytestmark = pytest.mark.django_db
HOUR = timedelta(hours=1)


def fresh(contest) -> Contest:
    return Contest.objects.get(pk=contest.pk)


@pytest.fixture
def played(cast):
    """The game of board_facts, over, its attacks hidden by a freeze: Red 1.0, Blue 2.0, Green 2.5."""
    played = board_facts.game(cast.contest)
    long_ago(played)
    Contest.objects.update(frozen_at=played.attack.closes_at - HOUR)
    return played


def begin(cast, **asked) -> Ceremony:
    return services.start(
        actor=cast.oscar, contest=fresh(cast.contest), **{"stage": "contest", **asked}
    )


def press(client: Client, ceremony: Ceremony, to: str, step: int, **headers):
    address = reverse("organize-ceremony-move", args=[ceremony.contest.slug])
    data = {"ceremony": ceremony.pk, "step": step, "to": to}
    return client.post(address, data, headers=headers or None)


def revealed(client: Client, contest) -> list[tuple[int | None, list[str]]]:
    """The places that a reader of the public page sees."""
    shown = client.get(reverse("ceremony", args=[contest.slug])).context.get("revealed", [])
    return [(place["rank"], [row["name"] for row in place["rows"]]) for place in shown]


def test_places_are_revealed_from_the_last_one_up(cast, played, oscar, as_user):
    ceremony = begin(cast)
    visitor = as_user(None)
    page = visitor.get(reverse("ceremony", args=[cast.contest.slug]))
    assert page.context["n_steps"] == 3
    assert [row["name"] for row in page.context["waiting"]] == ["Green", "Blue", "Red"]
    seen = [revealed(visitor, cast.contest)]
    for step in range(3):
        assert press(oscar, ceremony, "next", step).status_code == 302
        seen.append(revealed(visitor, cast.contest))
    assert seen == [
        [],
        [(3, ["Green"])],
        [(2, ["Blue"]), (3, ["Green"])],
        [(1, ["Red"]), (2, ["Blue"]), (3, ["Green"])],
    ]


def test_the_public_answers_hold_only_what_is_revealed(cast, played, oscar, as_user):
    """Totals are made up by the test, so that they can be looked for anywhere in an answer."""
    ceremony = begin(cast)
    secret = {"Red": 81.25, "Blue": 72.5, "Green": 63.75}
    for place in ceremony.places:
        for row in place["rows"]:
            row["total"] = secret[row["name"]]
    ceremony.save()
    order = ["Green", "Blue", "Red"]
    for step in range(4):
        for user in (None, cast.eve, cast.alice, cast.oscar):
            client = as_user(user)
            for name in ("ceremony", "ceremony-fragment", "board", "board-fragment", "contest"):
                body = client.get(reverse(name, args=[cast.contest.slug])).content.decode()
                shown = {team for team, total in secret.items() if f"{total:.2f}" in body}
                expected = set(order[:step]) if "ceremony" in name else set()
                assert shown == expected, (name, step)
        stage = oscar.get(reverse("organize-ceremony", args=[cast.contest.slug])).content.decode()
        assert {t for t, total in secret.items() if f"{total:.2f}" in stage} == set(order[:step])
        press(oscar, ceremony, "next", step)


def test_the_order_of_the_hidden_places_is_not_told(cast, played, oscar, as_user):
    """Whoever would win, an answer before the last step is the same byte for byte."""
    ceremony = begin(cast)
    press(oscar, ceremony, "next", 0)
    address = reverse("ceremony-fragment", args=[cast.contest.slug])
    visitor = as_user(None)
    before = visitor.get(address)
    ceremony.refresh_from_db()
    first, second = ceremony.places[1:]
    first["rows"], second["rows"] = second["rows"], first["rows"]
    ceremony.save()
    after = visitor.get(address)
    assert (after.content, after["ETag"]) == (before.content, before["ETag"])


def test_a_team_without_a_place_is_told_first(cast, played, oscar):
    factories.make_team(cast.contest, "Idle")
    ceremony = begin(cast)
    names = [(p["rank"], [row["name"] for row in p["rows"]]) for p in ceremony.places]
    assert names == [(None, ["Idle"]), (3, ["Green"]), (2, ["Blue"]), (1, ["Red"])]
    press(oscar, ceremony, "next", 0)
    page = oscar.get(reverse("ceremony", args=[cast.contest.slug])).content.decode()
    assert "did not take part" in page


def test_the_ceremony_of_a_contest_of_one_stage_has_no_name_but_the_contest_s(cast, played, oscar):
    begin(cast)
    page = oscar.get(reverse("ceremony", args=[cast.contest.slug])).content.decode()
    assert '<p class="ceremony-scope"> <span' in page
    body = page[page.index("<body") :]
    assert body.count(cast.contest.title) == 1
    assert "Season" not in page


def test_ties_share_a_step():
    made = services._places(
        [
            {"rank": 1, "name": "A", "team": 1, "house": False, "total": 9},
            {"rank": 2, "name": "C", "team": 3, "house": False, "total": 5},
            {"rank": 2, "name": "B", "team": 2, "house": False, "total": 5},
            {"rank": None, "name": "D", "team": 4, "house": False, "total": None},
        ]
    )
    assert [(p["rank"], [row["name"] for row in p["rows"]]) for p in made] == [
        (None, ["D"]),
        (2, ["B", "C"]),
        (1, ["A"]),
    ]


# Buttons


def test_a_button_pressed_twice_or_by_two_skips_no_place(cast, played, oscar):
    ceremony = begin(cast)
    helper = factories.make_user("helper")
    cast.contest.organizers.add(helper)
    other = Client()
    other.force_login(helper)
    for client in (oscar, oscar, other):
        press(client, ceremony, "next", 0)
    ceremony.refresh_from_db()
    assert ceremony.step == 1
    press(other, ceremony, "next", 1)
    press(oscar, ceremony, "back", 1)  # from a page that is older than the other's
    ceremony.refresh_from_db()
    assert ceremony.step == 2
    moves = Event.objects.filter(kind="contest.ceremony_moved")
    assert [(e.actor, e.data["step"]) for e in moves] == [(cast.oscar, [0, 1]), (helper, [1, 2])]


def test_back_all_and_the_ends(cast, played, oscar):
    ceremony = begin(cast)
    for to, step, expected in (
        ("back", 0, 0),
        ("all", 0, 3),
        ("next", 3, 3),
        ("back", 3, 2),
    ):
        press(oscar, ceremony, to, step)
        ceremony.refresh_from_db()
        assert ceremony.step == expected, to
    assert press(oscar, ceremony, "sideways", 2).status_code == 404
    assert press(oscar, ceremony, "next", "two").status_code == 404


def test_the_screen_is_swapped_in_place_and_survives_a_reload(cast, played, oscar):
    ceremony = begin(cast)
    page = reverse("organize-ceremony", args=[cast.contest.slug])
    assert 'data-press="next"' in oscar.get(page).content.decode()
    swapped = press(oscar, ceremony, "next", 0, hx_request="true")
    assert swapped.status_code == 200
    assert swapped.content.decode().startswith('<div id="ceremony"')
    assert 'name="step" value="1"' in oscar.get(page).content.decode()
    fragment = reverse("organize-ceremony-fragment", args=[cast.contest.slug])
    etag = oscar.get(fragment)["ETag"]
    again = oscar.get(fragment, headers={"if-none-match": etag})
    assert (again.status_code, again.content) == (304, b"")
    press(oscar, ceremony, "next", 1)
    assert oscar.get(fragment, headers={"if-none-match": etag}).status_code == 200


def test_the_public_page_follows(cast, played, oscar, as_user):
    address = reverse("ceremony-fragment", args=[cast.contest.slug])
    visitor = as_user(None)
    waiting = visitor.get(address)
    assert "hx-trigger" in waiting.content.decode()
    ceremony = begin(cast)
    started = visitor.get(address, headers={"if-none-match": waiting["ETag"]})
    assert started.status_code == 200
    same = visitor.get(address, headers={"if-none-match": started["ETag"]})
    assert same.status_code == 304
    press(oscar, ceremony, "next", 0)
    assert visitor.get(address, headers={"if-none-match": started["ETag"]}).status_code == 200
    assert "data-press" not in visitor.get(address).content.decode()


# Beginning and end


def test_finishing_shows_the_boards(cast, played, oscar, as_user):
    ceremony = begin(cast)
    end = reverse("organize-ceremony-end", args=[cast.contest.slug])
    early = oscar.post(end, {"ceremony": ceremony.pk}, follow=True)
    assert "Not every place is revealed yet" in early.content.decode()
    assert fresh(cast.contest).frozen_at is not None
    press(oscar, ceremony, "all", 0)
    oscar.post(end, {"ceremony": ceremony.pk})
    assert fresh(cast.contest).frozen_at is None
    board = as_user(None).get(reverse("board", args=[cast.contest.slug]))
    assert [row["name"] for row in board.context["section"]["rows"]] == ["Red", "Blue", "Green"]
    page = as_user(None).get(reverse("ceremony", args=[cast.contest.slug])).content.decode()
    assert "Final ranking" in page
    assert "hx-trigger" not in page
    kinds = list(Event.objects.filter(contest_id=cast.contest.pk).values_list("kind", flat=True))
    assert kinds[-3:] == [
        "contest.ceremony_started",
        "contest.ceremony_moved",
        "contest.board_revealed",
    ]
    twice = oscar.post(end, {"ceremony": ceremony.pk}, follow=True)
    assert "This ceremony is over" in twice.content.decode()


def test_a_ceremony_may_end_without_revealing_the_rest(cast, played, oscar, as_user):
    ceremony = begin(cast)
    press(oscar, ceremony, "next", 0)
    end = reverse("organize-ceremony-end", args=[cast.contest.slug])
    oscar.post(end, {"ceremony": ceremony.pk, "keep": "frozen"})
    assert fresh(cast.contest).frozen_at is not None
    assert revealed(as_user(None), cast.contest) == [(3, ["Green"])]
    assert press(oscar, ceremony, "next", 1).status_code == 302
    assert revealed(as_user(None), cast.contest) == [(3, ["Green"])]
    again = begin(cast)
    assert revealed(as_user(None), cast.contest) == []
    assert again.pk != ceremony.pk


def test_a_division_has_its_own_ceremony(cast, played, oscar, as_user):
    division = Division.objects.create(contest=cast.contest, key="students", title="Students")
    cast.contest.teams.filter(name__in=["Red", "Green"]).update(division=division)
    address = reverse("organize-ceremony-start", args=[cast.contest.slug])
    version = fresh(cast.contest).version
    answer = oscar.post(address, {"version": version, "stage": "contest", "division": "students"})
    assert answer["Location"] == reverse("organize-ceremony", args=[cast.contest.slug])
    ceremony = Ceremony.objects.get()
    names = [row["name"] for place in ceremony.places for row in place["rows"]]
    assert names == ["Green", "Red"]
    page = as_user(None).get(reverse("ceremony", args=[cast.contest.slug])).content.decode()
    assert "Students" in page
    second = oscar.post(address, {"version": version + 1, "stage": "contest"}, follow=True)
    assert "A ceremony is in progress" in second.content.decode()
    assert Ceremony.objects.count() == 1


def test_the_season_has_a_ceremony(cast, as_user):
    contest = board_facts.contest_of("pwscup2015-season", n_closed=4, slug="season")
    contest.organizers.add(cast.oscar)
    teams = [factories.make_team(contest, name) for name in ("Red", "Blue")]
    for stage in ("preliminary", "final"):
        table = contest.rounds.get(key=f"{stage}-anonymization")
        attack = contest.rounds.get(key=f"{stage}-attack")
        released = [
            board_facts.release(
                board_facts.scored(team, table, board_facts.values_of(board_facts.RED)), attack
            )
            for team in teams
        ]
        rate = board_facts.rate_of(0.5)
        board_facts.scored(teams[0], attack, rate, target=released[1])
    Contest.objects.filter(pk=contest.pk).update(frozen_at=table.opens_at)
    client = as_user(cast.oscar)
    page = client.get(reverse("organize-board", args=["season"])).content.decode()
    assert "Season" in page
    start = reverse("organize-ceremony-start", args=["season"])
    client.post(start, {"version": fresh(contest).version, "stage": "*"})
    ceremony = Ceremony.objects.get(contest=contest)
    assert ceremony.stage == ""
    names = [row["name"] for place in ceremony.places for row in place["rows"]]
    assert names == ["Blue", "Red"]
    assert "Season" in as_user(None).get(reverse("ceremony", args=["season"])).content.decode()


def refused(cast, **asked) -> str:
    with pytest.raises(ContestRefused) as refusal:
        begin(cast, **asked)
    assert not Ceremony.objects.exists()
    return str(refusal.value)


def test_no_ceremony_of_what_everybody_sees(cast, played):
    Contest.objects.update(frozen_at=None)
    assert "not frozen" in refused(cast)
    Contest.objects.update(frozen_at=timezone.now() + HOUR)
    assert "not frozen" in refused(cast)


def test_no_ceremony_before_the_rounds_are_over(cast, played):
    board_facts.move_to(cast.contest, "attack")
    Contest.objects.update(frozen_at=timezone.now())
    closes_at = cast.contest.rounds.get(pk=played.attack.pk).closes_at
    words = (
        f"“Attack round” is not over yet: it closes at {shown_moment(closes_at, cast.contest.tz)}"
    )
    assert words in refused(cast)


def test_a_round_that_has_just_closed_is_not_called_open(cast, played, settings):
    settings.UPLOAD_GRACE_SECONDS = 60
    now = timezone.now()
    Contest.objects.update(frozen_at=now)
    cast.contest.rounds.filter(pk=played.attack.pk).update(closes_at=now)
    at = now + timedelta(seconds=60)
    words = refused(cast)
    assert "“Attack round” has just closed" in words
    assert "not over" not in words
    assert f"at {at.astimezone(cast.contest.tz):%H:%M:%S %Z} at the latest" in words


def test_the_page_counts_down_to_the_time_from_which_a_ceremony_is_possible(
    cast, played, oscar, settings
):
    settings.UPLOAD_GRACE_SECONDS = 60
    page = reverse("organize-board", args=[cast.contest.slug])
    now, attack = timezone.now(), cast.contest.rounds.filter(pk=played.attack.pk)

    def section() -> str:
        body = oscar.get(page).content.decode()
        return body[body.index('id="ceremony"') :].partition("</section>")[0]

    assert "disabled" not in section()
    assert 'data-confirm="Start the ceremony? The ranking is fixed' in section()
    for closes_at, polled in ((now + HOUR, False), (now, True)):
        attack.update(closes_at=closes_at)
        shown, until = section(), machine_time(closes_at + timedelta(seconds=60))
        assert f'data-until="{until}"' in shown
        assert "Possible from" in shown
        assert "disabled" in shown
        assert ("every 5s" in shown) is polled
    attack.update(complete_until=now)  # every process that takes uploads has reported
    assert "disabled" not in section()
    assert begin(cast)


def test_no_ceremony_while_a_team_may_be_late(cast, played, settings):
    settings.UPLOAD_GRACE_SECONDS = 60
    late = {"team": played.teams["Red"], "round": played.attack, "reason": "power cut"}
    rulings.allow_late(actor=cast.oscar, until=timezone.now() + HOUR, **late)
    until = shown_moment(LateAllowance.objects.get().until, cast.contest.tz)
    assert f"may still submit late in “Attack round”, until {until}" in refused(cast)
    LateAllowance.objects.update(until=timezone.now())
    assert "may still submit late" in refused(cast)  # its last upload may be on its way
    LateAllowance.objects.update(until=timezone.now() - HOUR)
    assert begin(cast)


def test_no_ceremony_while_something_is_scored(cast, played):
    Submission.objects.filter(round=played.attack, team__name="Red").update(state="running")
    assert "still being scored" in refused(cast)


def test_no_ceremony_without_teams(cast, played):
    for name in ("Red", "Blue", "Green"):
        Ruling.objects.create(
            team=played.teams[name], kind=Ruling.Kind.DISQUALIFIED, reason="all of them"
        )
    assert "nothing to reveal" in refused(cast)


def test_during_a_ceremony_nobody_ends_the_freeze(cast, played, oscar):
    begin(cast)
    contest = fresh(cast.contest)
    for name in ("organize-freeze", "organize-thaw"):
        answer = oscar.post(
            reverse(name, args=[contest.slug]),
            {"version": fresh(contest).version},
            follow=True,
        )
        assert "A ceremony is in progress" in answer.content.decode()
    assert fresh(contest).frozen_at == contest.frozen_at


def test_what_is_ruled_after_the_start_waits_for_another_ceremony(cast, played, oscar):
    ceremony = begin(cast)
    before = json.dumps(ceremony.places)
    Ruling.objects.create(
        team=played.teams["Red"], kind=Ruling.Kind.DISQUALIFIED, reason="found out late"
    )
    press(oscar, ceremony, "next", 0)
    ceremony.refresh_from_db()
    assert json.dumps(ceremony.places) == before


def test_without_a_ceremony_the_pages_say_so(cast, oscar, as_user):
    page = as_user(None).get(reverse("ceremony", args=[cast.contest.slug]))
    assert "There is no ceremony in progress." in page.content.decode()
    assert "hx-trigger" not in page.content.decode()
    stage = oscar.get(reverse("organize-ceremony", args=[cast.contest.slug]))
    assert "Choose what to reveal" in stage.content.decode()
