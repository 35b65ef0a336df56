# SPDX-License-Identifier: Apache-2.0
"""A whole contest as its people live through it: organizer, two teams, both rounds, every number checked at home."""

from __future__ import annotations

import re
from statistics import mean

import pytest
from playwright.sync_api import expect

from tests.e2e.browser import Person
from tests.e2e.organizer import (
    CONTEST,
    TITLE_JA,
    close_round,
    create_contest,
    household_table,
    open_round,
)
from tests.e2e.team import (
    ANONYMIZATION,
    ATTACK,
    UTILITY,
    Team,
    approximately,
    attack_by_zip,
    attack_singly,
    found_team,
    hand_in_a_broken_table,
    hand_in_a_table,
    invite,
    number,
    rate_at_home,
)

pytestmark = [pytest.mark.timeout(900)]


def test_a_contest_from_its_creation_to_the_final_ranks(meet, site, tmp_path):
    organizer = meet("Olga")
    organizer.go("/")
    organizer.sign_up()
    site.manage("grant_organizer", organizer.email)
    create_contest(organizer, household_table(tmp_path))

    alice, bob, carol, visitor = (meet(name) for name in ("Alice", "Bob", "Carol", "Victor"))
    red = found_team("Red", alice, tmp_path, method="sa-noise", attack="EUC1")
    invite(alice, bob)
    hand_in_a_broken_table(red, by=bob)
    hand_in_a_table(red, by=alice)
    anonymization_board_shows(visitor, [red])

    blue = found_team("Blue", carol, tmp_path, method="class-swap", attack="EUC2")
    hand_in_a_table(blue, by=carol)
    anonymization_board_shows(visitor, [red, blue])
    read_in_japanese(carol)

    close_round(organizer, "anonymization")
    open_round(organizer, "attack")
    attack_singly(red, blue)
    attack_by_zip(blue, red)
    attacks_are_hidden_from(bob)
    attacks_are_hidden_from(visitor)

    close_round(organizer, "attack")
    rates = {(a.name, b.name): rate_at_home(a, b) for a, b in ((red, blue), (blue, red))}
    rate_is_told(bob, rates["Red", "Blue"])
    anonymization_board_shows(visitor, [red, blue], rates)
    attack_boards_show(visitor, [red, blue], rates)


def read_in_japanese(person: Person) -> None:
    """The switch changes every page for this reader, and changes them back."""
    html = person.page.locator("html")
    person.go(f"{CONTEST}/")
    expect(html).to_have_attribute("lang", "en")
    person.press("日本語")
    for address in (f"{CONTEST}/", ANONYMIZATION, f"{CONTEST}/board/"):
        person.go(address)
        expect(html).to_have_attribute("lang", "ja")
        expect(person.page.locator(".contest-title")).to_have_text(TITLE_JA)
        expect(person.page.locator(".contest-tabs")).to_contain_text("匿名加工フェーズ")
    person.press("English")
    expect(html).to_have_attribute("lang", "en")


# Boards

Rates = dict[tuple[str, str], float]


def places(values: dict[str, float]) -> dict[str, int]:
    """Ranks from 1 where lower is better; equal values share the best one."""
    return {name: 1 + sum(v < value for v in values.values()) for name, value in values.items()}


def worst_rates(teams: list[Team], rates: Rates) -> dict[str, float]:
    """The highest rate of the built-in attacks and of the other teams' on each team's table."""
    suffered = {
        team.name: [r for (_, target), r in rates.items() if target == team.name] for team in teams
    }
    return {team.name: max(team.worst, *suffered[team.name], 0) for team in teams}


def anonymization_ranks(teams: list[Team], rates: Rates) -> dict[str, int]:
    """The ranking in plain Python: U1 to U6 lower, S1 and S2 higher, the worst rate lower."""

    def by(measure: str, sign: int = 1) -> dict[str, int]:
        return places({team.name: sign * team.scores[measure] for team in teams})

    utility = [by(measure) for measure in UTILITY]
    safety = [by("S1", -1), by("S2", -1), places(worst_rates(teams, rates))]
    return places(
        {
            t.name: mean(mean(ranks[t.name] for ranks in kind) for kind in (utility, safety))
            for t in teams
        }
    )


def lines(person: Person, board: str) -> dict[str, tuple[int | None, list[str]]]:
    """A board's teams with their ranks and the texts of their cells."""
    person.go(f"{CONTEST}/board/?board={board}")
    found = {}
    for row in person.page.locator(".board-table tbody tr:has(.team-name)").all():
        rank = re.sub(r"\D", "", row.locator(".rank").first.inner_text())
        cells = row.locator("td:not(.course)").all_inner_texts()
        found[row.locator(".team-name").inner_text()] = (int(rank) if rank else None, cells)
    return found


def anonymization_board_shows(
    person: Person, teams: list[Team], rates: Rates | None = None
) -> None:
    """Ranks, worst rates and every measure, to somebody without an account."""
    shown = lines(person, "anonymization")
    expect(person.page.locator("figure svg").first).to_be_visible()
    worst = worst_rates(teams, rates or {})
    assert {name: rank for name, (rank, _) in shown.items()} == anonymization_ranks(
        teams, rates or {}
    )
    for team in teams:
        _, cells = shown[team.name]
        assert number(cells[3].split("(")[0]) == approximately(worst[team.name])
        values = [number(cell.split("(")[0]) for cell in cells[4:]]
        assert values == [approximately(team.scores[m]) for m in (*UTILITY, "S1", "S2")]


def attacks_are_hidden_from(person: Person) -> None:
    """While the round is open a rate would tell which guesses are right."""
    for board in ("overall", "attack", "matrix"):
        person.go(f"{CONTEST}/board/?board={board}")
        person.sees("shown when the attack round has closed")
    person.go(ATTACK)
    assert "%" not in person.text("table.targets")


def rate_is_told(person: Person, rate: float) -> None:
    """On the round's page and on the page of the guess, to a team mate."""
    person.go(ATTACK)
    cell = person.page.locator("table.targets tbody td").last
    assert number(cell.inner_text()) == approximately(rate)
    person.page.locator("table.targets .state-link").click()
    assert number(person.text(".stat")) == approximately(rate)


def attack_boards_show(person: Person, teams: list[Team], rates: Rates) -> None:
    """Attack board, matrix and overall ranks. With two teams the mean rate is the one on the other."""
    mean_rate = {attacker: rate for (attacker, _), rate in rates.items()}
    attack_rank = places({name: -rate for name, rate in mean_rate.items()})
    anonymization_rank = anonymization_ranks(teams, rates)
    total = {name: 0.5 * anonymization_rank[name] + 0.5 * attack_rank[name] for name in mean_rate}
    for name, (rank, cells) in lines(person, "attack").items():
        assert rank == attack_rank[name]
        assert number(cells[0]) == approximately(mean_rate[name])
    matrix = lines(person, "matrix")
    heads = person.page.locator(".matrix-table thead th.defender").all_inner_texts()
    for (attacker, target), rate in rates.items():
        shown = matrix[attacker][1][1 + heads.index(target)]  # in per cent, after the mean
        assert number(f"{shown} %") == approximately(rate)
    overall = lines(person, "overall")
    assert {name: rank for name, (rank, _) in overall.items()} == places(total)
    assert {name: number(cells[0]) for name, (_, cells) in overall.items()} == total
