# SPDX-License-Identifier: Apache-2.0
"""What people do in a contest of sequential release: set it up, publish at home, hand in, attack."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import expect

from scoring.errors import Problem, ProblemsFound
from scoring.formats.sequential.bundles import pack
from scoring.formats.sequential.series_files import read_series, read_tables
from scoring.registry import drawing
from scoring.rulesets import load_ruleset
from scoring.tables.schema import Schema
from scoring.tables.text import marked
from tests.e2e.browser import Person
from tests.e2e.home import scoring
from tests.e2e.organizer import choose_format, open_text
from tests.e2e.team import approximately, make_team, measures_on
from tests.e2e.teams import HomeTeam

RULES = load_ruleset("sequential-release")
DRAWN = set(drawing(RULES.measures, RULES.sequential.definition))
TITLE = "Changing hospital"
CONTEST = "/c/changing-hospital"
ORGANIZE = "/organize/changing-hospital"
RELEASE = f"{CONTEST}/round/release/"
ATTACK = f"{CONTEST}/round/attack/"
N_PATIENTS, N_TABLES, N_OWN, M = 250, 3, 80, 2
TRIES = 30


@dataclass
class Team(HomeTeam):
    """How it publishes its tables, and how it attacks the others' releases."""

    method: str
    attack: str

    @property
    def given(self) -> dict[str, Path]:
        return {"schema": self.file("schema.toml"), "tables": self.file("tables.zip")}


