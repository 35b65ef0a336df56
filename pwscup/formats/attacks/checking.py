# SPDX-License-Identifier: Apache-2.0
"""Rules for browsers of guesses: of rows, of candidates, of values, and answers to questions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pwscup.contests.selectors import dataset_of, shown_schema
from pwscup.contests.teams.tables import draw_of
from pwscup.formats.attacks.sheets import sheets_of
from pwscup.formats.checking import Checks
from pwscup.formats.hidden.disclosed import most_per_cell, target_attributes
from scoring.formats.disclosure.estimates import estimate_rules
from scoring.formats.sequential.guess_files import value_rules
from scoring.questions.files import answer_rules
from scoring.tables.published_rules import number_rules
from scoring.tables.schema import Role
from scoring.tables.text import decode, records

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pwscup.accounts.models import Team
    from pwscup.contests.models import Round
    from pwscup.submissions.models import Release

GUESS, ESTIMATE = "guess", "estimate"
MAX_RELEASES = 1_000
"""Releases of which a process remembers the questions."""


class Rows:
    """A row of the original for each published record."""

    def checks(self, round: Round, _team: Team | None, targets: Sequence[Release]) -> Checks:
        high = dataset_of(round.contest).n_records
        rules = {
            release.team.slug: {GUESS: number_rules(low=0, high=high, n_lines=release.n_records)}
            for release in targets
        }
        return Checks(targets=rules)


class Candidates:
    """A line of the published candidates for each published record."""

    def checks(self, _round: Round, _team: Team | None, targets: Sequence[Release]) -> Checks:
        rules = {}
        for release in targets:
            draw = draw_of(release.team, release.submission.original)
            if draw is not None and release.candidates is not None:
                rules[release.team.slug] = {
                    GUESS: number_rules(
                        low=0, high=draw.n_records, n_lines=release.n_records, of_candidates=True
                    )
                }
        return Checks(targets=rules)


class Values:
    """A sensitive value for each individual. Who has an identifier is not part of the rules."""

    def checks(self, round: Round, _team: Team | None, targets: Sequence[Release]) -> Checks:
        columns = shown_schema(dataset_of(round.contest)).columns
        values = next(column.values for column in columns if column.role is Role.SENSITIVE)
        return Checks(targets={t.team.slug: {GUESS: value_rules(values)} for t in targets})


class Sheets:
    """Answers to each sheet of questions about a published table."""

    def checks(self, round: Round, _team: Team | None, targets: Sequence[Release]) -> Checks:
        schema = shown_schema(dataset_of(round.contest))
        rules = {}
        for release in targets:
            asked = asked_cells(release)
            rules[release.team.slug] = {
                question.key: answer_rules(
                    question,
                    len(asked[question.key]),
                    schema,
                    n_lines=release.n_records,
                    asked=asked[question.key],
                )
                for question in round.spec.questions
            }
        return Checks(targets=rules)


_asked: dict[int, Mapping[str, list[list[str]]]] = {}


def asked_cells(release: Release) -> Mapping[str, list[list[str]]]:
    """For each question of each published sheet, by its key, the columns that are drawn for it, if any.

    It is remembered, as no release changes.
    """
    found = _asked.get(release.pk)
    if found is None:
        if len(_asked) >= MAX_RELEASES:
            _asked.clear()
        drawn = {q.key: q.drawn for q in release.round.spec.questions}
        found = {}
        for key, sheet in sheets_of(release).items():
            _header, *lines = records(decode(sheet, file=key), file=key)
            found[key] = [line[1 : 1 + len(drawn[key])] for line in lines]
        _asked[release.pk] = found
    return found


class Estimates:
    """A count for each combination of values of the target table."""

    def checks(self, round: Round, _team: Team | None, _targets: Sequence[Release]) -> Checks:
        contest = round.contest
        rules = estimate_rules(target_attributes(contest), most_per_cell(contest))
        return Checks({ESTIMATE: rules})


ROWS, CANDIDATES, VALUES, SHEETS, COUNTS = Rows(), Candidates(), Values(), Sheets(), Estimates()
