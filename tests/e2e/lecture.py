# SPDX-License-Identifier: Apache-2.0
"""What a teacher does in the browser for a lecture contest: set it up, rehearse, publish, lead, judge, close."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from playwright.sync_api import expect

from tests.e2e.browser import Person
from tests.e2e.organizer import choose_format, open_text, unfold_optional
from tests.services import wait_until

TITLE, TITLE_JA = "Customer data lecture", "顧客データの講義"
CONTEST = "/c/customer-data-lecture"
ORGANIZE = "/organize/customer-data-lecture"
N_RECORDS = 1_000
N_OWN = 100
CRITERIA = ("policy", "algorithm", "appeal")
MINUTES = {"anonymization": 60, "attack": 60, "presentation": 60}
"""The length of each round: an afternoon."""
OLD_RULE = "Each team presents for 15 minutes"
NEW_RULE = "Each team presents for five minutes"


# From nothing to a public contest


def new_contest(teacher: Person, title: str = TITLE, title_ja: str = TITLE_JA) -> None:
    """The first page of the wizard: a format and a name."""
    page = teacher.page
    teacher.go("/organize/")
    teacher.follow("New contest")
    choose_format(teacher, "Lecture contest: own tables, candidates and presentations")
    page.locator("#id_title").fill(title)
    unfold_optional(teacher)
    page.locator("#id_title_ja").fill(title_ja)
    page.locator("#id_summary").fill("Every team anonymizes its own customers.")
    page.locator("#id_summary_ja").fill("各チームが自分の顧客データを匿名加工します。")
    teacher.press("Create draft")
    teacher.sees("The contest is created as a draft.")


def make_table(teacher: Person) -> None:
    """Let the platform make the table; its columns are known and only confirmed."""
    page = teacher.page
    page.get_by_label("Records", exact=True).fill(str(N_RECORDS))
    teacher.press("Generate table")
    expect(page.get_by_label("role of income", exact=True)).to_have_value("sensitive")
    teacher.press("Review and use")
    teacher.press("Use this table")
    teacher.sees("The table is now the contest's original.")
    teacher.sees("1,000 records")


def set_hours(teacher: Person, lengths: Mapping[str, int] = MINUTES) -> None:
    """Short rounds, one after the other, from one o'clock tomorrow."""
    teacher.follow("Next: Rounds →")
    day = datetime.now(ZoneInfo("Asia/Tokyo")) + timedelta(days=1)
    opens_at = day.replace(hour=13, minute=0)
    for key, minutes in lengths.items():
        closes_at = opens_at + timedelta(minutes=minutes)
        for name, at in (("opens_at", opens_at), ("closes_at", closes_at)):
            teacher.page.locator(f"#id_{key}-{name}").fill(at.strftime("%Y-%m-%dT%H:%M"))
        opens_at = closes_at
    teacher.press("Save")
    teacher.sees("Saved.")


def rehearse(teacher: Person) -> None:
    """Bots play the whole contest on a copy, and their board is full."""
    page = teacher.page
    teacher.follow("Dry run")
    teacher.press("Run the bots")
    expect(page.locator("#status .state-done")).to_be_visible(timeout=240_000)
    expect(page.locator("table tbody tr")).to_have_count(len(MINUTES))
    for row in page.locator("table tbody tr").all():
        expect(row.locator("td").last).to_have_text("none")
    teacher.follow("See their leaderboard")
    teacher.sees("dry run, visible to organizers only")
    shown = page.locator(".board-table tbody tr td.strong")
    expect(shown).to_have_count(4)
    assert all(0 < float(total) <= 100 for total in shown.all_inner_texts())


def edit_rules(teacher: Person) -> None:
    """Change a sentence of the rules; the page that teams will read shows it beside the text."""
    teacher.go(f"{ORGANIZE}/rules/")
    page = teacher.page
    open_text(teacher)
    text = page.locator("#id_text")
    preview = page.locator("#preview")
    expect(preview).to_contain_text(OLD_RULE)
    text.fill(text.input_value().replace(OLD_RULE, NEW_RULE))
    text.press("End")
    expect(preview).to_contain_text(NEW_RULE)
    page.locator("#id_note").fill("Shorter talks")
    teacher.press("Save the text")
    expect(page.locator("main")).to_contain_text("Shorter talks")


