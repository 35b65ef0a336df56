# SPDX-License-Identifier: Apache-2.0
"""What a team does in a lecture contest: its own table, anonymized at home, and attacks on the others'."""

from __future__ import annotations

import csv
import functools
import zipfile
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import expect

from tests.e2e.browser import Person
from tests.e2e.home import scoring
from tests.e2e.lecture import CONTEST, N_OWN
from tests.e2e.team import approximately, number
from tests.e2e.teams import HomeTeam
from tests.services import wait_until

RULES = "pets-lecture"
ANONYMIZATION = f"{CONTEST}/round/anonymization/"
ATTACK = f"{CONTEST}/round/attack/"
HEADLINE = "LOSS"
TRIES = 20


@dataclass
class Team(HomeTeam):
    """What it does to its table, one method after the other, and how it attacks those of the others."""

    methods: tuple[str, ...]
    attack: str

    @property
    def given(self) -> dict[str, Path]:
        return {"schema": self.file("schema.toml"), "original": self.file("original.csv")}

    @property
    def utility(self) -> float:
        return 100 * (1 - self.scores[HEADLINE])


def lines_of(table: Path) -> list[str]:
    """The records of a table as they stand in the file, deleted ones too."""
    return table.read_text().splitlines()[1:]


# The team and its own table


def join(member: Person, name: str) -> None:
    """Open the personal link of the mail; whoever has no account signs up and comes back to it."""
    mailed = functools.partial(member.site.links_mailed_to, member.email)
    wait_until(mailed, f"the invitation of {member.email}")
    link = mailed()[0]
    member.go(link.removeprefix(member.site.url))
    if not member.has_account:
        member.sign_up(is_proved=True)
    member.press("Join the team")
    expect(member.page.get_by_role("heading", level=1)).to_have_text(f"You are in the team {name}")


def accept_and_download(team: Team) -> None:
    """Accept the terms, then download what is the team's alone."""
    person = team.captain
    team.folder.mkdir()
    person.go(f"{CONTEST}/")
    person.follow("Read and accept the terms of participation; then you can download the data.")
    person.press("I accept these terms")
    person.go(ANONYMIZATION)
    links = person.page.locator(".file-list")
    table = links.get_by_role("link", name=f"team{team.name}_original.csv")
    person.download(table, team.file("original.csv"))
    person.download(links.get_by_role("link", name="schema.toml"), team.file("schema.toml"))
    assert len(lines_of(team.file("original.csv"))) == N_OWN


def anonymize_at_home(team: Team, seed: int) -> None:
    """By the kit, or by hand where no method is named; the kit's scores are the ones to compare."""
    made = team.file("anonymized.csv")
    if team.methods:
        scoring("anonymize", *team.methods, "--aligned", **team.given, seed=seed, out=made)
    else:
        anonymize_by_hand(team)
    assert scoring("validate", ruleset=RULES, **team.given, anonymized=made)["n_problems"] == 0
    team.scores = scoring("score", ruleset=RULES, **team.given, anonymized=made)


def anonymize_by_hand(team: Team) -> None:
    """As in a spreadsheet: exchange the incomes of neighbours, delete the first record."""
    header, *records = list(
        csv.reader(team.file("original.csv").open(newline="", encoding="utf-8-sig"))
    )
    income = header.index("income")
    for one, other in zip(records[1::2], records[2::2], strict=False):
        one[income], other[income] = other[income], one[income]
    records[0] = [""] * len(header)
    with team.file("anonymized.csv").open("w", newline="") as file:
        csv.writer(file).writerows([header, *records])


def hand_in(team: Team, table: Path, button: str = "Submit") -> None:
    person = team.captain
    person.go(ANONYMIZATION)
    person.page.locator("input[type=file][name=anonymized]").set_input_files(table)
    person.press(button)


def hand_in_a_broken_table(team: Team) -> None:
    """An income that nobody has, a half-empty line, a word: all named at once, and no try is used."""
    header, *records = team.file("anonymized.csv").read_text(encoding="utf-8-sig").splitlines()
    names = header.split(",")
    for record, column, cell in (
        (4, "income", "123456789"),
        (6, "food", ""),
        (8, "food", "plenty"),
    ):
        cells = records[record].split(",")
        cells[names.index(column)] = cell
        records[record] = ",".join(cells)
    broken = team.file("broken.csv")
    broken.write_text("\n".join([header, *records]) + "\n")
    hand_in(team, broken, "Send anyway")
    problems = team.captain.page.locator("table.problems tbody tr")
    expect(problems).to_have_count(3)
    named = [row.locator("td").all_inner_texts()[1:3] for row in problems.all()]
    assert [record for record, _ in named] == ["5", "7", "9"], named
    team.captain.go(ANONYMIZATION)
    expect(team.captain.page.locator(".stat-label").first).to_have_text(
        f"{TRIES} of {TRIES} attempts left"
    )


