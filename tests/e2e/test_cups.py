# SPDX-License-Identifier: Apache-2.0
"""Contests in the manner of the last two cups from the wizard to the final report."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from scoring.tables.reading import read_table
from tests.e2e.browser import DESKTOP, Person
from tests.e2e.cups import (
    Cup,
    Team,
    answer,
    create_contest,
    found_team,
    is_scored_as_at_home,
    make_table,
    publish_report,
    rate_at_home,
    round_of,
    rounds_of,
    submit,
    submit_a_broken_table,
)
from tests.e2e.faults import PHONE, width_faults
from tests.e2e.organizer import close_round, open_round
from tests.e2e.series_boards import lines
from tests.e2e.team import number

# Each step has its cheaper test in tests/web: test_formats_of_cups, test_own_measures, test_question_*.
pytestmark = [pytest.mark.long, pytest.mark.timeout(900)]

SURVIVAL = Cup(
    format="synthetic-2026",
    title="Survival cup",
    n_records=3000,
    data={"sample": 120, "shared": 100, "decoys": 200},
    rare=10,
    questions={"targets": 60, "controls": 60},
)
HEALTH = Cup(
    format="membership-2025",
    title="Health cup",
    n_records=3000,
    data={"sample": 200, "decoys": 600},
    rare=0,
    questions={"ones": 200},
)
METHODS = {"Red": "bootstrap", "Blue": "copula"}


@pytest.mark.parametrize("cup", [SURVIVAL, HEALTH], ids=lambda cup: cup.slug)
def test_a_cup_from_the_wizard_to_the_final_report(cup, meet, site, tmp_path):
    names = {"organizer": f"Olga-{cup.slug}", "Red": f"Ruth-{cup.slug}", "Blue": f"Bert-{cup.slug}"}
    organizer, *captains = (meet(name) for name in names.values())
    visitor = meet("Vito")
    site.admit([organizer, *captains], organizer)
    create_contest(organizer, cup)
    whole = whole_table(organizer, cup, tmp_path)

    teams: list[Team] = []
    for stage in ("preliminary", "final"):
        open_round(organizer, rounds_of(cup, stage)["synthetic"].key, cup.organize)
        if not teams:
            teams = [
                found_team(name, captain, cup, tmp_path, method=METHODS[name])
                for name, captain in zip(METHODS, captains, strict=True)
            ]
        for team in teams:
            files = make_table(team, stage)
            if stage == "preliminary":
                submit_a_broken_table(team, stage, files)
            submit(team, stage, files)
            is_scored_as_at_home(team)
        close_round(organizer, rounds_of(cup, stage)["synthetic"].key, cup.organize)
        open_round(organizer, rounds_of(cup, stage)["question-attack"].key, cup.organize)
        rates = attack(teams, stage, whole)
        close_round(organizer, rounds_of(cup, stage)["question-attack"].key, cup.organize)
        overall_board_shows(visitor, teams, rates, stage)
        attack_board_shows(visitor, teams, rates, stage)

    assert rates["Blue"] > rates["Red"], "a table of copies gives its people away"
    publish_report(organizer, cup)
    report_names(visitor, teams)
    fits_on_a_phone_in_japanese(captains[0], cup)


def whole_table(organizer: Person, cup: Cup, folder):
    """The organizer's own download of it."""
    organizer.go(f"{cup.organize}/data/")
    link = organizer.page.get_by_role("link", name="What participants get")
    table = organizer.download(link, folder / f"{cup.slug}.csv")
    schema = cup.rules().schema
    return read_table(table.read_bytes(), schema, file="original", original=True)


def attack(teams: list[Team], stage: str, whole) -> dict[str, float]:
    """Each attacks the other; the rates that they reach, by the attacker's name."""
    found = {}
    for team, target in (teams, teams[::-1]):
        answer(team, target, stage)
        found[team.name] = rate_at_home(team, target, stage, whole)
    return found


def overall_board_shows(person: Person, teams: list[Team], rates, stage: str) -> None:
    """The lower one of utility and anonymity, or their sum, and the places."""
    shown = lines(person, f"overall&stage={stage}", teams[0].cup.contest)
    totals = {}
    for team, other in (teams, teams[::-1]):
        total, utility, protection = (number(cell) for cell in shown[team.name][1][:3])
        assert utility == pytest.approx(100 * team.scores["utility"] / most(team), abs=0.006)
        assert protection == pytest.approx(100 - 100 * rates[other.name], abs=0.006)
        is_sum = team.cup is HEALTH
        expected = utility + protection if is_sum else min(utility, protection)
        assert total == pytest.approx(expected, abs=0.011)
        totals[team.name] = total
    first = max(totals, key=totals.__getitem__)
    assert shown[first][0] == 1


def most(team: Team) -> float:
    """The utility of a table without loss."""
    return team.cup.rules().measure("utility").high or 1


def attack_board_shows(person: Person, teams: list[Team], rates, stage: str) -> None:
    shown = lines(person, f"attack&stage={stage}", teams[0].cup.contest)
    best = max(rates, key=rates.__getitem__)
    if rates["Red"] != rates["Blue"]:
        assert shown[best][0] == 1


def report_names(person: Person, teams: list[Team]) -> None:
    person.go(f"{teams[0].cup.contest}/report.html")
    for team in teams:
        person.sees(team.name)


def fits_on_a_phone_in_japanese(person: Person, cup: Cup) -> None:
    """Rules, both rounds and the board."""
    person.press("日本語")
    pages = [f"{cup.contest}/rules/", f"{cup.contest}/board/"]
    pages += [round_of(cup, "final", kind) for kind in ("synthetic", "question-attack")]
    for address in pages:
        person.page.set_viewport_size(PHONE)
        person.go(address)
        expect(person.page.locator("html")).to_have_attribute("lang", "ja")
        assert not list(width_faults(person.page)), address
    person.page.set_viewport_size(DESKTOP)
