# SPDX-License-Identifier: Apache-2.0
"""The boards of a contest of sequential release: ranks in plain Python, and what pages show of them."""

from __future__ import annotations

import re
from statistics import mean

from scoring.scores.options import DECIMALS
from tests.e2e.browser import Person
from tests.e2e.series import CONTEST, DRAWN, RULES, Team
from tests.e2e.team import approximately, number

UTILITY, RISKS = RULES.ranking.utility, RULES.ranking.safety
Rates = dict[tuple[str, str], float]


def places(values: dict[str, float]) -> dict[str, int]:
    """Ranks from 1 where lower is better; equal values, to nine decimals as on the boards, share the best one."""
    known = {name: round(value, DECIMALS) for name, value in values.items()}
    return {name: 1 + sum(v < value for v in known.values()) for name, value in known.items()}


def worst_rates(teams: list[Team], rates: Rates) -> dict[str, float]:
    """The highest rate of the other teams on each team's series."""
    return {t.name: max(r for (_, target), r in rates.items() if target == t.name) for t in teams}


def release_ranks(teams: list[Team], rates: Rates) -> dict[str, int]:
    """All measures lower, the worst rate among those of safety; the mean of both kinds."""
    by = {m: places({t.name: t.scores[m] for t in teams}) for m in (*UTILITY, *RISKS)}
    worst = places(worst_rates(teams, rates))
    totals = {
        t.name: mean(
            (
                mean(by[measure][t.name] for measure in UTILITY),
                mean([*(by[measure][t.name] for measure in RISKS), worst[t.name]]),
            )
        )
        for t in teams
    }
    return places(totals)


def mean_rates(teams: list[Team], rates: Rates) -> dict[str, float]:
    return {t.name: mean(r for (by, _), r in rates.items() if by == t.name) for t in teams}


def lines(
    person: Person, board: str, contest: str = CONTEST
) -> dict[str, tuple[int | None, list[str]]]:
    """A board's teams with their ranks and the texts of their cells."""
    person.go(f"{contest}/board/?board={board}")
    found = {}
    for row in person.page.locator(".board-table tbody tr:has(.team-name)").all():
        rank = re.sub(r"\D", "", row.locator(".rank").first.inner_text())
        cells = row.locator("td:not(.course)").all_inner_texts()
        found[row.locator(".team-name").inner_text()] = (int(rank) if rank else None, cells)
    return found


def ranks(shown: dict[str, tuple[int | None, list[str]]]) -> dict[str, int | None]:
    return {name: rank for name, (rank, _) in shown.items()}


def release_board_shows(person: Person, teams: list[Team], rates: Rates) -> None:
    """Places, the worst rate, and every measure of every team; those that draw are known by the board alone."""
    shown = lines(person, "anonymization")
    worst = worst_rates(teams, rates)
    for team in teams:
        _total, _utility, _safety, rate, *cells = shown[team.name][1]
        assert number(rate.split("(")[0]) == approximately(worst[team.name])
        values = [number(cell.split("(")[0]) for cell in cells]
        found = dict(zip((*UTILITY, *RISKS), values, strict=True))
        team.scores |= {measure: found[measure] for measure in DRAWN}
        assert found == {m: approximately(team.scores[m]) for m in found}, team.name
    assert ranks(shown) == release_ranks(teams, rates)


def attack_boards_show(person: Person, teams: list[Team], rates: Rates) -> None:
    """Attack board, matrix and overall ranks."""
    found = mean_rates(teams, rates)
    attack_ranks = places({name: -rate for name, rate in found.items()})
    shown = lines(person, "attack")
    assert ranks(shown) == attack_ranks
    for name, (_, (rate, guessed)) in shown.items():
        assert (number(rate), guessed.split()) == (approximately(found[name]), ["2", "/", "2"])
    matrix = lines(person, "matrix")
    heads = person.page.locator(".matrix-table thead th.defender").all_inner_texts()
    for (attacker, target), rate in rates.items():
        shown = matrix[attacker][1][1 + heads.index(target)]  # in per cent, after the mean
        assert number(f"{shown} %") == approximately(rate)
    release = release_ranks(teams, rates)
    total = {name: 0.5 * release[name] + 0.5 * attack_ranks[name] for name in found}
    overall = lines(person, "overall")
    assert ranks(overall) == places(total)
    assert {name: number(cells[0]) for name, (_, cells) in overall.items()} == total