def files_in(archive: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(archive) as packed:
        return {name: packed.read(name) for name in packed.namelist()}


# The organizer


def create_contest(organizer: Person) -> None:
    """A draft with the tables of a made-up hospital and rules for few people, then public."""
    page = organizer.page
    organizer.go("/organize/")
    organizer.follow("New contest")
    choose_format(organizer, RULES.title["en"])
    page.locator("#id_title").fill(TITLE)
    organizer.press("Create draft")
    organizer.sees("The contest is created as a draft.")
    page.get_by_label("Patients in each table", exact=True).fill(str(N_PATIENTS))
    page.get_by_label("Tables", exact=True).fill(str(N_TABLES))
    organizer.press("Generate tables")
    expect(page.get_by_label("role of disease", exact=True)).to_have_value("sensitive")
    organizer.press("Review and use")
    organizer.press("Use these tables")
    organizer.sees(re.compile(rf"{N_TABLES} tables of \d+ people, with {N_PATIENTS * N_TABLES} "))
    edit_rules(organizer)
    organizer.go(f"{ORGANIZE}/data/")
    organizer.sees(re.compile(rf"That is enough for \d+ teams of {N_OWN} each\."))
    organizer.go(f"{ORGANIZE}/")
    organizer.press("Publish")
    organizer.sees("The contest is public")


def edit_rules(organizer: Person) -> None:
    """Fewer people for each team, and smaller groups; the page that teams will read shows it beside the text."""
    organizer.go(f"{ORGANIZE}/rules/")
    page = organizer.page
    open_text(organizer)
    text, preview = page.locator("#id_text"), page.locator("#preview")
    expect(preview).to_contain_text("m = 3")
    changed = text.input_value()
    for key, value in (("sample", N_OWN), ("m", M)):
        changed, n = re.subn(rf"(?m)^{key} = \d+", f"{key} = {value}", changed)
        assert n == 1, key
    text.fill(changed)
    text.press("End")
    expect(preview).to_contain_text(f"m = {M}")
    page.locator("#id_note").fill("A small hospital")
    organizer.press("Save the text")
    expect(page.locator("main")).to_contain_text("A small hospital")


# The team and its tables


def found_team(name: str, captain: Person, folder: Path, *, method: str, attack: str) -> Team:
    """Make a team, accept the terms, download what is the team's alone, publish it at home."""
    make_team(name, captain, CONTEST)
    team = Team(name, captain, folder / name, method, attack)
    team.folder.mkdir()
    captain.go(f"{CONTEST}/")
    captain.follow("Read and accept the terms of participation; then you can download the data.")
    captain.press("I accept these terms")
    captain.go(RELEASE)
    links = captain.page.locator(".file-list")
    tables = links.get_by_role("link", name=f"team{team.slug}_original.zip")
    captain.download(tables, team.file("tables.zip"))
    captain.download(links.get_by_role("link", name="schema.toml"), team.file("schema.toml"))
    publish_at_home(team)
    return team


def people_of(team: Team) -> set[str]:
    """Everybody in a team's tables."""
    tables = files_in(team.file("tables.zip"))
    assert list(tables) == [f"T{time}.csv" for time in range(1, N_TABLES + 1)]
    return {
        row["patient"]
        for data in tables.values()
        for row in csv.DictReader(io.StringIO(data.decode("utf-8-sig")))
    }


def publish_at_home(team: Team) -> None:
    """By the kit; its scores are the ones to compare."""
    made = {"zip": team.file("series.zip"), "people_out": team.file("people.zip")}
    scoring("sequential", "publish", **team.given, m=M, method=team.method, **made)
    team.scores = scores_of(team, "series.zip")


def scores_of(team: Team, series: str) -> dict[str, float]:
    """By the rules of the contest, but for what its organizer has changed."""
    return scoring("sequential", "score", **team.given, series=team.file(series), m=M)


# Handing in


def hand_in(team: Team, series: Path) -> None:
    person = team.captain
    person.go(RELEASE)
    person.page.locator("input[type=file][name=series]").set_input_files(series)
    person.press("Submit")


def hand_in_without_a_file(team: Team) -> None:
    """A release is missing, and something else is there: both are named."""
    files = files_in(team.file("series.zip"))
    files["notes.txt"] = files.pop("R2.csv")
    is_refused(team, files, "R2.csv", "notes.txt")


def hand_in_a_wrong_box(team: Team) -> None:
    """The box of a group is elsewhere: its people are named as the kit names them."""
    files = files_in(team.file("series.zip"))
    rows = list(csv.DictReader(io.StringIO(files["R1.csv"].decode("utf-8-sig"))))
    for row in rows:
        if row["group"] == "1":
            row |= {"zip_low": "49999", "zip_high": "49999"}
    text = io.StringIO()
    writer = csv.DictWriter(text, rows[0], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    is_refused(team, files | {"R1.csv": text.getvalue().encode()}, "T1")


def is_refused(team: Team, files: dict[str, bytes], *named: str) -> None:
    """Every problem that the kit has stands on the page, and no try is used."""
    broken = team.file("broken.zip")
    broken.write_bytes(pack(files))
    expected = [where(problem, broken) for problem in problems(team, broken)]
    hand_in(team, broken)
    rows = team.captain.page.locator("table.problems tbody tr")
    expect(rows).to_have_count(len(expected))
    shown = [tuple(row.locator("td").all_inner_texts()[:3]) for row in rows.all()]
    assert sorted(shown) == sorted(expected)
    for name in named:
        expect(team.captain.page.locator("table.problems")).to_contain_text(name)
    tries_left(team, TRIES)


def where(problem: Problem, archive: Path) -> tuple[str, str, str]:
    """File, row and column as a page has them: the archive by its name, what is in it and the tables by theirs."""
    file = archive.name if problem.file == "series" else f"{problem.file}.csv"
    return file, str(problem.row or ""), problem.column or ""


def problems(team: Team, series: Path) -> tuple[Problem, ...]:
    """What the kit has against a series."""
    schema = Schema.from_toml(team.file("schema.toml").read_text())
    tables = read_tables(team.file("tables.zip").read_bytes(), schema)
    try:
        read_series(series.read_bytes(), tables, "patient", m=M)
    except ProblemsFound as error:
        return error.problems
    raise AssertionError(f"{series} is no broken series")


def series_is_scored(team: Team) -> None:
    """The result page shows the kit's own numbers, without being reloaded; what draws at random, by a secret seed."""
    expect(team.captain.page.locator("#status .state-scored")).to_be_visible()
    shown = measures_on(team.captain)
    assert list(shown) == list(RULES.measures)
    for measure in shown.keys() - DRAWN:
        assert shown[measure] == approximately(team.scores[measure]), measure
    assert {"series-query-error"} == DRAWN
    assert shown["series-query-error"] > 0
    tries_left(team, TRIES - 1)


def tries_left(team: Team, n: int) -> None:
    team.captain.go(RELEASE)
    expect(team.captain.page.locator(".stat-label").first).to_have_text(
        f"{n} of {TRIES} attempts left"
    )


# The attack


def download_targets(team: Team, others: list[Team]) -> None:
    """What was handed in, without who was left out; and the people as the kit writes them."""
    person = team.captain
    person.go(ATTACK)
    link = person.page.get_by_role("link", name="Download all targets (zip)")
    with zipfile.ZipFile(person.download(link, team.file("targets.zip"))) as packed:
        packed.extractall(team.folder)
    for other in others:
        handed_in = files_in(other.file("series.zip"))
        public = {name: marked(data) for name, data in handed_in.items() if name[0] != "D"}
        assert files_in(team.file(f"team{other.slug}_series.zip")) == public
        people = files_in(other.file("people.zip"))
        found = files_in(team.file(f"team{other.slug}_people.zip"))
        assert found == {name: marked(data) for name, data in people.items()}


def guess(team: Team, target: Team) -> Path:
    return team.file(f"team{team.slug}_attack_team{target.slug}.csv")


def attack_at_home(team: Team, target: Team) -> None:
    """From the releases and the people of the target."""
    found = scoring(
        "sequential",
        "guess",
        schema=team.file("schema.toml"),
        people=team.file(f"team{target.slug}_people.zip"),
        series=team.file(f"team{target.slug}_series.zip"),
        method=team.attack,
        out=guess(team, target),
    )
    assert found["n_records"] == N_OWN


def hand_in_guesses(team: Team, others: list[Team]) -> None:
    """All in one go."""
    person = team.captain
    person.page.locator("#id_guess").set_input_files([guess(team, other) for other in others])
    person.press("Submit")


def guesses_are_marked(team: Team, n: int) -> None:
    """And nobody is told how well they did."""
    expect(team.captain.page.locator("table.targets .state-scored")).to_have_count(n)
    assert "%" not in team.captain.text("table.targets")


def marks_at_home(team: Team, target: Team) -> dict[str, float]:
    """What a guess is worth, by what only the target's team has."""
    series = team.file(f"team{target.slug}_series.zip")
    given = {**target.given, "series": series, "guess": guess(team, target)}
    return scoring("sequential", "mark", **given, m=M)
