# SPDX-License-Identifier: Apache-2.0
"""Figures of a contest of sequential release: its price, its risks and its attacks, by m, method and size of teams.

    python -m tools.measure_series

makes the tables of figures of docs/how-to/run-a-sequential-contest.md from windows of a synthetic hospital and teams
of people of their own. Nothing but the seed is drawn, so the same library gives the same figures.
"""

from __future__ import annotations

import argparse
import itertools
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from scoring.datasets.hospital import HOSPITAL_SCHEMA, hospital
from scoring.errors import ProblemsFound
from scoring.formats.sequential.files import identifier_of, read_microdata
from scoring.formats.sequential.guesses import (
    GUESSERS,
    mark_guesses,
    mark_values,
    true_values,
    values_of,
)
from scoring.formats.sequential.publishing import Method, Options, Publication, publish
from scoring.formats.sequential.scores import score_series
from scoring.formats.sequential.series import of_publication
from scoring.formats.sequential.tables import Microdata
from scoring.tables.writing import write_table

N_PATIENTS, N_TEAMS, N_SAMPLED = 2_000, 10, 5
REFUSALS = (24, 6)  # teams, tables
LESSONS, N_LEARNERS = ((60, 4), (150, 4), (150, 6)), 30  # people and tables, and teams
BY_ITSELF = "each table by itself"
METHODS: tuple[Method, ...] = ("m-invariance", "improved")
MEASURES = {
    "series-extent": "{:.3f}",
    "series-query-error": "{:.3f}",
    "series-counterfeits": "{:.3f}",
    "series-deletions": "{:.1%}",
    "series-displaced": "{:.1%}",
    "series-risk-max": "{:.3f}",
    "series-risk-mean": "{:.3f}",
    "series-risk-share": "{:.1%}",
}
Way = Callable[[Microdata, int], Publication]
Figures = dict[str, float]


def teams_of(
    n_people: int, n_tables: int, seed: int, n_patients: int = N_PATIENTS
) -> Iterator[Microdata]:
    """The tables of one team after the other, no person in two, for as long as there are people."""
    tables = hospital(n_patients, n_tables, seed=seed)
    name = identifier_of(HOSPITAL_SCHEMA)
    ids = np.unique(np.concatenate([table[name].to_numpy(str) for table in tables]))
    people = np.random.default_rng(seed).permutation(ids)
    for start in range(0, len(people) - n_people + 1, n_people):
        own = people[start : start + n_people]
        parts = [table[table[name].isin(own)] for table in tables]
        yield read_microdata(
            [write_table(part, HOSPITAL_SCHEMA) for part in parts], HOSPITAL_SCHEMA
        )


def by_itself(microdata: Microdata, m: int) -> Publication:
    """Every table published as if it were the first."""
    parts = [
        publish(replace(microdata, snapshots=(snapshot,)), Options(m))
        for snapshot in microdata.snapshots
    ]
    return Publication(
        replace(microdata, snapshots=tuple(part.microdata.snapshots[0] for part in parts)),
        tuple(part.releases[0] for part in parts),
        tuple(part.tampered[0] for part in parts),
        tuple(part.deleted[0] for part in parts),
    )


def by_method(method: Method) -> Way:
    return lambda microdata, m: publish(microdata, Options(m, method))


WAYS: dict[str, Way] = {BY_ITSELF: by_itself} | {f"`{name}`": by_method(name) for name in METHODS}


def figures(microdata: Microdata, made: Publication, m: int, definition: str) -> Figures:
    """Every measure, the shares of people that the two guesses find, and the rate of the second one."""
    series = of_publication(made)
    values = score_series(microdata, series, m=m, definition=definition, measures=tuple(MEASURES))
    truth = true_values(microdata)
    guesses = {
        name: values_of(guess(microdata, series.releases), microdata)
        for name, guess in GUESSERS.items()
    }
    shares = {name: mark_guesses(truth, guess).rate for name, guess in guesses.items()}
    rate = mark_values(truth, guesses["baseline"], guesses["intersection"], m=m).rate
    measured = {name: float(values[name] or 0) for name in MEASURES}
    return {**measured, **shares, "rate": rate}


def mean(found: Sequence[Figures]) -> Figures:
    return {name: float(np.mean([figure[name] for figure in found])) for name in found[0]}


def published(
    teams: Iterable[Microdata], way: Way, m: int
) -> list[tuple[Microdata, Publication | None]]:
    """The publication of each team, None if a value is too frequent among its new people."""
    found: list[tuple[Microdata, Publication | None]] = []
    for microdata in teams:
        try:
            found.append((microdata, way(microdata, m)))
        except ProblemsFound:
            found.append((microdata, None))
    return found


def mean_of(teams: Iterable[Microdata], way: Way, m: int, definition: str = "counting") -> Figures:
    """The mean of those teams that can publish."""
    return mean(
        [figures(own, made, m, definition) for own, made in published(teams, way, m) if made]
    )


def first_teams(n_people: int, n_tables: int, seed: int, n: int = N_TEAMS) -> list[Microdata]:
    return [team for _, team in zip(range(n), teams_of(n_people, n_tables, seed), strict=False)]


def tell_sizes(seed: int) -> None:
    tell_row("people", "tables", "extent", "query error", "counterfeits for each record")
    for n_people, n_tables in ((100, 4), (300, 4), (1_000, 4), (300, 6), (1_000, 6)):
        teams = first_teams(n_people, n_tables, seed)
        found = mean_of(teams, by_method("m-invariance"), 3)
        cells = [MEASURES[name].format(found[name]) for name in list(MEASURES)[:3]]
        tell_row(f"{n_people:,}", str(n_tables), *cells)


