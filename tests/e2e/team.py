# SPDX-License-Identifier: Apache-2.0
"""What a team does, in the browser and at home: found, invite, anonymize, hand in, attack."""

from __future__ import annotations

import csv
import re
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import expect

from scoring.datasets.households import HOUSEHOLDS_SCHEMA
from tests.e2e.browser import Person
from tests.e2e.home import scoring
from tests.e2e.organizer import CONTEST, N_RECORDS
from tests.e2e.teams import HomeTeam

ANONYMIZATION = f"{CONTEST}/round/anonymization/"
ATTACK = f"{CONTEST}/round/attack/"
UTILITY = ("U1", "U2", "U3", "U4", "U5", "U6")
LINKAGE = ("E1", "E2", "E3", "E4", "EUC1", "EUC2")
MEASURES = (*UTILITY, "S1", "S2", *LINKAGE)


@dataclass
class Team(HomeTeam):
    """How it anonymizes its table, and how it attacks the others'."""

    method: str
    attack: str

    @property
    def worst(self) -> float:
        return max(self.scores[attack] for attack in LINKAGE)


def found_team(name: str, captain: Person, folder: Path, *, method: str, attack: str) -> Team:
    """Sign up, make a team, download everything, anonymize at home."""
    captain.go(f"{CONTEST}/")
    captain.sign_up()
    make_team(name, captain)
    team = Team(name, captain, folder / name, method, attack)
    team.folder.mkdir()
    download_everything(team)
    anonymize_at_home(team, seed=len(name))
    return team


def make_team(name: str, captain: Person, contest: str = CONTEST) -> None:
    captain.go(f"{contest}/team/")
    captain.page.locator("#id_name").fill(name)
    captain.press("Create team")
    expect(captain.page.get_by_role("heading", level=1)).to_have_text(name)


def download_everything(team: Team) -> None:
    person = team.captain
    person.go(f"{CONTEST}/")
    person.follow("Read and accept the terms of participation; then you can download the data.")
    person.press("I accept these terms")
    data = f"{CONTEST}/data"
    for name in ("original.csv", "schema.toml", "sample/anonymized.csv", "sample/rows.csv"):
        link = person.page.locator(f"a[href='{data}/{name}']").first
        person.download(link, team.file(name.replace("/", "-")))
    with team.file("original.csv").open(newline="", encoding="utf-8-sig") as file:
        header, *records = csv.reader(file)
    assert header == list(HOUSEHOLDS_SCHEMA.names), "without the identifier"
    assert len(records) == N_RECORDS
    given = {"schema": team.file("schema.toml"), "original": team.file("original.csv")}
    sample = {
        "anonymized": team.file("sample-anonymized.csv"),
        "rows": team.file("sample-rows.csv"),
    }
    assert scoring("validate", **given, **sample)["n_problems"] == 0


def anonymize_at_home(team: Team, seed: int) -> None:
    given = {"schema": team.file("schema.toml"), "original": team.file("original.csv")}
    made = team.file("anonymized.csv"), team.file("rows.csv")
    scoring("anonymize", team.method, **given, seed=seed, out=made[0], rows=made[1])
    team.scores = scoring("score", **given, anonymized=made[0], rows=made[1])


def invite(captain: Person, mate: Person, contest: str = CONTEST) -> None:
    """The captain makes a link; whoever opens it without an account signs up and comes back to it."""
    captain.go(f"{contest}/team/")
    captain.press("Create invitation link")
    link = captain.page.locator("#invitation-link").input_value()
    mate.go(link)
    if not mate.has_account:
        mate.sign_up()
    mate.press("Join the team")
    expect(mate.page.get_by_role("heading", level=1)).to_have_text("You are in the team Red")
    captain.go(f"{contest}/team/")
    captain.sees(mate.name)


def choose_files(person: Person, anonymized: Path, rows: Path) -> None:
    person.go(ANONYMIZATION)
    person.page.locator("input[type=file][name=anonymized]").set_input_files(anonymized)
    person.page.locator("input[type=file][name=rows]").set_input_files(rows)


