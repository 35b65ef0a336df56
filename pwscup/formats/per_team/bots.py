# SPDX-License-Identifier: Apache-2.0
"""Bots with their own tables, and with candidates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pwscup.contests.selectors import dataset_of
from pwscup.core.files import storage
from pwscup.formats.attacks.archives import records_of
from pwscup.formats.common.bots import (
    Anonymizer,
    Knowledge,
    RowGuesser,
    admitted,
    attacked,
    given,
    guess_file,
    guessed,
)
from pwscup.formats.common.cheats import cheated, public_table
from scoring.formats.lecture import positions_of
from scoring.tables.aligned import write_aligned
from scoring.tables.number_lists import write_candidate_guess
from scoring.tables.reading import read_table

if TYPE_CHECKING:
    from pwscup.contests.models import Round
    from pwscup.formats.playing import Files, Turn
    from scoring.tables.schema import Schema

BACK_MAPPING: tuple[str, dict[str, Any]] = ("back-mapping", {})


class AlignedAnonymizer(Anonymizer):
    """A bot submits a line for each record of the original, its values all of the original's."""

    def files(self, turn: Turn) -> Files | None:
        original, bot, seed = given(turn)
        schema, table = original.schema.public(), public_table(original)
        result = (
            cheated(turn, original, is_aligned=True)
            if bot.cheat
            else admitted(turn.round, table, schema, bot, seed, BACK_MAPPING)
        )
        if result is None:
            return None
        positions = positions_of(result.source, len(table))
        names = turn.round.contest.ruleset.data.columns_of_parts(schema) or {
            "anonymized": schema.names
        }
        return {
            key: (f"{key}.csv", write_aligned(result.table, positions, schema.only(columns)))
            for key, columns in names.items()
        }


class CandidateGuesser(RowGuesser):
    """A bot guesses among the candidates that were published with each release."""

    def known(self, round: Round) -> Schema:
        return dataset_of(round.contest).schema.public()

    def files(self, turn: Turn) -> Files | None:
        """A guess at the candidate for every line of a release that holds a record."""
        (release, _seed), schema = attacked(turn), turn.known
        if release.candidates is None:
            raise LookupError(f"release {release.pk} has no candidates")
        data = storage.read(release.candidates)
        known = Knowledge(read_table(data, schema, file="candidates", original=True), schema)
        records, lines, n_lines = records_of(release, schema)
        found = guessed(turn, known, records.to_frame())
        if found is None:
            return None
        guess = np.full(n_lines, -1, dtype=np.int64)
        guess[lines] = found
        return guess_file(release, write_candidate_guess(guess))


TABLES, CANDIDATES = AlignedAnonymizer(), CandidateGuesser()
