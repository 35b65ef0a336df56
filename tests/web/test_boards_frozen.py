# SPDX-License-Identifier: Apache-2.0
"""A frozen leaderboard: whatever arrives after the freeze changes no byte of any public answer."""

from __future__ import annotations

import re
from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.core.management import call_command
from django.urls import reverse
from django.utils import timezone

from pwscup.contests.models import Contest, Division, RulesetVersion
from pwscup.core.models import Event
from pwscup.leaderboards import services
from pwscup.leaderboards.boards.build import BOARDS, SCORE_BOARDS
from pwscup.leaderboards.ceremony import services as ceremonies
from pwscup.leaderboards.models import Standing
from pwscup.submissions.models import Choice, Release, Rescore, Ruling
from tests import factories
from tests.every import some
from tests.web import board_facts

pytestmark = pytest.mark.django_db
HOUR = timedelta(hours=1)


def fresh(contest) -> Contest:
    return Contest.objects.get(pk=contest.pk)


def long_ago(played: SimpleNamespace) -> None:
    """Teams and releases are as old as their rounds, not as old as the test."""
    first = played.contest.rounds.earliest("opens_at")
    played.contest.teams.update(created_at=first.opens_at - HOUR)
    RulesetVersion.objects.create(
        contest=played.contest,
        number=1,
        text=played.contest.ruleset_text,
        digest="a",
        applied_at=first.opens_at - HOUR,
    )
    for release in Release.objects.filter(round__contest=played.contest):
        Release.objects.filter(pk=release.pk).update(created_at=release.round.opens_at)


def freeze(contest, at) -> None:
    Contest.objects.filter(pk=contest.pk).update(frozen_at=at)


def plain(answer) -> tuple[object, ...]:
    """Status, headers and body, but for a token, and for the minutes that a countdown has left until its moment."""
    body = re.sub(rb"[A-Za-z0-9]{64}", b"TOKEN", answer.content)
    body = re.sub(rb'(<span class="countdown"[^>]*>)[^<]*', rb"\1", body)
    headers = sorted((k, v) for k, v in answer.items() if k != "Set-Cookie")
    return answer.status_code, headers, body


def public_answers(client, contest, names=(), divisions=("",), stages=("",)) -> dict[str, object]:
    """Everything that is said of the contest to whoever asks."""
    said = board_answers(client, contest, names, divisions, stages)
    return said | page_answers(client, contest, rules=True)


def board_answers(client, contest, names=(), divisions=("",), stages=("",)) -> dict[str, object]:
    """Its boards, in each of their forms."""
    asked = [
        {"board": board, "division": division, "stage": stage}
        for board in ("", *names)
        for division in divisions
        for stage in stages
    ]
    return {
        f"{name} {query}": plain(client.get(reverse(name, args=[contest.slug]), query))
        for name in ("board", "board-fragment", "board-csv")
        for query in asked
    }


def page_answers(client, contest, *, rules: bool) -> dict[str, object]:
    """The other pages on which a board, or what it is made of, might be told."""
    names = ["ceremony", "ceremony-fragment", "contest", "news", *(["rules"] if rules else [])]
    addresses = {name: reverse(name, args=[contest.slug]) for name in names}
    for round in contest.rounds.all():
        addresses[f"round {round.key}"] = reverse("round", args=[contest.slug, round.key])
    for team in contest.teams.filter(name__in=("Red", "Blue", "Green")):
        addresses[f"team {team.name}"] = reverse("team-page", args=[contest.slug, team.pk])
    addresses["home"] = reverse("home")
    return {what: plain(client.get(address)) for what, address in addresses.items()}


def differing(before: dict[str, object], after: dict[str, object]) -> list[str]:
    """What is answered otherwise than before, of what was asked again."""
    return [what for what in after if before[what] != after[what]]


