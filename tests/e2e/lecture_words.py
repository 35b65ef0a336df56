# SPDX-License-Identifier: Apache-2.0
"""What a teacher and the teams tell each other: news, questions and answers, decisions and their reasons."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.e2e.browser import Person
from tests.e2e.lecture import CONTEST, ORGANIZE
from tests.e2e.lecture_team import ANONYMIZATION, Team

NEWS = "The talks are in room 101."
NEWS_JA = "発表は 101 教室で行います。"
SUBJECT = "Deleting records"
QUESTION = "May we delete a record?"
ANSWER = "Yes: leave the line and empty its cells."
BLAME = "The table was handed in for another team."
EXCUSE = "We were wrong: it is yours."


def announce(teacher: Person) -> None:
    """To everybody, in both languages."""
    page = teacher.page
    teacher.go(f"{ORGANIZE}/news/")
    words = {"title": NEWS, "text": f"{NEWS} Bring your slides.", "title_ja": NEWS_JA}
    for field, text in words.items():
        page.locator(f"#id_{field}").fill(text)
    teacher.press("Announce")
    expect(page.locator(".question-list")).to_contain_text(NEWS)


def read_news(person: Person) -> None:
    """Each in their own language; what was read is no longer counted as new."""
    person.go(f"{CONTEST}/")
    tab = person.page.locator(".contest-tabs .nav-link", has_text="News")
    expect(tab).to_contain_text("unread")
    tab.click()
    person.sees("Bring your slides.")
    person.press("日本語")
    person.sees(NEWS_JA)
    person.press("English")
    expect(tab).not_to_contain_text("unread")


def ask(team: Team) -> None:
    person = team.captain
    person.go(f"{CONTEST}/questions/")
    person.page.locator("#id_subject").fill(SUBJECT)
    person.page.locator("#id_text").fill(QUESTION)
    person.press("Send")
    expect(person.page.locator("main")).to_contain_text(SUBJECT)


def answer(teacher: Person) -> None:
    """First to the team, then for everybody, in words that do not name it."""
    page = teacher.page
    teacher.go(f"{ORGANIZE}/questions/")
    teacher.follow(SUBJECT)
    teacher.sees(QUESTION)
    page.locator("#id_answer").fill(ANSWER)
    teacher.press("Answer the team")
    teacher.sees(ANSWER)
    form = page.locator("form[action$='/publish/']")
    form.locator("[name=title]").fill(SUBJECT)
    form.locator("[name=text]").fill(f"{QUESTION} {ANSWER}")
    form.get_by_role("button", name="Publish", exact=True).click()
    teacher.sees("Published as a clarification")


def read_answer(team: Team, others: list[Team]) -> None:
    """The team that asked reads it, and everybody the clarification, without a name."""
    team.captain.go(f"{CONTEST}/questions/")
    team.captain.follow(SUBJECT)
    team.captain.sees(ANSWER)
    for other in others:
        other.captain.go(f"{CONTEST}/news/")
        clarification = other.captain.page.locator("article", has_text=ANSWER)
        expect(clarification).to_contain_text("clarification")
        expect(clarification).not_to_contain_text(team.name)


# Decisions


def withdraw(teacher: Person, team: Team) -> None:
    _rule(teacher, team, "Withdraw", BLAME)


def reinstate(teacher: Person, team: Team) -> None:
    _rule(teacher, team, "Reinstate", EXCUSE)


def _rule(teacher: Person, team: Team, button: str, reason: str) -> None:
    """On the page of the submission that the list of all submissions leads to."""
    teacher.go(f"{ORGANIZE}/submissions/")
    handed_in_by = teacher.page.locator("td:nth-child(2)", has_text=team.name)
    row = teacher.page.locator("tbody tr", has=handed_in_by)
    row.locator(".state-link:has(.state-scored)").first.click()
    teacher.follow("Appeal and decisions")
    teacher.page.locator("#id_reason").fill(reason)
    teacher.press(button)
    teacher.sees(reason)


def reads_decision(team: Team, teacher: Person, reason: str, *, counts: bool) -> None:
    """Why, by whom, and what it did to the table."""
    person = team.captain
    person.go(f"{CONTEST}/team/")
    person.follow("Decisions of the organizers")
    decision = person.page.locator("section p", has_text=reason)
    expect(decision).to_contain_text(teacher.name)
    person.go(ANONYMIZATION)
    expect(person.page.locator("#history tr.mine")).to_have_count(int(counts))
