# SPDX-License-Identifier: Apache-2.0
"""What people do in the browser in a contest about a hidden table: set it up, download, ask, hand in."""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path

from playwright.sync_api import expect

from scoring.formats.disclosure.curves import asked_once
from scoring.rulesets import load_ruleset
from tests.e2e.browser import Person
from tests.e2e.home import scoring
from tests.e2e.organizer import choose_format
from tests.e2e.team import make_team
from tests.e2e.teams import HomeTeam

RULES = load_ruleset("dp-disclosure")
TARGET = RULES.disclosure.target
N_CELLS = 108
BUDGET = "4"
TITLE = "Hidden households"
CONTEST = "/c/hidden-households"
ORGANIZE = "/organize/hidden-households"
ROUNDS = {key: f"{CONTEST}/round/{key}/" for key in ("batch", "interactive")}
ASK = f"{ROUNDS['interactive']}ask/"
N_RECORDS = 600


@dataclass
class Team(HomeTeam):
    """`counted` are its estimates that count, by round."""

    counted: dict[str, Path] = field(default_factory=dict)


# The organizer


def create_contest(organizer: Person) -> None:
    """A draft with a table that the platform makes, then public; its rounds are opened by hand."""
    page = organizer.page
    organizer.go("/organize/")
    organizer.follow("New contest")
    choose_format(organizer, RULES.title["en"])
    page.locator("#id_title").fill(TITLE)
    organizer.press("Create draft")
    organizer.sees("The contest is created as a draft.")
    page.get_by_label("Records", exact=True).fill(str(N_RECORDS))
    organizer.press("Generate table")
    organizer.press("Review and use")
    organizer.press("Use this table")
    organizer.sees("Participants do not get the table, but they see the schema.")
    organizer.go(f"{ORGANIZE}/")
    organizer.says_what_is_known()
    organizer.press("Publish")
    organizer.sees("The contest is public")


def hidden_table(organizer: Person, folder: Path) -> Path:
    """What nobody but the organizers gets."""
    organizer.go(f"{CONTEST}/")
    link = organizer.page.locator(f"a[href='{CONTEST}/data/original.csv']")
    return organizer.download(link, folder / "hidden.csv")


def spending(organizer: Person) -> dict[str, list[str]]:
    """Spent, left and the number of answers of each team."""
    organizer.go(f"{ORGANIZE}/disclosure/")
    rows = organizer.page.locator("section.panel-table tbody tr").all()
    return {
        row.locator(".name").inner_text(): row.locator("td.num").all_inner_texts() for row in rows
    }


# The team and the released table


def found_team(name: str, captain: Person, folder: Path) -> Team:
    """Make a team, accept the terms on the way to the released table, download it."""
    make_team(name, captain, CONTEST)
    team = Team(name, captain, folder / name)
    team.folder.mkdir()
    accept_terms(captain)
    captain.go(f"{CONTEST}/")
    schema = captain.page.locator(f"a[href='{CONTEST}/data/schema.toml']")
    captain.download(schema, team.file("schema.toml"))
    captain.go(ROUNDS["batch"])
    link = captain.page.locator(f"a[href='{ROUNDS['batch']}released.csv']")
    release = captain.download(link, team.file("released.csv"))
    captain.sees(hashlib.sha256(release.read_bytes()).hexdigest())
    return team


def accept_terms(person: Person) -> None:
    """Whoever follows the link to the released table is led to the terms first."""
    person.go(ROUNDS["batch"])
    person.page.locator("section[aria-labelledby=released-title] a").click()
    person.press("I accept these terms")


def estimate_at_home(team: Team, key: str, name: str = "", **source: str | Path) -> Path:
    """From a release or an answer to the file that is to count in a round."""
    made = team.file(f"{name or key}-estimate.csv")
    given = {"schema": team.file("schema.toml"), "columns": ",".join(TARGET)}
    found = scoring("dp", "estimate", **given, **source, out=made)
    assert found["n_cells"] == N_CELLS
    team.counted[key] = made
    return made


