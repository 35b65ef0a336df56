# SPDX-License-Identifier: Apache-2.0
"""A lecture contest of four teams as a class lives through it, from the wizard to the certificates."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from statistics import mean

import pytest

from tests.e2e import lecture
from tests.e2e import lecture_words as words
from tests.e2e.browser import Person
from tests.e2e.lecture import CONTEST
from tests.e2e.lecture_papers import (
    certificates,
    import_archive,
    publish_report,
    read_report,
    write_archive,
)
from tests.e2e.lecture_proof import commitment, publish_secret, verify
from tests.e2e.lecture_team import (
    Team,
    accept_and_download,
    anonymize_at_home,
    attack_at_home,
    download_targets,
    guesses_are_marked,
    hand_in,
    hand_in_a_broken_table,
    hand_in_guesses,
    join,
    ranked_at_home,
    rate_at_home,
    table_is_scored,
)
from tests.e2e.team import number

# Each step has its cheaper test in tests/web: test_wizard, test_joining, test_lecture, test_lecture_marks,
# test_boards_ceremony, test_reveal, test_archives, test_final_report, test_certificates; test_looks opens the pages.
pytestmark = [pytest.mark.long, pytest.mark.timeout(900)]

PARTS = ("utility", "protection", "attack", "presentation")
# What each team does to its table, and how it attacks those of the others; Gold works by hand.
PLANS = {
    "Red": (("sa-noise", "record-deletion", "--set", "scale=2"), "nearest-scaled"),
    "Blue": (("qi-unification", "class-swap"), "gower"),
    "Green": (("sa-noise", "--set", "scale=0.5"), "one-candidate"),
    "Gold": ((), "optimal-assignment"),
}
MEMBERS = {"Red": "Rin", "Blue": "Ben", "Green": "Gina", "Gold": "Saki"}
# Marks for policy, algorithm and appeal: by the judge, and by the teacher.
MARKS = {
    "red": ((80, 70.5, 60), (90, 60, 75)),
    "blue": ((55, 65, 70), (60, 60, 60)),
    "green": ((95, 85, 90), (80, 88.25, 92)),
    "gold": ((40, 50, 99), (45, 55, 65)),
}


def test_a_lecture_from_the_wizard_to_the_certificates(meet, site, tmp_path):
    teacher, judge, visitor = (meet(name) for name in ("Teresa", "Judith", "Vera"))
    members = {name: meet(MEMBERS[name]) for name in PLANS}
    _newcomer, *known = members.values()
    site.admit([teacher, judge, *known], teacher)
    started = time.monotonic()
    prepare(teacher, judge, {name: member.email for name, member in members.items()})
    sys.stdout.write(f"From nothing to a public contest: {time.monotonic() - started:.1f} s\n")
    committed = commitment(visitor)

    for name, member in members.items():
        join(member, name)
    teams = [Team(name, members[name], tmp_path / name, *PLANS[name]) for name in PLANS]
    lecture.open_round(teacher, "anonymization")
    talk(teacher, teams)
    anonymize(teams)
    decide(teacher, teams[1])
    lecture.close_round(teacher, "anonymization")

    lecture.open_round(teacher, "attack")
    rates = attack(teams)
    nobody_knows_yet(visitor, teams)
    lecture.freeze(teacher)
    lecture.close_round(teacher, "attack")
    nobody_knows_yet(visitor, teams)

    lecture.open_round(teacher, "presentation")
    lecture.give_marks(judge, {team: points for team, (points, _) in MARKS.items()})
    lecture.give_marks(teacher, {team: points for team, (_, points) in MARKS.items()})
    lecture.close_round(teacher, "presentation")

    marks = {name: mean(map(mean, MARKS[name.lower()])) for name in PLANS}
    final = ranked_at_home(teams, rates, marks, tmp_path)
    close(teacher, visitor, final)
    boards_show(visitor, teams, rates, final)
    publish_secret(teacher)
    verify(visitor, teacher, teams[0], committed, tmp_path)
    copy = import_archive(teacher, write_archive(teacher, tmp_path))
    assert copy != f"{CONTEST}/"
    assert lecture.board(teacher, "score", copy) == lecture.board(teacher, "score")
    publish_report(teacher)
    read_report(visitor, teams)
    certificates(teacher, teams)


def prepare(teacher: Person, judge: Person, people: Mapping[str, str]) -> None:
    """The wizard, page by page."""
    lecture.new_contest(teacher)
    lecture.make_table(teacher)
    lecture.set_hours(teacher)
    lecture.set_up_teams(teacher, people)
    lecture.rehearse(teacher)
    lecture.edit_rules(teacher)
    lecture.add_judge(teacher, judge)
    lecture.publish(teacher)


def talk(teacher: Person, teams: list[Team]) -> None:
    """News for everybody; one team asks, and all read the answer."""
    words.announce(teacher)
    words.read_news(teams[0].captain)
    words.ask(teams[1])
    words.answer(teacher)
    words.read_answer(teams[1], teams[2:])


def decide(teacher: Person, team: Team) -> None:
    """A table is withdrawn by mistake, and put back; the team reads why, and from whom."""
    words.withdraw(teacher, team)
    words.reads_decision(team, teacher, words.BLAME, counts=False)
    words.reinstate(teacher, team)
    words.reads_decision(team, teacher, words.EXCUSE, counts=True)


def anonymize(teams: list[Team]) -> None:
    for seed, team in enumerate(teams):
        accept_and_download(team)
        anonymize_at_home(team, seed)
    hand_in_a_broken_table(teams[0])
    for team in teams:
        hand_in(team, team.file("anonymized.csv"))
    for team in teams:
        table_is_scored(team)


def attack(teams: list[Team]) -> dict[tuple[str, str], float]:
    """Everybody attacks everybody; the rates as the kit marks them."""
    rates = {}
    for team in teams:
        others = [other for other in teams if other is not team]
        download_targets(team, others)
        for other in others:
            attack_at_home(team, other)
        hand_in_guesses(team, others)
        rates |= {(team.name, other.name): rate_at_home(team, other) for other in others}
    for team in teams:
        guesses_are_marked(team, len(teams) - 1)
    return rates


def nobody_knows_yet(visitor: Person, teams: list[Team]) -> None:
    """While the attack is on, and where the board was frozen then, it has utility, and no rate."""
    shown = lecture.board(visitor, "score")
    assert {name: cells[1] for name, cells in shown.items()} == {
        team.name: f"{team.utility:.2f}" for team in teams
    }
    assert {tuple(cells[2:4]) for cells in shown.values()} == {("–", "–")}
    visitor.go(f"{CONTEST}/board/?board=matrix")
    visitor.sees("shown when the attack round has closed")


def close(teacher: Person, visitor: Person, final: dict[str, dict[str, float]]) -> None:
    """From the last place up: the public page shows what is revealed and no more."""
    order = sorted(final, key=lambda name: final[name]["rank"])
    visitor.go(f"{CONTEST}/ceremony/")
    lecture.start_ceremony(teacher)
    visitor.go(f"{CONTEST}/ceremony/")
    visitor.sees("0 of 4 places revealed")
    for step in range(1, len(order) + 1):
        lecture.reveal_next(teacher, step)
        visitor.sees(f"{step} of 4 places revealed")
        assert lecture.revealed(visitor) == order[-step:]
        still_hidden = visitor.page.locator(".ceremony-waiting .total").all_inner_texts()
        assert set(still_hidden) <= {"?"}
    teacher.press("Finish: show the whole leaderboard")
    teacher.sees("The ceremony is over")


def boards_show(
    person: Person,
    teams: list[Team],
    rates: dict[tuple[str, str], float],
    final: dict[str, dict[str, float]],
) -> None:
    """Every number of the boards is the one that was computed at home."""
    shown = lecture.board(person, "score")
    expected = {
        name: [f"{line[part]:.2f}" for part in ("total", *PARTS)] for name, line in final.items()
    }
    assert shown == expected
    assert lecture.ranks(person) == {name: line["rank"] for name, line in final.items()}
    matrix = lecture.board(person, "matrix")
    heads = person.page.locator(".matrix-table thead th.defender").all_inner_texts()
    for (attacker, target), rate in rates.items():
        cell = matrix[attacker][1 + heads.index(target)]  # after the mean
        assert number(cell) == pytest.approx(rate, abs=0.0051)  # in per cent, as the heading says
