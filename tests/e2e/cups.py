# SPDX-License-Identifier: Apache-2.0
"""Steps of people in contests in the manner of past cups: set up, publish synthetic tables, answer question sheets."""

from __future__ import annotations

import re
import tomllib
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import tomli_w
from playwright.sync_api import expect

from scoring.anonymizers.synthesizers import SYNTHESIZERS
from scoring.questions.asked import QuestionSpec
from scoring.questions.attackers import nearest_records, read_sheet
from scoring.questions.files import read_answers, write_answers
from scoring.questions.results import combined, result_of
from scoring.questions.sheets import Key
from scoring.rulesets import Ruleset, load_ruleset, parse_ruleset
from scoring.sandbox.models import trained
from scoring.tables.reading import read_table, write_table
from scoring.tables.schema import Schema
from tests.e2e.browser import Person
from tests.e2e.home import scoring
from tests.e2e.organizer import choose_format, open_text
from tests.e2e.team import approximately, make_team, measures_on
from tests.e2e.teams import HomeTeam


@dataclass(frozen=True)
class Cup:
    """A format, the smaller numbers with which its story is played in minutes, and the size of its table."""

    format: str
    title: str
    n_records: int
    data: Mapping[str, int]
    rare: int
    questions: Mapping[str, int]

    @property
    def slug(self) -> str:
        return self.title.lower().replace(" ", "-")

    @property
    def contest(self) -> str:
        return f"/c/{self.slug}"

    @property
    def organize(self) -> str:
        return f"/organize/{self.slug}"

    def rules(self) -> Ruleset:
        """The format with the smaller numbers."""
        values = tomllib.loads(load_ruleset(self.format).text)
        values["data"] |= self.data
        if self.rare:
            values["data"]["rare"]["records"] = self.rare
        for spec in values["round"]:
            for question in spec.get("question", ()):
                question |= {key: n for key, n in self.questions.items() if key in question}
        return parse_ruleset(tomli_w.dumps(values))


@dataclass
class Team(HomeTeam):
    """A team with its method."""

    cup: Cup
    method: str

    @property
    def schema(self) -> Schema:
        return Schema.from_toml(self.file("schema.toml").read_text())

    def table(self, name: str) -> pd.DataFrame:
        return read_table(self.file(name).read_bytes(), self.schema, file=name, original=True)


# The organizer


def create_contest(organizer: Person, cup: Cup) -> None:
    """From the wizard to a public contest."""
    page = organizer.page
    organizer.go("/organize/")
    organizer.follow("New contest")
    choose_format(organizer, load_ruleset(cup.format).title["en"])
    page.locator("#id_title").fill(cup.title)
    organizer.press("Create draft")
    organizer.sees("The contest is created as a draft.")
    organizer.go(f"{cup.organize}/rules/")
    open_text(organizer)
    page.locator("#id_text").fill(cup.rules().text)
    page.locator("#id_note").fill("Fewer records")
    organizer.press("Save the text")
    expect(page.locator("main")).to_contain_text("Fewer records")
    organizer.go(f"{cup.organize}/data/")
    page.get_by_label("Records", exact=True).fill(str(cup.n_records))
    organizer.press("Generate table")
    organizer.press("Review and use")
    organizer.press("Use this table")
    organizer.sees("The table is now the contest's original.")
    assert "will have no value" not in organizer.text("main")
    organizer.go(f"{cup.organize}/")
    organizer.says_what_is_known()
    organizer.press("Publish")
    organizer.sees("The contest is public")


def publish_report(organizer: Person, cup: Cup) -> None:
    """Make the final report, wait for it, publish it."""
    organizer.go(f"{cup.organize}/report/")
    organizer.press("Create report")
    organizer.press("Publish this version")
    organizer.sees("Published:")


# The team and its table


def found_team(name: str, captain: Person, cup: Cup, folder: Path, *, method: str) -> Team:
    """Make a team and accept the terms."""
    make_team(name, captain, cup.contest)
    team = Team(name, captain, folder / f"{cup.slug}-{name}", cup=cup, method=method)
    team.folder.mkdir()
    captain.go(f"{cup.contest}/")
    captain.follow("Read and accept the terms of participation; then you can download the data.")
    captain.press("I accept these terms")
    return team


def make_table(team: Team, stage: str) -> dict[str, Path]:
    """Download the team's own records, make a table of them at home, and score it."""
    person, rules = team.captain, team.cup.rules()
    address = round_of(team.cup, stage, "synthetic")
    person.go(address)
    if rules.data.choose == "once" and stage == rules.stages[0].key:
        person.press("Original 2")
    links = person.page.locator(".file-list")
    person.download(links.get_by_role("link", name="schema.toml"), team.file("schema.toml"))
    own = links.get_by_role("link", name=re.compile(r"_original.*\.csv")).first
    person.download(own, team.file("original.csv"))
    table = team.table("original.csv")
    made = SYNTHESIZERS[team.method](table, team.schema, len(table), rng=np.random.default_rng(1))
    files = {"synthetic": team.file(f"{stage}.csv")}
    files["synthetic"].write_bytes(write_table(made, team.schema))
    if any(rules.measure(measure).file for measure in rules.measures):
        files["model"] = team.file(f"{stage}.json")
        files["model"].write_bytes(trained(made, team.schema, "stroke"))
    written = team.file("ruleset.toml")
    written.write_text(rules.text)
    given = {"schema": team.file("schema.toml"), "original": team.file("original.csv")}
    model = {"model": files["model"]} if "model" in files else {}
    scores = {"ruleset": written, "anonymized": files["synthetic"], "seed": 1, **model}
    team.scores = scoring("score", **given, **scores)
    return files