def tell_refusals(seed: int) -> None:
    n_teams, n_tables = REFUSALS
    tell_row("people", "m = 2", "m = 3", "m = 4")
    for n_people in (100, 150, 200, 300):
        teams = first_teams(n_people, n_tables, seed, n_teams)
        refused = [
            sum(made is None for _own, made in published(teams, by_method("m-invariance"), m))
            for m in (2, 3, 4)
        ]
        tell_row(f"{n_people} ({len(teams)} teams)", *map(str, refused))


def tell_methods(seed: int) -> None:
    tell_row("m", "method", *MEASURES, *GUESSERS, "rate")
    teams = first_teams(300, 4, seed)
    for m in (2, 3, 4):
        for name, way in WAYS.items():
            tell_row(str(m), name, *_cells(mean_of(teams, way, m)))


def tell_largest(seed: int) -> None:
    """The largest need of a team, for which a limit should leave room."""
    names = ("series-deletions", "series-displaced", "series-counterfeits")
    tell_row("m", *names)
    teams = first_teams(300, 4, seed)
    for m in (2, 3, 4):
        found = [
            score_series(own, of_publication(made), m=m, definition="counting", measures=names)
            for own, made in published(teams, by_method("improved"), m)
            if made
        ]
        tell_row(str(m), *(f"{max(values[name] or 0 for values in found):.3f}" for name in names))


def tell_more_tables(seed: int) -> None:
    teams = first_teams(300, 6, seed)
    for name, way in WAYS.items():
        tell_row("3", name, *_cells(mean_of(teams, way, 3)))


def tell_lessons(seed: int) -> None:
    """The rates of an attack on teams of a lesson: mean, extremes, and how many teams it gains nothing against."""
    tell_row(
        "people",
        "tables",
        "m",
        "method",
        "refused",
        "rate: mean",
        "lowest",
        "highest",
        "teams at 0",
    )
    for (n_people, n_tables), m in itertools.product(LESSONS, (2, 3)):
        teams = first_teams(n_people, n_tables, seed, N_LEARNERS)
        for name, way in WAYS.items():
            made = [(own, found) for own, found in published(teams, way, m) if found]
            rates = [figures(own, found, m, "counting")["rate"] for own, found in made]
            shown = [f"{rate:.1%}" for rate in (np.mean(rates), min(rates), max(rates))]
            refused, zeros = len(teams) - len(made), f"{rates.count(0)} of {len(rates)}"
            tell_row(str(n_people), str(n_tables), str(m), name, str(refused), *shown, zeros)


def tell_worlds(seed: int) -> None:
    """The largest risk by every definition, the mean of some teams: possible worlds take long."""
    tell_row("definition", *METHODS)
    teams = first_teams(300, 6, seed, N_SAMPLED)
    for definition in ("counting", "worlds", "m-invariance"):
        for is_told in (True, False) if definition == "worlds" else (True,):
            found = [
                [largest_risk(team, method, definition, is_told=is_told) for team in teams]
                for method in METHODS
            ]
            told = "" if is_told else ", counterfeits not published"
            tell_row(definition + told, *(f"{np.mean(risks):.2f}" for risks in found))


def largest_risk(team: Microdata, method: Method, definition: str, *, is_told: bool) -> float:
    """With m = 3; `is_told` says whether the counterfeits of each group are."""
    series = replace(of_publication(publish(team, Options(3, method))), knows_counterfeits=is_told)
    name = "series-risk-max"
    found = score_series(team, series, m=3, definition=definition, measures=(name,))
    return float(found[name] or 0)


def tell_people(seed: int) -> None:
    """The number of people, and of a team's people in each table."""
    name = identifier_of(HOSPITAL_SCHEMA)
    for n_patients, n_tables in ((N_PATIENTS, 4), (N_PATIENTS, 6), (N_PATIENTS // 2, 4)):
        teams = list(teams_of(300, n_tables, seed, n_patients))
        n_teams, n_each = len(teams), np.mean([len(s.ids) for t in teams for s in t.snapshots])
        n_people = len(set().union(*(t[name] for t in hospital(n_patients, n_tables, seed=seed))))
        told = f"{n_people:,} people, {n_teams} teams of 300, {n_each:.0f} of each in a table"
        tell(f"{n_tables} tables of {n_patients:,} patients: {told}")


def _cells(found: Figures) -> list[str]:
    shown = MEASURES | dict.fromkeys((*GUESSERS, "rate"), "{:.1%}")
    return [form.format(found[name]) for name, form in shown.items()]


def tell_row(*cells: str) -> None:
    tell(f"| {' | '.join(cells)} |")


def tell(words: str) -> None:
    sys.stdout.write(words + "\n")
    sys.stdout.flush()


PARTS: dict[str, Callable[[int], None]] = {
    "people": tell_people,
    "sizes": tell_sizes,
    "refusals": tell_refusals,
    "methods": tell_methods,
    "largest": tell_largest,
    "more-tables": tell_more_tables,
    "worlds": tell_worlds,
    "lessons": tell_lessons,
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=1, help="of the hospital and the teams (1)")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS))
    asked = parser.parse_args()
    for name in asked.only:
        tell(f"\n{name}\n")
        PARTS[name](asked.seed)


if __name__ == "__main__":
    main()