def evaluate_again(played, contest) -> None:
    """A re-scoring that is applied turns Green's table into another one."""
    version = RulesetVersion.objects.create(
        contest=contest,
        number=7,
        text=contest.ruleset_text.replace("n_weight = 0.5", "n_weight = 0.25").replace(
            "attack_weight = 0.5", "attack_weight = 0.75"
        ),
        digest="d",
        applied_at=timezone.now(),
    )
    rescore = Rescore.objects.create(
        contest=contest,
        rules=version,
        scoring_version="9.0.0",
        state=Rescore.State.APPLIED,
        decided_at=timezone.now(),
    )
    found = board_facts.evaluate(
        played.submissions["Green"], board_facts.values_of(board_facts.RED)
    )
    found.rescore = rescore
    found.save()
    contest.ruleset_text = version.text
    contest.save()


def go_on(played) -> None:
    """After the freeze: tables, choices, publications, guesses, rulings, a re-scoring."""
    contest, now = fresh(played.contest), timezone.now()
    late = board_facts.values_of(board_facts.GREEN) | {"U1": 0}
    table = board_facts.scored(played.teams["Red"], played.anonymization, late, at=now)
    Choice.objects.create(submission=table, team=table.team, round=played.anonymization)
    for name, submission in played.submissions.items():
        if name not in played.releases:
            played.releases[name] = board_facts.release(submission, played.attack)
    for (attacker, defender), rate in board_facts.GUESSES.items():
        if attacker == "Blue":
            continue  # carol sees her own team's guesses, frozen or not
        board_facts.scored(
            played.teams[attacker],
            played.attack,
            board_facts.rate_of(1 - rate),
            target=played.releases[defender],
            at=now,
        )
    for name, kind in (("Green", Ruling.Kind.DISQUALIFIED), ("Red", Ruling.Kind.WITHDRAWN)):
        Ruling.objects.create(
            team=played.teams[name],
            submission=played.submissions["Red"] if name == "Red" else None,
            kind=kind,
            reason="secret",
        )
    evaluate_again(played, contest)


MOMENTS = {
    "while tables are made": lambda played: played.anonymization.closes_at - HOUR,
    "when the attacks close": lambda played: played.attack.closes_at,
    "between the rounds": lambda played: played.attack.opens_at - HOUR,
    "after everything": lambda played: played.attack.closes_at + HOUR,
}


@pytest.mark.parametrize("moment", some(1, MOMENTS))
def test_what_comes_after_the_freeze_changes_no_byte(cast, as_user, moment):
    played = board_facts.game(cast.contest)
    long_ago(played)
    Division.objects.create(contest=cast.contest, key="students", title="Students")
    cast.contest.teams.exclude(name="Blue").update(division=cast.contest.divisions.get())
    freeze(cast.contest, MOMENTS[moment](played))
    own = reverse("submission-ranks", args=[played.submissions["Blue"].public_id])

    clients = {who: as_user(who) for who in (None, cast.eve, cast.carol, cast.oscar)}

    def all_boards():
        found = {"ranks": plain(clients[cast.carol].get(own))}
        for who, client in clients.items():
            every = (BOARDS, ("", "students")) if who is None else ()
            theirs = board_answers(client, cast.contest, *every)
            found |= {f"{who} {what}": answer for what, answer in theirs.items()}
        return found

    def everything():
        found = all_boards()
        for who, client in clients.items():
            # The rules changed, which everybody may know.
            theirs = page_answers(client, cast.contest, rules=False)
            found |= {f"{who} {what}": answer for what, answer in theirs.items()}
        return found

    before = everything()
    stored = list(
        Standing.objects.order_by("variant").values_list("variant", "key", "boards", "matrix")
    )
    go_on(played)
    assert differing(before, all_boards()) == []  # from the boards that are stored
    Standing.objects.all().delete()
    after = everything()
    assert after.keys() == before.keys()
    assert differing(before, after) == []
    assert list(
        Standing.objects.order_by("variant").values_list("variant", "key", "boards", "matrix")
    ) == (stored)
    call_command("rebuild_standings")
    assert all(variant.endswith("/frozen") for variant in _variants())


def _variants():
    return Standing.objects.values_list("variant", flat=True)


