# SPDX-License-Identifier: Apache-2.0
"""A contest about a hidden table as its people live through it; every mark and rank computed at home."""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from scoring.formats.disclosure.curves import asked_once
from tests.e2e import lecture
from tests.e2e.browser import Person
from tests.e2e.disclosure import (
    ASK,
    BUDGET,
    CONTEST,
    N_CELLS,
    ORGANIZE,
    ROUNDS,
    TARGET,
    Team,
    accept_terms,
    ask,
    asks_again_for_nothing,
    create_contest,
    estimate_at_home,
    found_team,
    hand_in,
    hand_in_a_broken_estimate,
    hidden_table,
    is_refused,
    is_scored,
    spending,
)
from tests.e2e.disclosure_program import Program, spend_the_rest
from tests.e2e.home import scoring
from tests.e2e.organizer import close_round, open_round
from tests.e2e.team import approximately, invite, number

# Each step has its cheaper test in tests/web: test_hidden_table_setup, test_disclosure, test_disclosure_pages,
# test_api, test_boards_disclosure; test_looks opens the pages.
pytestmark = [pytest.mark.long, pytest.mark.timeout(900)]

FIRST, REST = "1.5", "2.5"
Marks = dict[str, dict[str, dict[str, float]]]


def test_a_hidden_table_from_its_release_to_the_comparison(meet, site, tmp_path):
    organizer, amy, ann, zoe, visitor = map(meet, ("Dora", "Amy", "Ann", "Zoe", "Vic"))
    site.admit([organizer, amy, ann, zoe], organizer)
    create_contest(organizer)
    open_round(organizer, "batch", ORGANIZE)

    red = found_team("Red", amy, tmp_path)
    invite(amy, ann, CONTEST)
    accept_terms(ann)
    blue = found_team("Blue", zoe, tmp_path)
    for team, method in ((red, "reconstructed"), (blue, "counted")):
        release = team.file("released.csv")
        estimate_at_home(team, "batch", release=release, epsilon=BUDGET, method=method)
    hand_in_a_broken_estimate(red)
    for team in (red, blue):
        hand_in(team.captain, "batch", team.counted["batch"])
    for team in (red, blue):
        is_scored(team.captain, "batch")
    close_round(organizer, "batch", ORGANIZE)

    open_round(organizer, "interactive", ORGANIZE)
    first = ask_on_the_page(red)
    ask_by_program(red, ann)
    bought = ask(blue, BUDGET, left="0")
    hand_in(zoe, "interactive", estimate_at_home(blue, "interactive", answer=bought))
    answers_are_the_teams_own(red, blue)
    nobody_knows_yet(visitor)
    is_scored(zoe, "interactive")
    close_round(organizer, "interactive", ORGANIZE)

    table = hidden_table(organizer, tmp_path)
    marks = {
        key: {team.name: marked(team.counted[key], table) for team in (red, blue)} for key in ROUNDS
    }
    final = ranked_at_home(marks, tmp_path / "marks.csv")
    rounds_show(visitor, marks, final)
    comparison_shows(visitor, final)
    early = marked(first, table)["table-L2"]
    curve_shows(visitor, marks, early)
    assert ranked_by_the_download(visitor, tmp_path) == final
    assert spending(organizer) == {"Blue": [BUDGET, "0", "1"], "Red": [BUDGET, "0", "2"]}


def ask_on_the_page(team: Team) -> Path:
    """The first part of the budget, and an estimate from what it bought."""
    person = team.captain
    answer = ask(team, FIRST, left=REST)
    asks_again_for_nothing(person, "1.50")
    is_refused(person, "2.500001", left=REST)
    estimate = estimate_at_home(team, "interactive", "first", answer=answer)
    hand_in(person, "interactive", estimate)
    is_scored(person, "interactive")
    return estimate


def ask_by_program(team: Team, mate: Person) -> None:
    """The rest of it, by another member; the captain sees the answer, too."""
    program = Program(mate)
    spend_the_rest(program, FIRST, REST)
    answer = program.download_answer(2, team.file("answer-2.csv"))
    program.hand_in(estimate_at_home(team, "interactive", answer=answer))
    team.captain.go(ASK)
    asked_by = team.captain.page.locator("#answers tbody td.name").all_inner_texts()
    assert asked_by == [mate.name, team.captain.name]


