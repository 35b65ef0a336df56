# SPDX-License-Identifier: Apache-2.0
"""Bots with series of releases, and with guesses of their values: made from the data of every team."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from pwscup.bots.cast import Way
from pwscup.contests.selectors import dataset_of, shown_schema
from pwscup.core.files import storage
from pwscup.formats.common.bots import given, guess_file
from scoring.cheaters import CHEATERS
from scoring.errors import ProblemsFound
from scoring.formats.sequential.background import read_background, read_published
from scoring.formats.sequential.bundles import pack
from scoring.formats.sequential.drafts import default_widths
from scoring.formats.sequential.files import identifier_of
from scoring.formats.sequential.guess_files import write_value_guess
from scoring.formats.sequential.guesses import GUESSERS, values_of
from scoring.formats.sequential.improved import MAX_ATTRIBUTES
from scoring.formats.sequential.publishing import Options, Publication, publish
from scoring.formats.sequential.series import M_INVARIANCE, handed_in, of_publication, without
from scoring.formats.sequential.series_files import exceeded, read_tables

if TYPE_CHECKING:
    from pwscup.bots.cast import Bot
    from pwscup.contests.models import Round
    from pwscup.formats.playing import Files, Turn
    from scoring.errors import Problem
    from scoring.formats.sequential.series import Series
    from scoring.formats.sequential.tables import Microdata
    from scoring.rulesets.base import SequentialSpec
    from scoring.tables.equivalence import IntArray
    from scoring.tables.schema import Schema


# Series


class Publisher:
    """A bot publishes a release of each of its tables; without randomness."""

    draws = True

    def known(self, _round: Round) -> None:
        """Only the tables."""

    def files(self, turn: Turn) -> Files | None:
        original, bot, _seed = given(turn)
        spec = original.contest.ruleset.sequential
        if spec is None or original.public is None:
            raise LookupError(f"dataset {original.pk} is no series of a team")
        schema = original.schema
        microdata = read_tables(storage.read(original.public), schema)
        cheat = CHEATERS[bot.cheat].series if bot.cheat else None
        if bot.cheat and cheat is None:
            return None
        found = cheat(microdata, spec.m) if cheat else series_of(microdata, bot.series, spec)
        return {"series": ("series.zip", pack(handed_in(found, identifier_of(schema))))}

    def note(self, bot: Bot) -> str:
        return bot.cheat or bot.series.note


def series_of(microdata: Microdata, way: Way, spec: SequentialSpec) -> Series:
    """Valid releases: by the bot's way, or by `with_deletions` if the tables do not allow it."""
    if _is_possible(microdata, way, spec):
        try:
            made = _published(microdata, way, spec.m)
        except ProblemsFound:
            return with_deletions(microdata, spec.m)
        found = of_publication(made)
        has_rows = all(len(release.group) for release in found.releases)
        if has_rows and not exceeded(spec.limits, microdata, found):
            return found
    return with_deletions(microdata, spec.m)


def _is_possible(microdata: Microdata, way: Way, spec: SequentialSpec) -> bool:
    if way.forgets and spec.require == M_INVARIANCE:
        return False
    return way.method != "improved" or len(microdata.attributes) <= MAX_ATTRIBUTES


def _published(microdata: Microdata, way: Way, m: int) -> Publication:
    options = Options(m + way.more, way.method, side=way.side, rule=way.rule)
    if not way.forgets:
        return publish(microdata, options)
    parts = [publish(replace(microdata, snapshots=(s,)), options) for s in microdata.snapshots]
    return Publication(
        replace(microdata, snapshots=tuple(part.microdata.snapshots[0] for part in parts)),
        tuple(part.releases[0] for part in parts),
        tuple(part.tampered[0] for part in parts),
        tuple(part.deleted[0] for part in parts),
    )


def with_deletions(microdata: Microdata, m: int) -> Series:
    """By m-invariance, leaving out as few individuals as needed to make the new ones of each table m-eligible."""
    widths = default_widths(microdata.attributes, microdata.snapshots[0])
    nobody: IntArray = np.zeros(0, dtype=np.int64)
    deleted = [nobody] * len(microdata.snapshots)
    while True:
        left = without(microdata, deleted)
        try:
            made = of_publication(publish(left, Options(m, widths=widths)))
        except ProblemsFound as error:
            time, ids = _too_many(left, error.problems[0], m)
            deleted[time] = np.union1d(deleted[time], ids)
        else:
            return replace(made, deleted=tuple(deleted))


def _too_many(microdata: Microdata, problem: Problem, m: int) -> tuple[int, IntArray]:
    """The table that is not m-eligible, and the last of its new individuals with the value that is too frequent."""
    time = int((problem.file or "").removeprefix("T")) - 1
    snapshot = microdata.snapshots[time]
    is_new = np.ones(len(snapshot.ids), dtype=np.bool_)
    if time:
        is_new = ~np.isin(snapshot.ids, microdata.snapshots[time - 1].ids)
    code = microdata.sensitive_values.index(str(problem.params["value"]))
    ids = snapshot.ids[is_new & (snapshot.sensitive == code)]
    got, n = int(problem.params["got"]), int(problem.params["n"])
    # Without k of them, (got - k) m is at most n - k.
    n_too_many = -((n - m * got) // (m - 1))
    return time, ids[-n_too_many:]


# Guesses


class ValueGuesser:
    """A bot guesses the values of all individuals in the background table of a published series."""

    draws = False

    def known(self, round: Round) -> Schema:
        return shown_schema(dataset_of(round.contest))

    def files(self, turn: Turn) -> Files | None:
        release, schema = turn.release, turn.known
        if release is None or release.candidates is None:
            raise LookupError("a release without a background table")
        people = read_background(storage.read(release.candidates), schema)
        seen = read_published(storage.read(release.table), people)
        bot = turn.bot
        guess = CHEATERS[bot.cheat].values if bot.cheat else GUESSERS[bot.values]
        if guess is None:
            return None
        guesses = guess(seen.people, seen.releases)
        return guess_file(release, write_value_guess(values_of(guesses, seen.people)))

    def note(self, bot: Bot) -> str:
        return bot.cheat or bot.values


SERIES, VALUES = Publisher(), ValueGuesser()
