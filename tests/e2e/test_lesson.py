# SPDX-License-Identifier: Apache-2.0
"""A class of ten lives through a lesson: three of them on phones, most without an account, all within 90 minutes."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pytest
from playwright.sync_api import expect

from tests.e2e import lecture
from tests.e2e.browser import Person

pytestmark = [pytest.mark.long, pytest.mark.timeout(900)]

TITLE = "Class of ten"
CONTEST, ORGANIZE = "/c/class-of-ten", "/organize/class-of-ten"
MINUTES = {"anonymization": 30, "attack": 30, "presentation": 30}
NAMES = ("Aoi", "Ben", "Cho", "Dai", "Emi", "Fumi", "Gen", "Hana", "Iori", "Jun")
N_PHONES = 3
PHONE = {"width": 390, "height": 844}
MOST_ACTIONS = 8
METHODS = ("exposed", "laplace", "mondrian", "rank-swap")


@dataclass
class Student:
    """Somebody in the class; what they do on the page is counted."""

    person: Person
    n_actions: int = 0

    def scan(self, link: str) -> None:
        self.n_actions += 1
        self.person.go(link)

    def fill(self, selector: str, text: str) -> None:
        self.n_actions += 1
        self.person.page.locator(selector).fill(text)

    def press(self, name: str | re.Pattern[str], role: str = "button") -> None:
        self.n_actions += 1
        self.person.page.get_by_role(role, name=name, exact=True).first.click()

    def choose(self, method: str) -> None:
        self.n_actions += 1
        self.person.page.locator(f"label[for=method-{method}]").click()


def test_a_class_of_ten_joins_tries_submits_and_attacks(meet, site):
    teacher = meet("Taro")
    site.admit([teacher], teacher)
    link = prepare(teacher)
    students = [Student(meet(name)) for name in NAMES]
    for student in students[:N_PHONES]:
        student.person.page.set_viewport_size(PHONE)
    for student in students:
        join(student, link)
    start(teacher)
    for number, student in enumerate(students):
        first_score(student, METHODS[number % len(METHODS)])
        assert student.n_actions <= MOST_ACTIONS, student.person.name
        fits_the_screen(student)
    lecture.close_round(teacher, "anonymization", ORGANIZE)
    lecture.open_round(teacher, "attack", ORGANIZE)
    for student in students:
        attack_two(student)
    lecture.close_round(teacher, "attack", ORGANIZE)
    ends_on_the_board(teacher)


def prepare(teacher: Person) -> str:
    """From the wizard to the link of the class, which the poster shows as a QR code."""
    lecture.new_contest(teacher, TITLE, "10人の授業")
    lecture.make_table(teacher)
    lecture.set_hours(teacher, MINUTES)
    teacher.go(f"{ORGANIZE}/")
    teacher.press("Publish")
    teacher.sees("The contest is public")
    teacher.go(f"{ORGANIZE}/teams/")
    teacher.press("Create a class code")
    teacher.follow("Show QR code and link")
    expect(teacher.page.locator(".poster-qr svg")).to_be_visible()
    return "/join/" + re.sub(r"\s", "", teacher.text(".poster-code")) + "/"


def join(student: Student, link: str) -> None:
    """Scan, name, team, join."""
    name = student.person.name
    student.scan(link)
    student.fill("input[name=display_name]", name)
    student.fill("#id_team_name", f"Team {name}")
    student.press("Accept the terms and join")
    student.person.sees(f"You are in the team Team {name}")


def start(teacher: Person) -> None:
    teacher.go(f"{ORGANIZE}/rounds/")
    teacher.follow("Start the lesson …")
    teacher.press("Start now")


def first_score(student: Student, method: str) -> None:
    """From the step that the page offers to the score of a submission."""
    page = student.person.page
    student.person.go(f"{CONTEST}/")
    student.press("Try it in the browser", "link")
    student.choose(method)
    student.press("Try")
    student.press("Submit this table")
    expect(page.locator("#status .state-scored")).to_be_visible()
    expect(page.locator("main")).to_contain_text("LOSS")


def fits_the_screen(student: Student) -> None:
    """Nothing on the page of the result is wider than the screen."""
    page = student.person.page
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def attack_two(student: Student) -> None:
    """The first attack on one team after another."""
    page = student.person.page
    student.person.go(f"{CONTEST}/")
    student.press("Try it in the browser", "link")
    expect(student.person.page.get_by_role("button", name="Attack", exact=True)).to_be_visible()
    student.press("Attack")
    student.press(re.compile("^Submit, and attack"))
    student.press("Submit this guess")
    expect(page.locator("#status .state-scored, #status .state-waiting")).to_be_visible()


def ends_on_the_board(teacher: Person) -> None:
    """Everybody has a place, and somebody was found."""
    shown = lecture.board(teacher, "measures", f"{CONTEST}/")
    assert set(shown) == {f"Team {name}" for name in NAMES}
    cells = [
        cell for line in lecture.board(teacher, "matrix", f"{CONTEST}/").values() for cell in line
    ]
    rates = [float(cell) for cell in cells if re.fullmatch(r"[0-9.]+", cell)]
    assert len(rates) >= 2 * len(NAMES)
    assert max(rates) > 0