def answers_are_the_teams_own(team: Team, other: Team) -> None:
    team.captain.go(ASK)
    address = team.captain.page.locator("#answers a[href$='.csv']").first.get_attribute("href")
    for path in (address, address.replace(".csv", "/")):
        assert team.captain.context.request.get(path).status == 200
        assert other.captain.context.request.get(path).status == 404


def nobody_knows_yet(visitor: Person) -> None:
    for board in ("comparison", "estimates", "curve"):
        visitor.go(f"{CONTEST}/board/?board={board}")
        visitor.sees("shown when the last round about the hidden table has closed.")


# At home


def marked(estimate: Path, table: Path) -> dict[str, float]:
    return scoring("dp", "mark", estimate=estimate, table=table, columns=",".join(TARGET))


def ranked_at_home(marks: Marks, board: Path) -> dict[str, dict[str, Any]]:
    """By `python -m scoring rank-estimates`, from the marks of both rounds."""
    rows = [["round", "team", "table-L2", "table-spearman"]]
    rows += [
        [key, team, *map(repr, values.values())]
        for key, teams in marks.items()
        for team, values in teams.items()
    ]
    board.write_text("".join(",".join(row) + "\n" for row in rows))
    return ranked(board)


def ranked(board: Path) -> dict[str, dict[str, Any]]:
    return {line["team"]: line for line in scoring("rank-estimates", board=board)["teams"]}


def ranked_by_the_download(visitor: Person, folder: Path) -> dict[str, dict[str, Any]]:
    visitor.go(f"{CONTEST}/board/?board=estimates")
    link = visitor.page.get_by_role("link", name="Download as CSV")
    return ranked(visitor.download(link, folder / "board.csv"))


def has_place(shown: int, line: dict[str, Any], lines: Iterable[dict[str, Any]]) -> bool:
    """Among equal totals the earlier submission wins on the board; a file at home does not know it."""
    n_equal = sum(other["total"] == line["total"] for other in lines)
    return line["rank"] <= shown < line["rank"] + n_equal


# Boards


def rounds_show(visitor: Person, marks: Marks, final: dict[str, dict[str, Any]]) -> None:
    """The boards beside each other: places, totals, and each mark with its rank."""
    visitor.go(f"{CONTEST}/board/?board=estimates")
    sections = visitor.page.locator(".boards-beside section").all()
    for key, section in zip(ROUNDS, sections, strict=True):
        for row in section.locator("tbody tr").all():
            team = row.locator(".team-name").inner_text()
            place = final[team]["rounds"][key]
            total, *cells = row.locator("td").all_inner_texts()
            shown = int(re.sub(r"\D", "", row.locator(".rank").inner_text()))
            assert has_place(shown, place, [line["rounds"][key] for line in final.values()])
            assert total == f"{place['total']:.2f}"
            values = [re.split(r"[()]", cell) for cell in cells]
            assert [number(value) for value, *_ in values] == [
                approximately(value) for value in marks[key][team].values()
            ]
            assert [int(rank) for _, rank, _ in values] == list(place["ranks"].values())


def comparison_shows(visitor: Person, final: dict[str, dict[str, Any]]) -> None:
    shown = lecture.board(visitor, "comparison", f"{CONTEST}/")
    places = lecture.ranks(visitor)
    assert places.keys() == final.keys()
    assert all(has_place(places[team], line, final.values()) for team, line in final.items())
    for team, line in final.items():
        rounds = [f"{r['total']:.2f} ({r['rank']})" for r in line["rounds"].values()]
        is_tied = sum(other["total"] == line["total"] for other in final.values()) > 1
        assert shown[team] == [f"{line['total']:.2f}{'*' * is_tied}", *rounds]


def curve_shows(visitor: Person, marks: Marks, early: float) -> None:
    """Every estimate at what its team had spent, those that do not count among them."""
    visitor.go(f"{CONTEST}/board/?board=curve")
    shown = []
    for row in visitor.page.locator(".curve-table tbody tr").all():
        _round, epsilon, distance, once, counts = row.locator("td").all_inner_texts()
        assert number(once) == approximately(asked_once(N_CELLS, Decimal(epsilon)))
        shown.append((row.locator(".team-name").inner_text(), epsilon, number(distance), counts))
    expected = [("Red", FIRST, early, "no")]
    expected += [
        (team, BUDGET, values["table-L2"], "yes")
        for teams in marks.values()
        for team, values in teams.items()
    ]
    expected = [(team, e, approximately(value), counts) for team, e, value, counts in expected]
    assert len(shown) == len(expected)
    assert all(line in shown for line in expected), shown
