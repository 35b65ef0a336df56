# SPDX-License-Identifier: Apache-2.0
"""A contest of sequential release as its people live through it; every number and rank computed at home."""

from __future__ import annotations

from itertools import permutations

import pytest
from playwright.sync_api import expect

from tests.e2e.browser import DESKTOP, Person
from tests.e2e.faults import PHONE, width_faults
from tests.e2e.organizer import close_round, open_round
from tests.e2e.series import (
    ATTACK,
    CONTEST,
    N_OWN,
    ORGANIZE,
    Team,
    attack_at_home,
    create_contest,
    download_targets,
    found_team,
    guesses_are_marked,
    hand_in,
    hand_in_a_wrong_box,
    hand_in_guesses,
    hand_in_without_a_file,
    marks_at_home,
    people_of,
    series_is_scored,
)
from tests.e2e.series_boards import Rates, attack_boards_show, release_board_shows
from tests.e2e.team import approximately, number

# Each step has its cheaper test in tests/web: test_series_organizer, test_series_pages, test_series_evaluation,
# test_series_boards_played; test_looks opens the pages.
pytestmark = [pytest.mark.long, pytest.mark.timeout(900)]

# How each team publishes, and how it attacks the others.
PLANS = {
    "Red": ("m-invariance", "intersection"),
    "Blue": ("improved", "intersection"),
    "Green": ("last", "baseline"),
}
CAPTAINS = {"Red": "Ruth", "Blue": "Bert", "Green": "Gwen"}


def test_changing_tables_from_the_wizard_to_the_ranks(meet, site, tmp_path):
    organizer, visitor = meet("Mona"), meet("Vito")
    captains = {team: meet(CAPTAINS[team]) for team in PLANS}
    site.admit([organizer, *captains.values()], organizer)
    create_contest(organizer)
    open_round(organizer, "release", ORGANIZE)

    teams = [
        found_team(name, captains[name], tmp_path, method=method, attack=attack)
        for name, (method, attack) in PLANS.items()
    ]
    people_are_the_teams_own(teams)
    hand_in_without_a_file(teams[0])
    hand_in_a_wrong_box(teams[0])
    for team in teams:
        hand_in(team, team.file("series.zip"))
    for team in teams:
        series_is_scored(team)
    close_round(organizer, "release", ORGANIZE)

    open_round(organizer, "attack", ORGANIZE)
    rates = attack(teams)
    nobody_knows_yet(visitor)
    close_round(organizer, "attack", ORGANIZE)

    rate_is_told(teams[0], teams[1])
    release_board_shows(visitor, teams, rates)
    attack_boards_show(visitor, teams, rates)
    fits_on_a_phone_in_japanese(teams[0].captain)


def people_are_the_teams_own(teams: list[Team]) -> None:
    """As many for each team, and nobody in two of them."""
    drawn = [people_of(team) for team in teams]
    assert [len(people) for people in drawn] == [N_OWN] * len(teams)
    assert len(set.union(*drawn)) == N_OWN * len(teams)


def attack(teams: list[Team]) -> Rates:
    """Everybody attacks everybody; the rates as the kit marks them."""
    for team in teams:
        others = [other for other in teams if other is not team]
        download_targets(team, others)
        for other in others:
            attack_at_home(team, other)
        hand_in_guesses(team, others)
    rates = {(a.name, b.name): marks_at_home(a, b)["rate"] for a, b in permutations(teams, 2)}
    for team in teams:
        guesses_are_marked(team, len(teams) - 1)
    assert {rate for (by, _), rate in rates.items() if by == "Green"} == {0}, "the baseline itself"
    return rates


def nobody_knows_yet(visitor: Person) -> None:
    for board in ("attack", "matrix", "overall"):
        visitor.go(f"{CONTEST}/board/?board={board}")
        visitor.sees("shown when the attack round has closed")


def rate_is_told(team: Team, target: Team) -> None:
    """On the page of the guess: the rate, who was hit, and what needs no thought."""
    person = team.captain
    person.go(ATTACK)
    row = person.page.locator("table.targets tbody tr").filter(has_text=target.name)
    row.locator(".state-link").click()
    expect(person.page.get_by_role("heading", level=1)).to_contain_text(f"→ {target.name}")
    marks = marks_at_home(team, target)
    rate, *hits = map(number, person.page.locator(".stat").all_inner_texts())
    assert rate == approximately(marks["rate"])
    assert hits == [marks["hits"], marks["baseline_hits"]]


def fits_on_a_phone_in_japanese(person: Person) -> None:
    """The round of the attack, and the board with every measure: nobody scrolls sideways."""
    person.press("日本語")
    for address in (ATTACK, f"{CONTEST}/board/?board=anonymization"):
        person.page.set_viewport_size(PHONE)
        person.go(address)
        expect(person.page.locator("html")).to_have_attribute("lang", "ja")
        assert not list(width_faults(person.page)), address
    person.page.set_viewport_size(DESKTOP)
