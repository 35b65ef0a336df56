# SPDX-License-Identifier: Apache-2.0
"""Bots with tables: they anonymize and attack them with the library, as teams do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pwscup.bots.cast import ANY_TABLE
from pwscup.contests.selectors import dataset_of
from pwscup.core.files import storage
from pwscup.formats.common.cheats import cheated, public_table, target_of
from scoring.anonymizers import anonymize
from scoring.cheaters import CHEATERS
from scoring.errors import ProblemsFound
from scoring.evaluate import Prepared
from scoring.registry import ATTACKS
from scoring.rulesets.gates import gated, outside
from scoring.scores.comparison import Comparison
from scoring.tables.reading import read_table, write_guess, write_rows, write_table

if TYPE_CHECKING:
    import pandas as pd

    from pwscup.bots.cast import Bot
    from pwscup.contests.models import Dataset, Round
    from pwscup.formats.playing import Files, Turn
    from pwscup.submissions.models import Release
    from scoring.anonymizers.base import Anonymized
    from scoring.tables.schema import Schema


DELETION = ("record-deletion", {"fraction": 0.45})


def anonymized_files(original: Dataset, bot: Bot, seed: int, round: Round | None = None) -> Files:
    """A table and the row numbers of its records, by the bot's chain of methods; admitted by the gates of a round."""
    schema = original.schema.public()
    return _files(admitted(round, public_table(original), schema, bot, seed), schema)


def _files(result: Anonymized, schema: Schema) -> Files:
    return {
        "anonymized": ("anonymized.csv", write_table(result.table, schema)),
        "rows": ("rows.csv", write_rows(result.source)),
    }


def anonymized(
    table: pd.DataFrame, schema: Schema, bot: Bot, seed: int, *more: tuple[str, dict]
) -> Anonymized:
    """By the bot's methods, or by methods for every table if they need columns that it lacks."""
    for methods in (bot.methods, ANY_TABLE):
        try:
            chain = (*methods, *more)
            return anonymize(table, schema, chain, rng=np.random.default_rng(seed))
        except ProblemsFound:
            if methods is ANY_TABLE:
                raise
    raise AssertionError("unreachable")


def admitted(
    round: Round | None,
    table: pd.DataFrame,
    schema: Schema,
    bot: Bot,
    seed: int,
    *more: tuple[str, dict],
) -> Anonymized:
    """As `anonymized`, but by noise on what is left after deletion where that is outside of the gates of the rules.

    The gates of several tables that belong together are not looked at.
    """
    result = anonymized(table, schema, bot, seed, *more)
    if round is None or not (rules := round.contest.ruleset).gates or rules.data.parts:
        return result
    stage = round.spec.stage
    values = gated(rules, Comparison.of(table, result.table, result.source, schema), rules.options)
    if not outside(rules, values, stage):
        return result
    numbers = tuple(column.name for column in schema.columns if column.is_numeric)
    noise = (("additive-noise", {"columns": numbers, "scale": 0.05}),) if numbers else ()
    rng = np.random.default_rng(seed)
    return anonymize(table, schema, [DELETION, *noise, *more], rng=rng)


class Knowledge:
    """The knowledge of an attacker: the public original, or a table of candidates; indexed once for all attacks."""

    def __init__(self, table: pd.DataFrame, schema: Schema) -> None:
        self.schema = schema
        self.known = Prepared.of(table, schema)

    @classmethod
    def of_original(cls, original: Dataset) -> Knowledge:
        return cls(public_table(original), original.schema.public())

    def guess(self, seen: pd.DataFrame, bot: Bot, seed: int) -> np.ndarray:
        rng = np.random.default_rng(seed)
        try:
            return ATTACKS[bot.attacker](self.known, seen, self.schema, rng=rng)
        except (ProblemsFound, ValueError):  # a column that this attacker uses is missing
            return rng.integers(0, self.known.n_records, size=len(seen))


class Anonymizer:
    """A bot anonymizes its table by its chain of methods."""

    draws = True

    def known(self, _round: Round) -> None:
        """Only the table."""

    def files(self, turn: Turn) -> Files | None:
        original, bot, seed = given(turn)
        if not bot.cheat:
            return anonymized_files(original, bot, seed, turn.round)
        made = cheated(turn, original, is_aligned=True)
        return None if made is None else _files(made, original.schema.public())

    def note(self, bot: Bot) -> str:
        return bot.note


class RowGuesser:
    """A bot guesses the rows of the original by its attacker."""

    draws = True

    def known(self, round: Round) -> Knowledge | Schema:
        return Knowledge.of_original(dataset_of(round.contest))

    def files(self, turn: Turn) -> Files | None:
        release, _seed = attacked(turn)
        known: Knowledge = turn.known
        seen = read_table(storage.read(release.table), known.schema, file="anonymized")
        guess = guessed(turn, known, seen)
        return None if guess is None else guess_file(release, write_guess(guess))

    def note(self, bot: Bot) -> str:
        return bot.cheat or bot.attacker


def guessed(turn: Turn, known: Knowledge, seen: pd.DataFrame) -> np.ndarray | None:
    """The rows of what an attacker knows that a bot guesses; None where it attacks nothing."""
    release, seed = attacked(turn)
    if not turn.bot.cheat:
        return known.guess(seen, turn.bot, seed)
    guess = CHEATERS[turn.bot.cheat].rows
    table = known.known.table
    return guess and guess(target_of(turn, release, known.schema, known=table, seen=seen))


def given(turn: Turn) -> tuple[Dataset, Bot, int]:
    """The table to anonymize, the bot, and the seed."""
    if turn.table is None or turn.seed is None:
        raise LookupError(f"nothing to anonymize for team {turn.team.pk}")
    return turn.table, turn.bot, turn.seed


def attacked(turn: Turn) -> tuple[Release, int]:
    """The attacked release, and the seed."""
    if turn.release is None or turn.seed is None:
        raise LookupError(f"nothing to attack for team {turn.team.pk}")
    return turn.release, turn.seed


def guess_file(release: Release, guess: bytes) -> Files:
    """A guess file, named after the attacked team."""
    return {"guess": (f"{release.team.slug}.csv", guess)}


TABLES, ROWS = Anonymizer(), RowGuesser()