def hand_in_a_broken_table(team: Team, *, by: Person) -> None:
    """A word in a number: named by record and column, and no try is used."""
    header, *records = team.file("anonymized.csv").read_text(encoding="utf-8-sig").splitlines()
    column = header.split(",").index("food")
    cells = records[6].split(",")
    records[6] = ",".join([*cells[:column], "plenty", *cells[column + 1 :]])
    broken = team.file("broken.csv")
    broken.write_text("\n".join([header, *records]) + "\n")
    separated = team.file("semicolons.csv")
    separated.write_text(broken.read_text().replace(",", ";"))
    found = by.page.locator(".file-check li")
    choose_files(by, separated, team.file("rows.csv"))
    expect(found).to_have_count(1)
    expect(found).to_contain_text("cells separated by semicolons")
    choose_files(by, broken, team.file("rows.csv"))
    expect(found).to_have_count(1)
    expect(found).to_contain_text("broken.csv · record 7 · column food")
    expect(found).to_contain_text("plenty")
    by.sees("20 of 20 attempts left.")
    by.press("Send anyway")
    problem = by.page.locator("table.problems tbody tr")
    expect(problem).to_have_count(1)
    file, record, name, *_ = problem.locator("td").all_inner_texts()
    assert (record, name) == ("7", "food"), file
    expect(problem).to_contain_text("plenty")
    by.go(ANONYMIZATION)
    by.sees("20 of 20 attempts left.")


def hand_in_a_table(team: Team, *, by: Person) -> None:
    """It waits while the worker is held, then turns to scored in a page that nobody reloads."""
    choose_files(by, team.file("anonymized.csv"), team.file("rows.csv"))
    by.sees(f"No problems found in {N_RECORDS:,} records.")
    with by.site.worker_held():
        by.press("Submit")
        expect(by.page.locator("#status .state-waiting")).to_be_visible()
        by.sees("next in the queue")
    expect(by.page.locator("#status .state-scored")).to_be_visible()
    shown = measures_on(by)
    assert list(shown) == list(MEASURES)
    for measure, value in shown.items():
        assert value == approximately(team.scores[measure]), measure
    by.go(ANONYMIZATION)
    expect(by.page.locator(".stat-label").first).to_have_text("19 of 20 attempts left")


def measures_on(person: Person) -> dict[str, float]:
    """Every measure of the result page."""
    found = {}
    for row in person.page.locator("#measures tbody tr:has(.measure-id)").all():
        value = row.locator("td strong").inner_text()
        found[row.locator(".measure-id").inner_text()] = number(value)
    return found


def number(text: str) -> float:
    """A number as people read it: separators and a sign of percent."""
    plain = float(re.sub(r"[,%\s]", "", text))
    return plain / 100 if "%" in text else plain


def approximately(value: float):
    """Six significant digits of a measure, two decimals of a percentage."""
    return pytest.approx(value, rel=1e-5, abs=5.1e-5 if value <= 1 else 0)


# The attack


def guess_at_home(team: Team, target: Team) -> Path:
    """Download the target's published table and guess where its records come from."""
    person = team.captain
    person.go(ATTACK)
    link = person.page.get_by_role("link", name=f"{target.slug}.csv", exact=True)
    seen = person.download(link, team.file(f"{target.slug}.csv"))
    given = {"schema": team.file("schema.toml"), "original": team.file("original.csv")}
    guess = team.file(f"guess-{target.slug}.csv")
    scoring("attack", team.attack, **given, anonymized=seen, seed=1, out=guess)
    return guess


def rate_at_home(team: Team, target: Team) -> float:
    """What the guess is worth, marked with the row file that only the target's team has."""
    made = target.file("anonymized.csv").read_text().splitlines()[1:]
    published = team.file(f"{target.slug}.csv").read_text().splitlines()[1:]
    assert len(set(made)) == len(made), "records tell where they went"
    assert sorted(published) == sorted(made)
    assert published != made, "a published table is shuffled"
    rows = dict(zip(made, target.file("rows.csv").read_text().split()[-len(made) :], strict=True))
    shuffled = target.file("published-rows.csv")
    shuffled.write_text("\n".join(["row", *(rows[record] for record in published)]) + "\n")
    guess = team.file(f"guess-{target.slug}.csv")
    return scoring("mark", rows=shuffled, guess=guess, original=team.file("original.csv"))["rate"]


def attack_singly(team: Team, target: Team) -> None:
    """One file, sent from the target's own line."""
    guess = guess_at_home(team, target)
    row = team.captain.page.locator("table.targets tbody tr").filter(has_text=target.name)
    row.locator("input[type=file]").set_input_files(guess)
    _marked_but_not_told(team.captain, target)


def attack_by_zip(team: Team, target: Team) -> None:
    """An archive, its files named after their targets."""
    archive = team.file("guesses.zip")
    with zipfile.ZipFile(archive, "w") as zipped:
        zipped.write(guess_at_home(team, target), f"attack_{target.slug}.csv")
    team.captain.page.locator("#id_guess").set_input_files(archive)
    team.captain.press("Submit")
    _marked_but_not_told(team.captain, target)


def _marked_but_not_told(person: Person, target: Team) -> None:
    expect(person.page.get_by_role("heading", level=1)).to_contain_text(f"→ {target.name}")
    expect(person.page.locator("#status .state-scored")).to_be_visible()
    person.sees("Your guess is valid and was scored.")
    assert "%" not in person.text("main")