def test_the_ranks_of_an_own_submission_show_the_others_as_they_were(cast, as_user):
    played = board_facts.game(cast.contest)
    long_ago(played)
    freeze(cast.contest, played.attack.closes_at - HOUR)
    address = reverse("submission-ranks", args=[played.submissions["Blue"].public_id])
    carol = as_user(cast.carol)
    before = carol.get(address)
    assert "The leaderboard is frozen" in before.content.decode()
    assert before.context["standing"].worst_rate == 0.4
    late = board_facts.values_of(board_facts.GREEN) | {"U2": 0}
    board_facts.scored(played.teams["Red"], played.anonymization, late, at=timezone.now())
    assert plain(carol.get(address)) == plain(before)
    # An own submission that came later still has its ranks among what everybody may know.
    own = board_facts.scored(
        played.teams["Blue"],
        played.anonymization,
        board_facts.values_of(board_facts.BLUE) | {"U2": 0},
        at=timezone.now(),
    )
    newest = carol.get(reverse("submission-ranks", args=[own.public_id]))
    assert {row["measure"].id: row["rank"] for row in newest.context["rows"]}["U2"] == 1


@pytest.mark.long
def test_marks_after_the_freeze_change_no_byte(client):
    played = board_facts.lecture()
    long_ago(played)
    at = played.presentation.closes_at + HOUR
    played.presentation.marks.update(given_at=played.presentation.closes_at)
    freeze(played.contest, at)
    before = public_answers(client, played.contest, SCORE_BOARDS)
    board_facts.mark(played, "Green", "first", (100, 100, 100))
    Standing.objects.all().delete()
    assert public_answers(client, played.contest, SCORE_BOARDS) == before
    freeze(played.contest, None)
    assert public_answers(client, played.contest, SCORE_BOARDS) != before


@pytest.mark.long
def test_the_season_is_frozen_too(client):
    contest = board_facts.contest_of("pwscup2015-season", n_closed=4, slug="season")
    first, first_attack, last, last_attack = contest.rounds.all()
    teams = [factories.make_team(contest, name) for name in ("Red", "Blue")]
    tables = {}
    for table, attack in ((first, first_attack), (last, last_attack)):
        for team in teams:
            values = board_facts.values_of(board_facts.RED)
            tables[team, attack] = board_facts.release(
                board_facts.scored(team, table, values), attack
            )
    long_ago(SimpleNamespace(contest=contest))
    freeze(contest, last_attack.closes_at - HOUR)
    names, stages = (*BOARDS, "season"), ("", "preliminary", "final")
    before = public_answers(client, contest, names, stages=stages)
    for attack in (first_attack, last_attack):
        board_facts.scored(
            teams[0],
            attack,
            board_facts.rate_of(1),
            target=tables[teams[1], attack],
            at=timezone.now(),
        )
    Standing.objects.all().delete()
    assert public_answers(client, contest, names, stages=stages) == before
    freeze(contest, None)
    assert public_answers(client, contest, names, stages=stages) != before


def test_a_team_that_enters_after_the_freeze_is_on_no_board(client):
    played = board_facts.game(factories.make_contest())
    long_ago(played)
    freeze(played.contest, played.attack.closes_at + HOUR)
    before = services.boards_of(fresh(played.contest), timezone.now())
    factories.make_team(played.contest, "Late")
    Standing.objects.all().delete()
    after = services.boards_of(fresh(played.contest), timezone.now())
    assert (after.key, after.data) == (before.key, before.data)


def test_a_submission_that_arrived_before_counts_once_it_is_scored():
    played = board_facts.game(factories.make_contest())
    long_ago(played)
    at = played.anonymization.closes_at - HOUR
    waiting = board_facts.scored(
        played.teams["Red"],
        played.anonymization,
        board_facts.values_of(board_facts.RED) | {"U1": 9},
        at=at - HOUR,
    )
    waiting.state = "waiting"
    waiting.save()
    freeze(played.contest, at)

    def u1():
        data = services.boards_of(fresh(played.contest), timezone.now()).data
        rows = {row["name"]: row for row in data["anonymization"]["rows"]}
        return rows["Red"]["cells"][0]["value"]

    assert u1() == 0
    waiting.state = "scored"
    waiting.save()
    assert u1() == 9