def set_up_teams(teacher: Person, people: Mapping[str, str]) -> None:
    """Teams and the addresses of their members from a list; nothing is mailed before the contest is public."""
    page = teacher.page
    teacher.go(f"{ORGANIZE}/teams/")
    listed = "\n".join(["team,division,email", *(f"{team},,{who}" for team, who in people.items())])
    page.locator("main input[type=file]").set_input_files(
        {"name": "class.csv", "mimeType": "text/csv", "buffer": listed.encode()}
    )
    teacher.press("Check list")
    teacher.sees("4 teams, 4 invitations")
    teacher.press("Create teams and send invitations")
    teacher.sees("4 teams are set up.")
    teacher.sees("Invitations are emailed when the contest is public.")


def add_judge(teacher: Person, judge: Person) -> None:
    teacher.go(f"{ORGANIZE}/")
    form = teacher.page.locator("form[action$='/judges/']").last
    form.locator("input[type=email]").fill(judge.email)
    form.get_by_role("button", name="Invite judge", exact=True).click()
    teacher.sees(f"We sent an invitation to {judge.email}.")
    wait_until(lambda: judge.site.links_mailed_to(judge.email), f"mail to {judge.email}")
    judge.go(judge.site.links_mailed_to(judge.email)[-1])
    judge.press("Accept")
    judge.sees("You judge “")
    teacher.go(f"{ORGANIZE}/")
    expect(teacher.page.locator("form[action$='/judges/']").first).to_contain_text(judge.email)


def publish(teacher: Person) -> None:
    teacher.go(f"{ORGANIZE}/")
    teacher.says_what_is_known()
    teacher.press("Publish")
    teacher.sees("The contest is public")


# On the day


def open_round(teacher: Person, key: str, organize: str = ORGANIZE) -> None:
    _move_round(teacher, f"{organize}/rounds/", key, "Open now", "The round is open.")


def close_round(teacher: Person, key: str, organize: str = ORGANIZE) -> None:
    _move_round(teacher, f"{organize}/rounds/", key, "Close now", "The round is closed.")


def _move_round(teacher: Person, rounds: str, key: str, button: str, answer: str) -> None:
    teacher.go(rounds)
    form = teacher.page.locator(f"form[action*='/rounds/{key}/']")
    form.get_by_role("button", name=button, exact=True).click()
    teacher.sees(answer)


def give_marks(judge: Person, marks: Mapping[str, tuple[float, ...]]) -> None:
    """Marks of one judge for every team, by criterion."""
    judge.go(f"{CONTEST}/round/presentation/")
    judge.follow("Enter grades")
    for team, points in marks.items():
        for criterion, mark in zip(CRITERIA, points, strict=True):
            judge.page.locator(f"#id_{criterion}-{team}").fill(str(mark))
    judge.press("Save grades")
    judge.sees("You have graded every team on every criterion.")


# Boards


def board(person: Person, name: str, contest: str = f"{CONTEST}/") -> dict[str, list[str]]:
    """The cells of every team on a board, the best team first."""
    person.go(f"{contest}board/?board={name}")
    rows = person.page.locator(".board-table tbody tr:has(.team-name)").all()
    return {
        row.locator(".team-name").inner_text(): row.locator("td:not(.course)").all_inner_texts()
        for row in rows
    }


def ranks(person: Person) -> dict[str, int]:
    """Places on the page that is open."""
    rows = person.page.locator(".board-table tbody tr:has(.team-name)").all()
    return {
        row.locator(".team-name").inner_text(): int(
            re.sub(r"\D", "", row.locator(".rank").inner_text())
        )
        for row in rows
    }


# Afterwards


def freeze(teacher: Person) -> None:
    teacher.go(f"{ORGANIZE}/board/")
    teacher.press("Freeze")
    teacher.sees("The leaderboard is frozen.")


def start_ceremony(teacher: Person) -> None:
    teacher.go(f"{ORGANIZE}/board/")
    teacher.press("Start ceremony")
    teacher.sees("0 of 4 places revealed")


def reveal_next(teacher: Person, step: int) -> None:
    teacher.page.get_by_role("button", name="Next place").click()
    teacher.sees(f"{step} of 4 places revealed")


def revealed(person: Person) -> list[str]:
    """The teams whose final places are on the screen, the best first."""
    return person.page.locator(".ceremony-final tbody th").all_inner_texts()