def table_is_scored(team: Team) -> None:
    """The result page shows the kit's own numbers, without being reloaded."""
    person = team.captain
    expect(person.page.locator("#status .state-scored")).to_be_visible()
    for row in person.page.locator("#measures tbody tr:has(.measure-id)").all():
        measure = row.locator(".measure-id").inner_text()
        shown = row.locator("td strong").inner_text()
        assert number(shown) == approximately(team.scores[measure]), measure
    person.go(ANONYMIZATION)
    expect(person.page.locator(".stat-label").first).to_have_text(
        f"{TRIES - 1} of {TRIES} attempts left"
    )


# The attack


def download_targets(team: Team, others: list[Team]) -> None:
    """Everything that was published, in one archive."""
    person = team.captain
    person.go(ATTACK)
    archive = person.download(
        person.page.get_by_role("link", name="Download all targets (zip)"), team.file("targets.zip")
    )
    with zipfile.ZipFile(archive) as packed:
        packed.extractall(team.folder)
    for other in others:
        assert len(lines_of(team.file(published(other)))) == N_OWN
        assert len(lines_of(team.file(candidates(other)))) == 2 * N_OWN


def published(team: Team) -> str:
    return f"team{team.slug}_anonymized.csv"


def candidates(team: Team) -> str:
    return f"team{team.slug}_candidate.csv"


def guess(team: Team, target: Team) -> Path:
    return team.file(f"team{team.slug}_attack_team{target.slug}.csv")


def attack_at_home(team: Team, target: Team) -> None:
    """Look for the lines of the published table among the candidates."""
    scoring(
        "attack",
        team.attack,
        schema=team.file("schema.toml"),
        candidates=team.file(candidates(target)),
        table=team.file(published(target)),
        seed=1,
        out=guess(team, target),
    )
    assert len(guess(team, target).read_text().split()) == N_OWN


def hand_in_guesses(team: Team, others: list[Team]) -> None:
    """All in one go."""
    person = team.captain
    person.go(ATTACK)
    person.page.locator("#id_guess").set_input_files([guess(team, other) for other in others])
    person.press("Submit")


def guesses_are_marked(team: Team, n: int) -> None:
    """And nobody is told how well they did."""
    expect(team.captain.page.locator("table.targets .state-scored")).to_have_count(n)
    assert "%" not in team.captain.text("table.targets")


def key_of(target: Team, folder: Path) -> Path:
    """Which candidate each published line is, by what only the target's team has: 0 where it deleted the record."""
    place = {line: n for n, line in enumerate(lines_of(folder / candidates(target)), 1)}
    originals, made = (lines_of(target.file(f"{name}.csv")) for name in ("original", "anonymized"))
    kept = [(line, origin) for line, origin in zip(made, originals, strict=True) if line.strip(",")]
    became = dict(kept)
    assert len(became) == len(kept), "records tell where they went"
    seen = lines_of(folder / published(target))
    assert sorted(seen) == sorted(made)
    assert seen != made, "a published table is shuffled"
    key = folder / f"key-{target.slug}.csv"
    found = [place[became[line]] if line in became else 0 for line in seen]
    key.write_text("".join(f"{n}\n" for n in found))
    return key


def rate_at_home(team: Team, target: Team) -> float:
    """What a guess is worth, in per cent, by the kit."""
    key = key_of(target, team.folder)
    return 100 * scoring("mark", key=key, guess=guess(team, target))["rate"]


def ranked_at_home(
    teams: list[Team], rates: dict[tuple[str, str], float], marks: dict[str, float], folder: Path
) -> dict[str, dict[str, float]]:
    """The final order by `python -m scoring rank`, from what everybody has at home."""
    names = [team.name for team in teams]
    matrix = [["attacker", *names]]
    matrix += [[a, *(repr(rates[a, d]) if a != d else "" for d in names)] for a in names]
    tables = {
        "M.csv": matrix,
        "U.csv": [["team", "utility"], *([t.name, repr(t.utility)] for t in teams)],
        "P.csv": [["team", "presentation"], *([n, repr(marks[n])] for n in names)],
    }
    for name, rows in tables.items():
        (folder / name).write_text("".join(",".join(row) + "\n" for row in rows))
    found = scoring(
        "rank",
        formula="weighted-sum",
        matrix=folder / "M.csv",
        utility=folder / "U.csv",
        presentation=folder / "P.csv",
    )
    return {line["team"]: line for line in found["teams"]}