def test_a_freeze_at_the_close_of_the_attacks_hides_them():
    played = board_facts.game(factories.make_contest())
    long_ago(played)
    freeze(played.contest, played.attack.closes_at)
    data = services.boards_of(fresh(played.contest), timezone.now()).data
    assert not data["attack"]["shown"]
    assert not data["overall"]["rows"]
    freeze(played.contest, played.attack.closes_at + timedelta(microseconds=1))
    data = services.boards_of(fresh(played.contest), timezone.now()).data
    assert data["attack"]["shown"]


def test_a_freeze_to_come_freezes_nothing_yet(client):
    played = board_facts.game(factories.make_contest())
    long_ago(played)
    address = reverse("board", args=[played.contest.slug])
    before = client.get(address).context["section"]
    freeze(played.contest, timezone.now() + HOUR)
    page = client.get(address)
    assert page.context["section"] == before
    assert "The leaderboard is frozen" not in page.content.decode()
    final = services.boards_of(fresh(played.contest), timezone.now() + 2 * HOUR)
    assert final.scope.before is not None


# What organizers do


def test_an_organizer_freezes_and_ends_the_freeze(cast, oscar, as_user):
    played = board_facts.game(cast.contest)
    long_ago(played)
    page = reverse("organize-board", args=[cast.contest.slug])
    board = reverse("board", args=[cast.contest.slug])
    visitor = as_user(None)
    visitor.get(board)
    assert oscar.get(page).status_code == 200
    version = fresh(cast.contest).version
    oscar.post(reverse("organize-freeze", args=[cast.contest.slug]), {"version": version})
    contest = fresh(cast.contest)
    assert contest.frozen_at is not None
    assert Standing.objects.count() == 0
    html = visitor.get(board).content.decode()
    assert "The leaderboard is frozen." in html
    assert "hx-trigger" in html
    assert "Frozen as of" in oscar.get(page).content.decode()
    assert (
        as_user(cast.oscar).get(board).context["section"] == (visitor.get(board).context["section"])
    )
    oscar.post(reverse("organize-thaw", args=[cast.contest.slug]), {"version": contest.version})
    assert fresh(cast.contest).frozen_at is None
    kinds = Event.objects.filter(contest_id=contest.pk).values_list("kind", flat=True)
    assert [kind for kind in kinds if "board" in kind] == [
        "contest.board_frozen",
        "contest.board_revealed",
    ]


def test_a_freeze_as_of_a_time_is_read_in_the_contests_zone(cast, oscar):
    board_facts.game(cast.contest)
    address = reverse("organize-freeze", args=[cast.contest.slug])
    version = fresh(cast.contest).version
    oscar.post(address, {"version": version, "at": "2026-01-31T10:00"})
    assert fresh(cast.contest).frozen_at.isoformat() == "2026-01-31T01:00:00+00:00"
    refused = oscar.post(address, {"version": version + 1, "at": "tomorrow"})
    assert "Enter a date and a time" in refused.content.decode()
    answer = oscar.post(address, {"version": version}, follow=True)
    assert "Another organizer changed this contest" in answer.content.decode()


def test_without_a_freeze_there_is_nothing_to_reveal(cast, oscar):
    version = fresh(cast.contest).version
    address = reverse("organize-thaw", args=[cast.contest.slug])
    answer = oscar.post(address, {"version": version}, follow=True)
    assert "not frozen" in answer.content.decode()
    assert not Event.objects.filter(kind="contest.board_revealed").exists()


def test_the_final_boards_are_stored_nowhere():
    played = board_facts.game(factories.make_contest())
    long_ago(played)
    freeze(played.contest, played.anonymization.closes_at - HOUR)
    contest = fresh(played.contest)
    final = services.final_boards(contest, timezone.now())
    assert final["overall"]["rows"]
    assert Standing.objects.count() == 0
    assert ceremonies.latest_ceremony(contest) is None