ANYWAY = re.compile("^(Submit|Send anyway)$")
"""The button after the browser's check, where the format has one."""


def submit_a_broken_table(team: Team, stage: str, files: Mapping[str, Path]) -> None:
    """A category that nobody has: named by record and column, and no attempt is used."""
    header, first, *records = files["synthetic"].read_text().splitlines()
    names = header.removeprefix("\ufeff").split(",")
    column = next(c.name for c in team.schema.columns if c.values)
    cells = first.split(",")
    cells[names.index(column)] = "nobody"
    broken = team.file("broken.csv")
    broken.write_text("\n".join([header, ",".join(cells), *records]) + "\n")
    submit(team, stage, {**files, "synthetic": broken}, ANYWAY)
    problem = team.captain.page.locator("table.problems tbody tr")
    expect(problem).to_have_count(1)
    assert problem.locator("td").all_inner_texts()[1:3] == ["1", column]
    team.captain.go(round_of(team.cup, stage, "synthetic"))
    n = rounds_of(team.cup, stage)["synthetic"].tries
    expect(team.captain.page.locator(".stat-label").first).to_have_text(f"{n} of {n} attempts left")


def submit(
    team: Team, stage: str, files: Mapping[str, Path], button: str | re.Pattern[str] = "Submit"
) -> None:
    person = team.captain
    person.go(round_of(team.cup, stage, "synthetic"))
    for name, path in files.items():
        person.page.locator(f"input[type=file][name={name}]").set_input_files(path)
    person.press(button)


def is_scored_as_at_home(team: Team) -> None:
    """The result page shows the figures of the command line; those that draw at random have a secret seed."""
    expect(team.captain.page.locator("#status .state-scored")).to_be_visible()
    shown, rules = measures_on(team.captain), team.cup.rules()
    assert shown.keys() == {*rules.measures}
    for name, value in shown.items():
        if not rules.measure(name).draws:
            assert value == approximately(team.scores[name]), name
    team.scores |= shown


# The attack


def rounds_of(cup: Cup, stage: str):
    return {spec.kind: spec for spec in cup.rules().rounds if spec.stage == stage}


def round_of(cup: Cup, stage: str, kind: str) -> str:
    return f"{cup.contest}/round/{rounds_of(cup, stage)[kind].key}/"


def questions_of(cup: Cup, stage: str) -> tuple[QuestionSpec, ...]:
    return rounds_of(cup, stage)["question-attack"].questions


def answer(team: Team, target: Team, stage: str) -> None:
    """Download the targets, answer every question about one of them at home, and send the files together."""
    person = team.captain
    address = round_of(team.cup, stage, "question-attack")
    person.go(address)
    link = person.page.get_by_role("link", name="Download all targets (zip)")
    folder = team.file(f"{stage}-targets")
    with zipfile.ZipFile(person.download(link, team.file(f"{stage}-targets.zip"))) as packed:
        packed.extractall(folder)
    published = next(folder.glob(f"*{target.slug}*.csv"))
    with zipfile.ZipFile(next(folder.glob(f"*{target.slug}_questions.zip"))) as sheets:
        sheets.extractall(folder)
    table = read_table(published.read_bytes(), team.schema, file="published", original=True)
    sent = []
    for question in questions_of(team.cup, stage):
        data = (folder / f"{question.key}.csv").read_bytes()
        sheet = read_sheet(data, question, team.schema).known
        given = nearest_records(question, sheet, table, team.schema, np.arange(len(table)))
        sent.append(team.file(f"{question.key}_{target.slug}.csv"))
        sent[-1].write_bytes(write_answers(given, question, team.schema))
    person.page.locator("#id_guess").set_input_files(sent)
    person.press("Submit")
    expect(
        person.page.locator("#status .state-scored, table.targets .state-scored").first
    ).to_be_visible()
    assert "%" not in person.text("main").replace("1 %", ""), "nothing before the end"


def rate_at_home(team: Team, target: Team, stage: str, whole: pd.DataFrame) -> float:
    """The rate of the answers, by the organizer's table and by what only the target's team has."""
    folder, results = team.file(f"{stage}-targets"), []
    round = rounds_of(team.cup, stage)["question-attack"]
    for question in round.questions:
        data = (folder / f"{question.key}.csv").read_bytes()
        sheet = read_sheet(data, question, team.schema).known
        records, own = (matching(sheet, table) for table in (whole, target.table("original.csv")))
        inside = np.array([record is not None for record in own])
        truth = {
            name: np.array([record[name] for record in records])
            for name in question.blanked(team.schema)
        }
        key = Key(inside, truth, None, np.arange(len(sheet)))
        sent = team.file(f"{question.key}_{target.slug}.csv").read_bytes()
        answers = read_answers(sent, question, len(sheet), team.schema)
        results.append(result_of(question, key, answers))
    return combined(results, round.combine).value


def matching(sheet: pd.DataFrame, table: pd.DataFrame) -> list[dict[str, object] | None]:
    """For each record of a sheet, that of the table with the cells that the sheet shows."""
    found: list[dict[str, object] | None] = [None] * len(sheet)
    rows = table.to_dict("records")
    is_shown = sheet.notna().to_numpy()
    for pattern in np.unique(is_shown, axis=0):
        names = list(sheet.columns[pattern])
        known = dict(zip(keys_of(table[names]), rows, strict=True))
        at = np.flatnonzero((is_shown == pattern).all(axis=1))
        for place, key in zip(at, keys_of(sheet[names].iloc[at]), strict=True):
            found[place] = known.get(key)
    return found


def keys_of(table: pd.DataFrame) -> list[tuple[object, ...]]:
    return list(table.itertuples(index=False, name=None))
