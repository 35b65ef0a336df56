# SPDX-License-Identifier: Apache-2.0
"""What an organizer does in the browser: a contest with its table and rounds."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from playwright.sync_api import expect

from scoring.datasets.households import HOUSEHOLDS_SCHEMA
from tests.e2e.browser import Person
from tests.e2e.home import scoring

TITLE, TITLE_JA = "Autumn cup", "秋のカップ"
CONTEST = "/c/autumn-cup"
ORGANIZE = "/organize/autumn-cup"
N_RECORDS = 300
ROLES = {"quasi_identifier": "quasi-identifier", "sensitive": "sensitive"}


def household_table(folder: Path) -> Path:
    """Pseudo households, each with a name that participants must not get."""
    drawn, named = folder / "drawn.csv", folder / "households.csv"
    scoring("generate", "households", records=N_RECORDS, seed=1, out=drawn)
    header, *records = drawn.read_text().splitlines()
    lines = [f"household_id,{header}", *(f"HH-{n:04},{r}" for n, r in enumerate(records, 1))]
    named.write_text("\n".join(lines) + "\n")
    return named


def choose_format(organizer: Person, title: str) -> None:
    """A format other than the recommended one, on the first page of the wizard."""
    organizer.page.get_by_text("Choose another format", exact=True).click()
    organizer.page.get_by_label(title).check()


def unfold_optional(organizer: Person) -> None:
    """The fields of a new contest that may stay empty."""
    organizer.page.get_by_text("Optional: Japanese title, address, summaries").click()


def create_contest(organizer: Person, table: Path) -> None:
    page = organizer.page
    organizer.go("/organize/")
    organizer.follow("New contest")
    page.locator("#id_title").fill(TITLE)
    unfold_optional(organizer)
    page.locator("#id_title_ja").fill(TITLE_JA)
    page.locator("#id_summary").fill("Three hundred households.")
    page.locator("#id_summary_ja").fill("300 世帯のデータです。")
    expect(page.locator("#id_slug")).to_have_value("autumn-cup")
    organizer.press("Create draft")
    organizer.sees("The contest is created as a draft.")
    organizer.go(f"{ORGANIZE}/")
    expect(page.get_by_role("button", name="Publish", exact=True)).to_be_disabled()
    give_table(organizer, table)
    set_dates(organizer)
    organizer.go(f"{ORGANIZE}/")
    organizer.says_what_is_known()
    organizer.press("Publish")
    organizer.sees("The contest is public")
    open_round(organizer, "anonymization")


def give_table(organizer: Person, table: Path) -> None:
    """Upload the table and say of every column what it is."""
    page = organizer.page
    organizer.go(f"{ORGANIZE}/data/")
    page.locator("input[type=file]").set_input_files(table)
    organizer.press("Upload")
    page.get_by_label("role of household_id", exact=True).select_option("identifier (hidden)")
    for column in HOUSEHOLDS_SCHEMA.columns:
        role, kind = ROLES[column.role.value], column.kind.value
        page.get_by_label(f"role of {column.name}", exact=True).select_option(role)
        page.get_by_label(f"kind of {column.name}", exact=True).select_option(kind)
        cross = page.get_by_label(f"{column.name} is a cross column", exact=True)
        if column.role.value == "quasi_identifier":
            cross.set_checked(column.cross)
    page.get_by_label("Column of attack E2").select_option(HOUSEHOLDS_SCHEMA.e2_column)
    page.get_by_label("Column of attack E4").select_option(HOUSEHOLDS_SCHEMA.e4_column)
    organizer.press("Check")
    organizer.sees("All values match their column types.")
    organizer.press("Review and use")
    organizer.sees("1 hidden column")
    organizer.press("Use this table")
    organizer.sees("The table is now the contest's original.")
    organizer.sees("Participants get 25 of them.")


def set_dates(organizer: Person) -> None:
    now = datetime.now(ZoneInfo("Asia/Tokyo"))
    days = {"anonymization": (2, 16), "attack": (16, 23)}
    organizer.go(f"{ORGANIZE}/rounds/")
    for key, moments in days.items():
        for name, day in zip(("opens_at", "closes_at"), moments, strict=True):
            moment = (now + timedelta(days=day)).strftime("%Y-%m-%dT%H:%M")
            organizer.page.locator(f"#id_{key}-{name}").fill(moment)
    organizer.press("Save")
    organizer.sees("Saved.")


def open_text(organizer: Person) -> None:
    """Unfold the text of the rules, which is for those who want more than the usual keys."""
    organizer.page.get_by_text("Advanced: all rules as TOML").click()


def open_round(organizer: Person, key: str, organize: str = ORGANIZE) -> None:
    _move_round(organizer, f"{organize}/rounds/", key, "Open now", "The round is open.")


def close_round(organizer: Person, key: str, organize: str = ORGANIZE) -> None:
    _move_round(organizer, f"{organize}/rounds/", key, "Close now", "The round is closed.")


def _move_round(organizer: Person, rounds: str, key: str, button: str, answer: str) -> None:
    organizer.go(rounds)
    form = organizer.page.locator(f"form[action*='/rounds/{key}/']")
    form.get_by_role("button", name=button, exact=True).click()
    organizer.sees(answer)