def hand_in(person: Person, key: str, estimate: Path) -> None:
    person.go(ROUNDS[key])
    person.page.locator("input[type=file][name=estimate]").set_input_files(estimate)
    person.press("Submit")


def hand_in_a_broken_estimate(team: Team) -> None:
    """A word and a negative number: both named by record and column, and no try is used."""
    lines = team.counted["batch"].read_text().splitlines()
    for record, count in ((5, "plenty"), (9, "-3")):
        lines[record] = f"{lines[record].rpartition(',')[0]},{count}"
    broken = team.file("broken.csv")
    broken.write_text("\n".join(lines) + "\n")
    person = team.captain
    hand_in(person, "batch", broken)
    problems = person.page.locator("table.problems tbody tr")
    expect(problems).to_have_count(2)
    named = [row.locator("td").all_inner_texts()[1:3] for row in problems.all()]
    assert named == [["5", "count"], ["9", "count"]]
    expect(problems.first).to_contain_text("plenty")


def is_scored(person: Person, key: str) -> None:
    """What was handed in last, and nobody is told how well; a broken one before it has used no try."""
    expect(person.page.locator("#status .state-scored")).to_be_visible()
    person.sees("Your estimate is valid. Its error is shown on")
    person.go(ROUNDS[key])
    person.sees("19 of 20 attempts left.")


# Asking


def fill_in(person: Person, columns: Sequence[str], epsilon: str) -> None:
    """Tick the columns on the page, and look what the answer would cost."""
    person.go(ASK)
    for column in columns:
        person.page.locator(f"input[name=columns][value={column}]").check()
    person.page.locator("#epsilon").fill(epsilon)
    person.press("Preview accuracy")


def offered(person: Person) -> list[str]:
    """Cost, what is left afterwards, cells, scale, bound and distance, as they stand before one pays."""
    expect(person.page.locator("#offer")).to_be_visible()
    return person.page.locator("#offer dd").all_inner_texts()


def ask(team: Team, epsilon: str, *, left: str) -> Path:
    """Ask for the target: the price first, then the answer, on the page the same as in its file."""
    person = team.captain
    fill_in(person, TARGET, epsilon)
    cost, remaining, cells, *_, distance = offered(person)
    assert (cost, remaining, cells) == (f"ε = {epsilon}", f"ε = {left}", str(N_CELLS))
    assert distance == f"{asked_once(N_CELLS, Decimal(epsilon)):.1f}"
    person.press(f"Spend ε = {epsilon} and get the answer")
    link = person.page.get_by_role("link", name="Download as CSV")
    answer = person.download(link, team.file(f"answer-{epsilon}.csv"))
    cells = person.page.locator(".counts-table tbody td").all_inner_texts()
    with answer.open(newline="", encoding="utf-8-sig") as file:
        _header, *lines = csv.reader(file)
    assert len(lines) == N_CELLS
    assert [cell.replace(",", "") for cell in cells] == [cell for line in lines for cell in line]
    return answer


def asks_again_for_nothing(person: Person, epsilon: str) -> None:
    """The same question, its ε written in another way."""
    fill_in(person, TARGET[::-1], epsilon)
    person.sees("Free: your team already has this answer")
    assert offered(person)[0].startswith("0")
    person.follow("Go to answer 1")
    expect(person.page.get_by_role("heading", level=1)).to_have_text("Answer 1")


def is_refused(person: Person, epsilon: str, *, left: str) -> None:
    """More than the team has: nothing is offered, and nothing was spent."""
    fill_in(person, ("sex",), epsilon)
    person.sees(f"The answer costs {epsilon} — expected at most {left}")
    expect(person.page.locator("#offer")).to_have_count(0)
    budget_is(person, left)
    refused = [fault for fault in person.faults if "422" in fault]
    assert len(refused) == 1, person.faults
    person.faults.remove(refused[0])


def budget_is(person: Person, left: str) -> None:
    expect(person.page.locator(".stat-label").first).to_have_text(f"{left} of ε = {BUDGET} left")
